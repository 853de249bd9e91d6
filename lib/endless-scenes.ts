import { TileonceError } from '../lambda/errors.ts';
import type { Wildcard } from './trigger-filter.ts';

/** One character of a key's shape: which it may be, and whether it repeats (any number of times, also none). */
interface Place {
  readonly may: (character: string) => boolean;
  readonly repeats: boolean;
  /** One character that may stand here; a wildcard's own literal is held against the other shape's places. */
  readonly sample: readonly string[];
}

const HEX = Array.from('0123456789abcdef');
const DIGITS = Array.from('0123456789');

const among = (characters: readonly string[], repeats = false): Place => ({
  may: (character) => characters.includes(character),
  repeats,
  sample: characters,
});
const literally = (text: string): Place[] => Array.from(text, (character) => among([character]));
const times = (place: Place, count: number): Place[] => Array.from({ length: count }, () => place);
/** At least four digits, as window names are written. */
const index = [...times(among(DIGITS), 4), among(DIGITS, true)];
const jobId = times(among(HEX), 64);

/** The shapes of every output key (lambda/identity/output-keys.ts). */
const OUTPUT_SHAPES: readonly (readonly Place[])[] = [
  [...literally('tiles/'), ...jobId, ...literally('/'), ...index, ...literally('_'), ...index, ...literally('.tif')],
  ...['scene.tif', 'item.json', 'preview.png'].map((file) => [
    ...literally('scenes/'),
    ...jobId,
    ...literally(`/${file}`),
  ]),
];

const anything: Place = { may: () => true, repeats: true, sample: [] };

const placesOf = (wildcard: Wildcard): Place[] =>
  [...wildcard.matchAll(/\\(?<escaped>[\\*])|(?<star>\*)|(?<literal>[^])/gu)].map(({ groups }) =>
    groups?.['star'] === undefined ? among([groups?.['escaped'] ?? groups?.['literal'] ?? '']) : anything,
  );

/** Whether one key fits both shapes: a walk through the pairs of positions that some common beginning can reach. */
const meet = (a: readonly Place[], b: readonly Place[]): boolean => {
  const reached = new Set<string>();
  const open: (readonly [number, number])[] = [[0, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [i, j] = next;
    if (reached.has(`${i} ${j}`)) continue;
    reached.add(`${i} ${j}`);
    const left = a[i];
    const right = b[j];
    if (left === undefined && right === undefined) return true;
    if (left?.repeats === true) open.push([i + 1, j]);
    if (right?.repeats === true) open.push([i, j + 1]);
    if (left === undefined || right === undefined || !share(left, right)) continue;
    open.push([left.repeats ? i : i + 1, right.repeats ? j : j + 1]);
  }
  return false;
};

const share = (a: Place, b: Place): boolean => a.sample.some(b.may) || b.sample.some(a.may);

/** Whether a key that this wildcard lets through could be one of our outputs'. */
export const couldBeOutput = (wildcard: Wildcard): boolean => {
  const places = placesOf(wildcard);
  return OUTPUT_SHAPES.some((shape) => meet(places, shape));
};

/**
 * Refuses a trigger that our own outputs would set off, where they lie in the bucket that is watched: every scene would
 * beget another, without end.
 *
 * @throws TileonceError naming the wildcards.
 */
export const refuseEndlessScenes = (wildcards: readonly Wildcard[]): void => {
  const caught = wildcards.filter(couldBeOutput);
  if (caught.length === 0) return;
  const named = caught.map((wildcard) => `"${wildcard}"`).join(', ');
  throw new TileonceError(
    `source and output are one bucket, and the trigger ${named} matches output keys: endless scenes`,
    {
      remedy: 'use another output bucket, a prefix for the source, or a more exact path',
    },
  );
};
