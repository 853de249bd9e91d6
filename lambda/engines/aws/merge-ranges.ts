import type { ByteRange } from '../../raster/types.ts';
import { eachOf } from './each-of.ts';

/** Two ranges closer than this (bytes) are fetched in one request: a round trip costs more than the bytes between. */
export const MERGE_GAP = 64 * 1024;
/** No merged request is longer than this (bytes): memory stays bounded, and a retry stays cheap. */
export const MERGE_LIMIT = 8 * 1024 * 1024;

/** One request, and which of the asked-for ranges it answers (indices). */
export interface RangeRequest extends ByteRange {
  readonly members: readonly number[];
}

/** The requests that fetch all non-empty ranges, in order of offset. */
export const mergeRanges = (ranges: readonly ByteRange[]): RangeRequest[] => {
  const sorted = ranges
    .map(({ offset, length }, index) => ({ offset, length, index }))
    .filter(({ length }) => length > 0)
    .sort((a, b) => a.offset - b.offset);
  const requests: { offset: number; length: number; members: number[] }[] = [];
  for (const { offset, length, index } of sorted) {
    const last = requests.at(-1);
    if (last !== undefined) {
      const lastEnd = last.offset + last.length;
      const end = Math.max(lastEnd, offset + length);
      if (offset - lastEnd <= MERGE_GAP && end - last.offset <= MERGE_LIMIT) {
        last.length = end - last.offset;
        last.members.push(index);
        continue;
      }
    }
    requests.push({ offset, length, members: [index] });
  }
  return requests;
};

/** Fetches one request's bytes, exactly as many as asked for. */
export type FetchRange = (range: ByteRange) => Promise<Uint8Array<ArrayBuffer>>;

/**
 * Reads ranges through merged requests, `concurrency` of them at a time; one array per range, each with a buffer of
 * its own, because decoders wrap buffers from byte 0 and may take them away.
 */
export const readMerged = async (
  ranges: readonly ByteRange[],
  fetchRange: FetchRange,
  concurrency: number,
): Promise<Uint8Array<ArrayBuffer>[]> => {
  const parts = ranges.map(() => new Uint8Array(0));
  await eachOf(mergeRanges(ranges), concurrency, async (request) => {
    const bytes = await fetchRange(request);
    for (const index of request.members) {
      const range = ranges[index];
      if (range === undefined) continue;
      const start = range.offset - request.offset;
      const whole = range.length === bytes.byteLength && request.members.length === 1;
      parts[index] = whole ? bytes : bytes.slice(start, start + range.length);
    }
  });
  return parts;
};
