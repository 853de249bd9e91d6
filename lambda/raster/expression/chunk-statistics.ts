/* oxlint-disable typescript/no-unsafe-type-assertion -- index reads: see kernels.ts. */
import { finiteOrNull } from '../statistics.ts';
import type { BandStatistics } from '../types.ts';
import type { Chunk } from './kernels.ts';

/**
 * Statistics of a chunk's first n values that are not NaN, or null where all are. Two passes, the mean first, so that a
 * large mean costs no precision; chunks merge by Chan's formula.
 */
export const chunkStatistics = (chunk: Chunk, n: number): BandStatistics | null =>
  completeStatistics(chunk, n) ?? statisticsWithHoles(chunk, n);

/** Those of a chunk without holes, to which most belong; null where there is a hole: any NaN makes the sum NaN. */
const completeStatistics = (chunk: Chunk, n: number): BandStatistics | null => {
  let min = Infinity;
  let max = -Infinity;
  let sum = 0;
  for (let i = 0; i < n; i += 1) {
    const value = chunk[i] as number;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (n === 0 || Number.isNaN(sum)) return null;
  const mean = Number.isFinite(sum) ? sum / n : meanOfLarge(chunk, n, { count: n, min, max });
  let m2 = 0;
  for (let i = 0; i < n; i += 1) {
    const deviation = (chunk[i] as number) - mean;
    m2 += deviation * deviation;
  }
  return { count: n, min, max, mean, m2: finiteOrNull(m2) };
};

const statisticsWithHoles = (chunk: Chunk, n: number): BandStatistics | null => {
  let count = 0;
  let min = Infinity;
  let max = -Infinity;
  let sum = 0;
  for (let i = 0; i < n; i += 1) {
    const value = chunk[i] as number;
    if (Number.isNaN(value)) continue;
    count += 1;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (count === 0) return null;
  const mean = Number.isFinite(sum) ? sum / count : meanOfLarge(chunk, n, { count, min, max });
  let m2 = 0;
  for (let i = 0; i < n; i += 1) {
    const deviation = (chunk[i] as number) - mean;
    if (!Number.isNaN(deviation)) m2 += deviation * deviation;
  }
  return { count, min, max, mean, m2: finiteOrNull(m2) };
};

/** The mean of values whose sum a float64 does not hold, though it holds each of them. */
const meanOfLarge = (
  chunk: Chunk,
  n: number,
  { count, min, max }: Pick<BandStatistics, 'count' | 'min' | 'max'>,
): number => {
  // A power of two takes no bit from values as large as these.
  const share = 2 ** -Math.ceil(Math.log2(count) + 1);
  let sum = 0;
  for (let i = 0; i < n; i += 1) {
    const value = chunk[i] as number;
    if (!Number.isNaN(value)) sum += value * share;
  }
  // Rounding may go beyond the largest number.
  return Math.min(max, Math.max(min, sum / count / share));
};
