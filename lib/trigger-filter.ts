import { TileonceError } from '../lambda/errors.ts';
import type { Pipeline } from '../lambda/pipeline/definition/pipeline.ts';

/** An EventBridge wildcard: `*` is any text, also none; `\*` and `\\` are those characters themselves. Case-sensitive. */
export type Wildcard = string;

/** Keys that ring for a pipeline whose bands all lie in the one uploaded file. */
const ANY_TIFF = ['{scene}.tif', '{scene}.tiff'];

const escaped = (literal: string): Wildcard => literal.replaceAll(/[\\*]/gu, String.raw`\$&`);

/** The templates of the objects whose upload rings: the trigger alone where there is one, else every band's. */
const templatesThatRing = ({ bands, trigger }: Pipeline): readonly string[] => {
  if (trigger !== null) return [trigger];
  const paths = bands.flatMap(({ path }) => (path === null ? [] : [path]));
  return paths.length === 0 ? ANY_TIFF : paths;
};

/** A template's spellings: its extension as written, in lower and in upper case. */
const spellings = (template: string): readonly string[] => {
  const extension = /\.[A-Za-z0-9]+$/u.exec(template)?.[0] ?? '';
  const stem = template.slice(0, template.length - extension.length);
  return [...new Set([extension, extension.toLowerCase(), extension.toUpperCase()])].map((spelt) => stem + spelt);
};

/** One step of a template: a character, or a capture (a leading one may hold slashes, the others not). */
type Step = { readonly character: string } | { readonly capture: 'any' | 'no slash' };

const stepsOf = (template: string): readonly Step[] =>
  [...template.matchAll(/\{(?<capture>\w+)\}|(?<character>[^])/gu)].map(({ groups, index }) =>
    groups?.['capture'] === undefined
      ? { character: groups?.['character'] ?? '' }
      : { capture: index === 0 ? 'any' : 'no slash' },
  );

const mayHold = (step: Step, character: string): boolean =>
  'capture' in step ? step.capture === 'any' || character !== '/' : step.character === character;

/** Where in the steps a key can stand that has begun with `prefix`: a capture that goes on stays where it is. */
const positionsAfter = (steps: readonly Step[], prefix: string): ReadonlySet<number> => {
  let positions = new Set([0]);
  for (const character of prefix) {
    const after = new Set<number>();
    for (const position of positions) {
      for (let at = position; at < steps.length; at++) {
        const step = steps[at];
        if (step === undefined) break;
        if (mayHold(step, character)) after.add('capture' in step ? at : at + 1);
        if (!('capture' in step)) break;
      }
    }
    positions = after;
  }
  return positions;
};

/** EventBridge refuses two stars in a row. */
const starred = (steps: readonly Step[]): Wildcard =>
  steps
    .filter((step, at) => !('capture' in step && at > 0 && 'capture' in (steps[at - 1] ?? {})))
    .map((step) => ('capture' in step ? '*' : escaped(step.character)))
    .join('');

/**
 * Keys that begin with `prefix` and fit the template, as wildcards; none where no key can do both. A capture becomes a
 * star: wider than the template, which is matched exactly when the event arrives.
 */
const wildcardsOf = (template: string, prefix: string): readonly Wildcard[] => {
  // A leading `{scene}/` also stands for no folder at all.
  const variants = template.startsWith('{scene}/') ? [template, template.slice('{scene}/'.length)] : [template];
  return variants.flatMap((variant) => {
    const steps = stepsOf(variant);
    return [...positionsAfter(steps, prefix)].map((position) => escaped(prefix) + starred(steps.slice(position)));
  });
};

/**
 * The object keys that ring for these pipelines (docs/design.md, section 2), as EventBridge wildcards, each once.
 *
 * @param prefix what every source key begins with; '' for any.
 * @throws TileonceError where one of a pipeline's objects can never lie under the prefix.
 */
export const triggerWildcards = (pipelines: readonly Pipeline[], prefix: string): readonly Wildcard[] => {
  const all = pipelines.flatMap((pipeline) =>
    templatesThatRing(pipeline).flatMap((template) => {
      const found = spellings(template).flatMap((spelt) => wildcardsOf(spelt, prefix));
      if (found.length > 0) return found;
      throw new TileonceError(
        `pipeline ${pipeline.pipeline}: no key under "${prefix}" can fit its path "${template}"`,
        {
          remedy: "change the source's prefix or the path",
        },
      );
    }),
  );
  return [...new Set(all)];
};
