import type { ClaimRow, ClaimStore } from '../../gates/claim-store.ts';
import type { BuriedMessage, DeadLetterStore } from '../../gates/dead-letters.ts';
import { assemblyJobId, windowJobId } from '../../identity/job-key.ts';
import { MessageError, parseAssemblyMessage, parseWindowMessage } from '../messages.ts';

/** What is said of a letter whose claim names no error. */
export const UNEXPLAINED = {
  done: 'its job is done: a replay only acknowledges it',
  killed: 'no error was kept: its worker was killed, ran out of memory or time, or is still at work',
  unclaimed: 'no attempt is on record: its job was never claimed, or so long ago that the claim has expired',
} as const;

/** Claims read at once. */
const READS_AT_ONCE = 16;

/**
 * What dead letters died of, where their queue does not keep it: the error that the last failed attempt left on its claim's
 * row, which is found by the letter's own text. A scene's doorbell names no job: it stays without a reason.
 *
 * @throws StoreUnavailableError.
 */
export const explainLetters = async (
  claims: Pick<ClaimStore, 'get'>,
  letters: readonly BuriedMessage[],
): Promise<BuriedMessage[]> => {
  const explained: BuriedMessage[] = [];
  for (let start = 0; start < letters.length; start += READS_AT_ONCE) {
    const some = letters.slice(start, start + READS_AT_ONCE);
    explained.push(...(await Promise.all(some.map((letter) => explain(claims, letter)))));
  }
  return explained;
};

/** The same dead letters, each with what it died of. */
export const explained = (store: DeadLetterStore, claims: Pick<ClaimStore, 'get'>): DeadLetterStore => ({
  counts: () => store.counts(),
  list: async () => explainLetters(claims, await store.list()),
  replay: (letters, onProgress) => store.replay(letters, onProgress),
  replayAll: (queue, onProgress) => store.replayAll(queue, onProgress),
  putBack: (letters) => store.putBack(letters),
});

const explain = async (claims: Pick<ClaimStore, 'get'>, letter: BuriedMessage): Promise<BuriedMessage> => {
  if (letter.reason !== null || letter.queue === 'scenes') return letter;
  try {
    return { ...letter, reason: reasonOf(await claims.get(jobOf(letter))) };
  } catch (error) {
    if (error instanceof MessageError) return { ...letter, reason: error.oneLine };
    throw error;
  }
};

const reasonOf = (claim: ClaimRow | null): string => {
  if (claim === null) return UNEXPLAINED.unclaimed;
  return claim.state === 'COMMITTED' ? UNEXPLAINED.done : (claim.lastError ?? UNEXPLAINED.killed);
};

/** The job that a letter asks for. @throws MessageError where it cannot be read. */
const jobOf = ({ queue, body }: BuriedMessage): string => {
  if (queue === 'assemblies') return assemblyJobId(parseAssemblyMessage(body).sceneJobId);
  const message = parseWindowMessage(body);
  return windowJobId(message.plan.sceneJobId, message);
};
