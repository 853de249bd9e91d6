import { mergeRanges } from '../../raster/source/merge-ranges.ts';
import type { ByteRange } from '../../raster/types.ts';
import { eachOf } from './each-of.ts';

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
