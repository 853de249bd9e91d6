import type { BandStatistics } from '../types.ts';
import { ARENA_START, type Arena, aligned, arenaOf, kernels } from './arena.ts';
import { planesOf } from './plane-memory.ts';

/** What of a float32 output decides how a value is stored. */
export interface FloatStore {
  /** NaN: no value is nodata. */
  readonly nodata: number;
  /** What a valid value that equals nodata is stored as. */
  readonly nudged: number;
  /** What stands where there is no data. */
  readonly hole: number;
}

/** Count, min, max, mean, m2. */
const STATISTICS_BYTES = 40;

/**
 * Stores a chunk's first n values into float32 pixels from `start` on, and leaves in the chunk what was stored, NaN where
 * there is no data. The statistics are of the stored values, the mean first, so that a large mean costs no precision.
 */
export const storeFloats = (
  chunk: Float64Array<ArrayBuffer>,
  n: number,
  pixels: Float32Array<ArrayBuffer>,
  start: number,
  { nodata, nudged, hole }: FloatStore,
): BandStatistics | null => {
  // Of an odd number the kernel would write one more.
  const planes = n % 2 === 0 ? planesOf([chunk, pixels]) : null;
  if (planes !== null) {
    const { byteOffset } = pixels;
    planes.kernels.storeFloats(chunk.byteOffset, n, byteOffset + start * 4, nodata, nudged, hole, ARENA_START);
    return statisticsAt(planes, ARENA_START);
  }
  const values = ARENA_START;
  // The kernel works in pairs.
  const out = aligned(values + (n + 1) * 8);
  const statistics = aligned(out + (n + 1) * 4);
  const arena = arenaOf(statistics + STATISTICS_BYTES);
  const { floats, doubles } = arena;
  doubles.set(n === chunk.length ? chunk : chunk.subarray(0, n), values / 8);
  kernels.storeFloats(values, n, out, nodata, nudged, hole, statistics);
  chunk.set(doubles.subarray(values / 8, values / 8 + n));
  pixels.set(floats.subarray(out / 4, out / 4 + n), start);
  return statisticsAt(arena, statistics);
};

const statisticsAt = ({ doubles }: Arena, position: number): BandStatistics | null => {
  const [count = 0, min = 0, max = 0, mean = 0, m2 = 0] = doubles.subarray(position / 8, position / 8 + 5);
  return count === 0 ? null : { count, min, max, mean, m2 };
};

/** Floats that go through the kernels' memory at a time. */
const SEARCHED = 64 * 1024;

/** Whether a NaN of the pixels has other bits than the one that is written. */
export const anyOddNan = (pixels: Float32Array<ArrayBuffer>): boolean => {
  const planes = planesOf([pixels]);
  if (planes !== null) return planes.kernels.hasOddNan32(pixels.byteOffset, pixels.length) !== 0;
  for (let start = 0; start < pixels.length; start += SEARCHED) {
    const some = pixels.subarray(start, start + SEARCHED);
    arenaOf(some.byteLength).floats.set(some, ARENA_START / 4);
    if (kernels.hasOddNan32(ARENA_START, some.length) !== 0) return true;
  }
  return false;
};
