import type { BuriedMessage, DeadLetterStore } from '../../gates/dead-letters.ts';
import { QUEUES, type QueueName } from '../../gates/queue.ts';
import type { PipelineContext } from '../context.ts';
import { sceneOfLetter } from './letter-scene.ts';

/** Dead letters of one queue that died of the same thing. */
export interface DeadGroup {
  readonly queue: QueueName;
  /** What they died of, without what differs from one window to the next; null where the store keeps no reason. */
  readonly error: string | null;
  readonly letters: readonly BuriedMessage[];
  /** Names, or first digits of the ids, of the scenes they belong to. */
  readonly scenes: readonly string[];
}

/** Which dead letters are meant; all given conditions hold. */
export interface DeadFilter {
  readonly queue?: QueueName | undefined;
  /** Part of the error's text. */
  readonly error?: string | undefined;
  /** A scene's name, or the first digits of its id. */
  readonly scene?: string | undefined;
}

/** What two errors of one cause may differ in: the window, ids, paths' numbers stay. */
export const causeOf = (reason: string | null): string | null =>
  reason === null
    ? null
    : reason
        .replace(/^window \d+,\d+: /, '')
        .replaceAll(/[0-9a-f]{64}/g, '<id>')
        .replaceAll(/\b\d{4}_\d{4}\b/g, '<window>');

/** Groups dead letters by queue and cause, the largest group first. */
export const groupLetters = (letters: readonly BuriedMessage[]): DeadGroup[] => {
  const groups = new Map<string, BuriedMessage[]>();
  for (const letter of letters) {
    const key = JSON.stringify([letter.queue, causeOf(letter.reason)]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [letter]);
    else group.push(letter);
  }
  return [...groups.values()]
    .map((group) => ({
      queue: group[0]?.queue ?? 'tiles',
      error: causeOf(group[0]?.reason ?? null),
      letters: group,
      scenes: [...new Set(group.flatMap((letter) => sceneLabel(letter) ?? []))].toSorted(),
    }))
    .toSorted((a, b) => b.letters.length - a.letters.length);
};

const sceneLabel = (letter: BuriedMessage): string | null => {
  const scene = sceneOfLetter(letter);
  return scene === null ? null : (scene.name ?? scene.sceneJobId?.slice(0, 12) ?? scene.what);
};

/** The letters that the filter means. */
export const filterLetters = (letters: readonly BuriedMessage[], filter: DeadFilter): BuriedMessage[] =>
  letters.filter((letter) => {
    if (filter.queue !== undefined && letter.queue !== filter.queue) return false;
    if (filter.error !== undefined && !(letter.reason ?? '').includes(filter.error)) return false;
    if (filter.scene === undefined) return true;
    const scene = sceneOfLetter(letter);
    return scene !== null && (scene.name === filter.scene || (scene.sceneJobId ?? '').startsWith(filter.scene));
  });

/**
 * Sends dead letters back, and opens the plans again that the reaper had given up because of them.
 *
 * @param letters of the listing at hand: a listing may hold what it shows, so nobody makes a second one.
 * @param how `all`: these are all there are, and may go by the store's own means.
 * @returns how many were sent back.
 */
export const redrive = async (
  context: Pick<PipelineContext, 'manifest' | 'telemetry'>,
  store: DeadLetterStore,
  letters: readonly BuriedMessage[],
  how: 'picked' | 'all' = 'picked',
  onProgress: (done: number) => void = () => undefined,
): Promise<number> => {
  const scenes = new Set(letters.flatMap((letter) => sceneOfLetter(letter)?.sceneJobId ?? []));
  for (const scene of scenes) await context.manifest.movePlan(scene, ['FAILED'], 'OPEN', null);
  let replayed = 0;
  if (how === 'picked') {
    replayed = await store.replay(letters, onProgress);
  } else {
    await store.putBack(letters);
    for (const queue of QUEUES) {
      const before = replayed;
      replayed += await store.replayAll(queue, (done) => onProgress(before + done));
    }
  }
  context.telemetry.event('warn', 'DeadLetters:Redrive:Done', { replayed });
  return replayed;
};
