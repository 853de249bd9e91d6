import { setFlagsFromString } from 'node:v8';

/**
 * Has garbage collected in one pass and not in steps, for the whole process. For threads that work through pixels: their
 * arrays count as external memory, of which some 20 MB make V8 begin to mark a heap that holds nothing else to free, in
 * steps, several times as often as one pass at the limit of 64 MB would have to: a quarter of a window's processor time.
 * The pass itself takes some 20 ms, and nobody waits for an answer meanwhile.
 */
export const collectInOnePass = (): void => setFlagsFromString('--no-incremental-marking');
