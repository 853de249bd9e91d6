import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nextFloat } from '../../../lambda/raster/expression/sample-types.ts';
import { type FloatStore, anyOddNan, storeFloats } from '../../../lambda/raster/kernels/store-kernels.ts';
import { lendPlanes } from '../../../lambda/raster/kernels/plane-memory.ts';
import type { BandStatistics } from '../../../lambda/raster/types.ts';
import { seededRandom } from '../../support/cog-images.ts';
import { altered, firstDifference, firstOther, randomFloats, seeds } from './bits.ts';
import { MEMORIES, inMemory } from './in-planes.ts';

const { fround } = Math;

/** Values that float32 holds, rounds, cannot reach or takes for nothing, and those around each nodata below. */
const SPECIAL = [
  [0, -0, NaN, Infinity, -Infinity, 1e39, -1e39, 1e300, 3.4028234663852886e38, 3.4028235677973366e38, 1e-45, 7e-46],
  [-9999, -9999.0001, -9998.9990234375, 0.1, fround(0.1), 1e-50, -1e-50, 5e-324, 16_777_217, 255, 2 ** -126],
].flat();
const NODATA = [NaN, 0, -9999, fround(0.1), 255, fround(3.4028234663852886e38), fround(-3.4e38), fround(1e-45)];

/** `dense`: how many of the values are special. */
const valuesOf = (length: number, seed: number, dense: number): Float64Array<ArrayBuffer> => {
  const random = seededRandom(seed);
  return Float64Array.from({ length }, () =>
    random() < dense ? (SPECIAL[Math.floor(random() * SPECIAL.length)] ?? 0) : (random() - 0.5) * 2000,
  );
};

const storeOf = (nodata: number | null): FloatStore => ({
  nodata: nodata ?? NaN,
  nudged: nodata === null || Number.isNaN(nodata) ? NaN : nextFloat(nodata, 'float32'),
  hole: nodata ?? NaN,
});

interface Stored {
  readonly chunk: Float64Array<ArrayBuffer>;
  readonly pixels: Float32Array<ArrayBuffer>;
  readonly statistics: BandStatistics | null;
}

/** Pixels around those that are stored hold this. */
const BESIDE = -0.25;

const stored = (
  values: Float64Array<ArrayBuffer>,
  n: number,
  start: number,
  store: FloatStore,
  memory: (typeof MEMORIES)[number] = 'arrays',
): Stored => {
  if (memory === 'planes') return storedInPlanes(values, n, start, store);
  const chunk = values.slice();
  const pixels = new Float32Array(start + n + 5).fill(BESIDE);
  return { statistics: storeFloats(chunk, n, pixels, start, store), chunk, pixels };
};

const storedInPlanes = (values: Float64Array<ArrayBuffer>, n: number, start: number, store: FloatStore): Stored => {
  using lease = lendPlanes();
  const [chunk, pixels] = [lease.take(true, values.length), lease.take(false, start + n + 5)];
  if (!(chunk instanceof Float64Array && pixels instanceof Float32Array)) throw new RangeError('no room');
  chunk.set(values);
  const statistics = storeFloats(chunk, n, pixels.fill(BESIDE), start, store);
  return { statistics, chunk: chunk.slice(), pixels: pixels.slice() };
};

const expected = (values: Float64Array<ArrayBuffer>, n: number, start: number, store: FloatStore): Stored => {
  const chunk = values.slice();
  const pixels = new Float32Array(start + n + 5).fill(BESIDE);
  const valid: number[] = [];
  for (let i = 0; i < n; i++) {
    const single = fround(values[i] ?? NaN);
    const value = single === store.nodata ? store.nudged : single;
    chunk[i] = Number.isFinite(value) ? value : NaN;
    pixels[start + i] = Number.isFinite(value) ? value : store.hole;
    if (Number.isFinite(value)) valid.push(value);
  }
  if (valid.length === 0) return { chunk, pixels, statistics: null };
  const mean = valid.reduce((sum, value) => sum + value, 0) / valid.length;
  const m2 = valid.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const [min, max] = [valid.reduce((a, b) => (b < a ? b : a)), valid.reduce((a, b) => (b > a ? b : a))];
  return { chunk, pixels, statistics: { count: valid.length, min, max, mean, m2 } };
};

/** Whether sums that were added up in another order are the same but for rounding. */
const alike = (actual: BandStatistics | null, wanted: BandStatistics | null): boolean => {
  if (actual === null || wanted === null) return actual === wanted;
  const known = [actual.mean, actual.m2, wanted.mean, wanted.m2].map((value) => value ?? NaN);
  const [mean = NaN, m2 = NaN, wantedMean = NaN, wantedM2 = NaN] = known;
  const largest = Math.max(Math.abs(wanted.min), Math.abs(wanted.max));
  return (
    actual.count === wanted.count &&
    actual.min === wanted.min &&
    actual.max === wanted.max &&
    Math.abs(mean - wantedMean) <= 1e-13 * largest * wanted.count &&
    Math.abs(m2 - wantedM2) <= 1e-12 * (wantedM2 + largest)
  );
};

