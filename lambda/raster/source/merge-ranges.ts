import type { ByteRange } from '../types.ts';

/** Two ranges closer than this (bytes) are read in one piece: a round trip costs more than the bytes between them. */
export const MERGE_GAP = 64 * 1024;
/** No merged read is longer than this (bytes): memory stays bounded, and a retry stays cheap. */
export const MERGE_LIMIT = 8 * 1024 * 1024;

/** One read, and which of the asked-for ranges it answers (indices). */
export interface MergedRange extends ByteRange {
  readonly members: readonly number[];
}

/** The reads that bring all non-empty ranges, in order of offset. Merging what was merged changes nothing. */
export const mergeRanges = (ranges: readonly ByteRange[]): MergedRange[] => {
  const sorted = ranges
    .map(({ offset, length }, index) => ({ offset, length, index }))
    .filter(({ length }) => length > 0)
    .sort((a, b) => a.offset - b.offset);
  const merged: { offset: number; length: number; members: number[] }[] = [];
  for (const { offset, length, index } of sorted) {
    const last = merged.at(-1);
    if (last !== undefined) {
      const lastEnd = last.offset + last.length;
      const end = Math.max(lastEnd, offset + length);
      if (offset - lastEnd <= MERGE_GAP && end - last.offset <= MERGE_LIMIT) {
        last.length = end - last.offset;
        last.members.push(index);
        continue;
      }
    }
    merged.push({ offset, length, members: [index] });
  }
  return merged;
};
