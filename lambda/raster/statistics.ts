import type { BandStatistics } from './types.ts';

/**
 * Statistics of the union of two disjoint sets of pixels, from the statistics of each; null is the empty set.
 * Source: T. F. Chan, G. H. Golub and R. J. LeVeque, "Updating formulae and a pairwise algorithm for computing sample
 * variances", 1979.
 *
 * Rounding makes the last bits of `mean` and `m2` depend on the order of merging: merge in the order of windows.
 */
export function mergeStatistics(a: BandStatistics | null, b: BandStatistics | null): BandStatistics | null {
  if (a === null || a.count === 0) return b === null || b.count === 0 ? null : b;
  if (b === null || b.count === 0) return a;
  const count = a.count + b.count;
  const range = { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
  if (a.mean === null || b.mean === null) return { count, ...range, mean: null, m2: null };
  const delta = b.mean - a.mean;
  const mean = Number.isFinite(delta)
    ? a.mean + delta * (b.count / count)
    : a.mean * (a.count / count) + b.mean * (b.count / count);
  const m2 = a.m2 === null || b.m2 === null ? null : a.m2 + b.m2 + delta * delta * ((a.count * b.count) / count);
  return { count, ...range, mean, m2: finiteOrNull(m2) };
}

/** A sum that a float64 holds; null, not known, where it overflowed. */
export function finiteOrNull(value: number | null): number | null {
  return Number.isFinite(value) ? value : null;
}

/**
 * Statistics of each band of a scene from those of its windows.
 *
 * @param windows one entry per window in the order of window names, each with one entry per band; EMPTY windows may be
 *   left out, they change nothing.
 * @param bandCount bands of the output.
 * @returns one entry per band; null where no window has a valid pixel of it.
 */
export function sceneStatistics(
  windows: Iterable<readonly (BandStatistics | null)[]>,
  bandCount: number,
): (BandStatistics | null)[] {
  const bands = Array.from<unknown, BandStatistics | null>({ length: bandCount }, () => null);
  for (const window of windows) {
    for (let band = 0; band < bandCount; band += 1) {
      bands[band] = mergeStatistics(bands[band] ?? null, window[band] ?? null);
    }
  }
  return bands;
}

/**
 * Standard deviation of the valid pixels themselves (divided by the count, not by count - 1), in the band's units; null
 * where it is not known.
 */
export function standardDeviation(statistics: BandStatistics): number | null {
  if (statistics.m2 === null) return null;
  return statistics.count === 0 ? 0 : Math.sqrt(Math.max(0, statistics.m2) / statistics.count);
}
