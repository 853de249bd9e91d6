/** How far in front of the oldest message a receiver may go: about one scene's windows. */
export const LOOK_AHEAD = 512;

/**
 * Where a receiver begins beside others at work, when it has no neighbour of its last message to go on with: in the middle
 * of the longest run of messages that nobody has taken. Windows are sent row by row, and neighbours share the source
 * blocks that their worker has decoded: two workers that took turns along a row would decode each block twice.
 *
 * @param ids of the messages that may be delivered, ascending
 * @returns one of them; null where there is none
 */
export const middleOfLongestRun = (ids: readonly number[]): number | null => {
  let longest: readonly number[] = [];
  let run: number[] = [];
  for (const id of ids) {
    if (run.length > 0 && id !== (run.at(-1) ?? id) + 1) run = [];
    run.push(id);
    if (run.length > longest.length) longest = run;
  }
  return longest[longest.length >> 1] ?? null;
};
