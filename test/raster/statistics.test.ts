import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { mergeStatistics, sceneStatistics, standardDeviation } from '../../lambda/raster/statistics.ts';
import type { BandStatistics } from '../../lambda/raster/types.ts';

/** By the definition, in two passes. */
function direct(values: readonly number[]): BandStatistics | null {
  if (values.length === 0) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    count: values.length,
    min: Math.min(...values),
    max: Math.max(...values),
    mean,
    m2: values.reduce((sum, value) => sum + (value - mean) ** 2, 0),
  };
}

const close = (actual: number, expected: number, scale: number): boolean =>
  Math.abs(actual - expected) <= 1e-9 * Math.max(1, scale);

const flat = (value: number): BandStatistics => ({ count: 1, min: value, max: value, mean: value, m2: 0 });

describe('statistics of a scene', () => {
  const value = fc.double({ min: -10_000, max: 10_000, noNaN: true });
  const windows = fc.array(fc.array(value, { maxLength: 30 }), { maxLength: 12 });

  it('are those of all its pixels, however they are cut into windows', () => {
    const run = fc.check(
      fc.property(windows, (parts) => {
        const merged = sceneStatistics(
          parts.map((part) => [direct(part)]),
          1,
        )[0];
        const whole = direct(parts.flat());
        if (whole === null || merged === null || merged === undefined) return merged === whole;
        return (
          merged.count === whole.count &&
          merged.min === whole.min &&
          merged.max === whole.max &&
          close(merged.mean ?? NaN, whole.mean ?? NaN, 10_000) &&
          close(merged.m2 ?? NaN, whole.m2 ?? NaN, 1e8 * whole.count)
        );
      }),
    );
    expect(run.counterexample).toBeNull();
  });

  it('keep the variance of small differences on a large mean', () => {
    const parts = Array.from({ length: 400 }, (_, i) => direct([1e8 + (i % 2), 1e8 + 1 - (i % 2)]));
    const [merged] = sceneStatistics(
      parts.map((part) => [part]),
      1,
    );
    expect(merged?.mean).toBeCloseTo(1e8 + 0.5, 6);
    expect(standardDeviation(merged ?? { count: 0, min: 0, max: 0, mean: 0, m2: 0 })).toBeCloseTo(0.5, 9);
  });

  it('are kept apart by band, and null where a band has no valid pixel', () => {
    const merged = sceneStatistics(
      [
        [direct([1, 2]), null],
        [direct([3]), null],
      ],
      2,
    );
    expect(merged).toEqual([{ count: 3, min: 1, max: 3, mean: 2, m2: 2 }, null]);
  });

  it('are not changed by a window without pixels', () => {
    const some = direct([4, 8]);
    expect(mergeStatistics(some, null)).toEqual(some);
    expect(mergeStatistics({ count: 0, min: 0, max: 0, mean: 0, m2: 0 }, some)).toEqual(some);
    expect(mergeStatistics(null, null)).toBeNull();
  });

  it('keep the mean of the largest numbers, and do not know a deviation that overflows', () => {
    const [low, high] = [-Number.MAX_VALUE, Number.MAX_VALUE].map((end) => ({ ...flat(end), count: 3 }));
    const merged = mergeStatistics(low ?? null, high ?? null);
    expect(merged).toEqual({ count: 6, min: -Number.MAX_VALUE, max: Number.MAX_VALUE, mean: 0, m2: null });
    expect(merged === null ? undefined : standardDeviation(merged)).toBeNull();
    // As it was: the distance of the means is infinite, and so are its product and its square.
    expect(0 + (Number.MAX_VALUE - -Number.MAX_VALUE) * (3 / 6)).toBe(Infinity);
    expect(mergeStatistics(flat(1e200), flat(-1e200))).toMatchObject({ mean: 0, m2: null });
    expect(mergeStatistics(flat(1e308), flat(1e308))).toEqual({ ...flat(1e308), count: 2 });
  });

  it('stay unknown once they are', () => {
    const unknown = { ...flat(1), mean: null, m2: null };
    expect(mergeStatistics(unknown, flat(3))).toEqual({ count: 2, min: 1, max: 3, mean: null, m2: null });
    expect(mergeStatistics(flat(3), { ...flat(1), m2: null })).toMatchObject({ mean: 2, m2: null });
  });
});