const lengths = fc.oneof(fc.integer({ min: 0, max: 70 }), fc.constantFrom(4094, 4095, 4096));
const stores = fc.constantFrom(null, ...NODATA).map(storeOf);
const densities = fc.constantFrom(0, 0.1, 1);
const cases = [lengths, fc.nat(5), fc.nat(9), stores, densities, seeds, fc.constantFrom(...MEMORIES)] as const;

describe('Values of an expression', () => {
  it('are stored as float32 with nodata aside, to the bit, and what was stored stands in the chunk; no other pixel changes', () => {
    fc.assert(
      fc.property(...cases, (n, spare, start, store, dense, seed, memory) => {
        const values = valuesOf(n + spare, seed, dense);
        const [actual, wanted] = [stored(values, n, start, store, memory), expected(values, n, start, store)];
        expect(firstDifference(actual.pixels, wanted.pixels)).toBe(-1);
        expect(firstOther(actual.chunk, wanted.chunk)).toBe(-1);
      }),
      { numRuns: 400 },
    );
  });

  it('have the statistics of what was stored, but for the order of sums', () => {
    fc.assert(
      fc.property(...cases, (n, spare, start, store, dense, seed, memory) => {
        const values = valuesOf(n + spare, seed, dense);
        const [actual, wanted] = [stored(values, n, start, store, memory), expected(values, n, start, store)];
        expect({ ...actual.statistics, alike: alike(actual.statistics, wanted.statistics) }).toEqual({
          ...actual.statistics,
          alike: true,
        });
      }),
      { numRuns: 400 },
    );
  });

  it('of NaNs of any kind are the one NaN that is written', () => {
    const odd = [
      0x7ff8000000000001n,
      0xfff8000000000000n,
      0x7ff0000000000001n,
      0xffffffffffffffffn,
      0x7ff8000000000000n,
    ];
    const { pixels } = stored(new Float64Array(BigUint64Array.from(odd).buffer), 5, 0, storeOf(null));
    expect(new Set(new Uint32Array(pixels.buffer, 0, 5))).toEqual(new Set([0x7fc00000]));
  });

  it('keep the precision of a spread that is small beside a large mean', () => {
    const values = Float64Array.from({ length: 4096 }, (_, i) => 16_000_000 + (i % 2));
    const { statistics } = stored(values, 4096, 0, storeOf(NaN));
    expect(statistics).toEqual({ count: 4096, min: 16_000_000, max: 16_000_001, mean: 16_000_000.5, m2: 1024 });
  });

  it('would be found wrong with a single altered pixel, value, or number of the statistics', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), seeds, fc.nat(), (n, seed, place) => {
        const values = valuesOf(n, seed, 0.1);
        const [actual, wanted] = [stored(values, n, 3, storeOf(0)), expected(values, n, 3, storeOf(0))];
        expect(firstDifference(altered(actual.pixels, place % (n + 3)), wanted.pixels)).toBe(place % (n + 3));
        const finite = wanted.chunk.findIndex((value) => Number.isFinite(value) && value !== 0);
        expect(finite < 0 || firstOther(altered(actual.chunk, finite), wanted.chunk) === finite).toBe(true);
      }),
    );
    const values = valuesOf(64, 1 << 20, 0);
    const right = expected(values, 64, 0, storeOf(null)).statistics;
    if (right === null) throw new Error('no valid value');
    for (const wrong of [
      { ...right, count: right.count - 1 },
      { ...right, min: right.min + 1e-9 },
      { ...right, max: right.max - 1e-9 },
      { ...right, mean: (right.mean ?? NaN) + 1e-8 },
      { ...right, m2: (right.m2 ?? NaN) * (1 + 1e-9) },
    ]) {
      expect(alike(wrong, right)).toBe(false);
    }
  });
});

describe('A NaN of other bits than the one that is written', () => {
  const isOdd = (pixels: Float32Array<ArrayBuffer>): boolean =>
    new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length).some(
      (word) => (word & 0x7fffffff) > 0x7f800000 && word !== 0x7fc00000,
    );
  const plain = (length: number): Float32Array<ArrayBuffer> =>
    Float32Array.from({ length }, (_, i) => [1, NaN, Infinity, -Infinity, -0, 1e-45][i % 6] ?? 0);

  it('is found among floats of any bits, wherever they begin, and where there is none, none is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 70 }), fc.nat(5), seeds, (length, start, seed) => {
        const pixels = randomFloats(length, seed, start);
        expect(anyOddNan(pixels)).toBe(isOdd(pixels));
        inMemory('planes', [pixels], ([plane = pixels]) => expect(anyOddNan(plane)).toBe(isOdd(pixels)));
        expect(anyOddNan(plain(start + length).subarray(start))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('is found alone, at every place of a vector and its tail, and on either side of a batch’s end', () => {
    const last = 64 * 1024;
    for (const [length, places] of [
      [23, Array.from({ length: 23 }, (_, i) => i)],
      [2 * last + 3, [0, last - 1, last, 2 * last - 1, 2 * last, 2 * last + 2]],
    ] as const) {
      const pixels = plain(length);
      expect(anyOddNan(pixels)).toBe(false);
      for (const at of places) {
        const words = new Uint32Array(pixels.slice().buffer);
        words[at] = 0xffc00000;
        expect(anyOddNan(new Float32Array(words.buffer))).toBe(true);
      }
    }
  });
});
