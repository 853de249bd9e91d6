import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type SampleRect, type VectorSamples, convertRect } from '../../../lambda/raster/kernels/sample-kernels.ts';
import { seededRandom } from '../../support/cog-images.ts';
import { altered, firstDifference, seeds, widths } from './bits.ts';
import { type FloatBands, MEMORIES, inMemory } from './in-planes.ts';

const TYPES = {
  uint8: { make: (length: number) => new Uint8Array(length), values: [0, 1, 127, 128, 200, 255] },
  uint16: { make: (length: number) => new Uint16Array(length), values: [0, 1, 255, 256, 32_767, 32_768, 65_535] },
  int16: { make: (length: number) => new Int16Array(length), values: [-32_768, -1, 0, 1, 255, 32_767] },
} as const;

/** In each type's range and beyond it, such as wrap around to a value of one, and what no sample can be. */
const NODATA = [
  [null, NaN, 0, -0, 1, -1, 127, 128, 200, 255, 256, 511, -256, 32_767, 32_768, -32_768, -32_769, 65_535, 65_536],
  [65_537, -65_535, -65_536, 131_072, 2 ** 32, 2 ** 32 + 1, -(2 ** 32), 1e300, 0.5, 254.999, Infinity, -Infinity],
].flat();

/** Every third sample is one of those that a nodata is likely to be; they begin `start` into their buffer. */
const samplesOf = (type: keyof typeof TYPES, length: number, seed: number, start = 0): VectorSamples => {
  const random = seededRandom(seed);
  const { make, values } = TYPES[type];
  const all = make(start + length);
  for (let i = 0; i < all.length; i++) {
    all[i] = random() < 1 / 3 ? (values[Math.floor(random() * values.length)] ?? 0) : Math.floor(random() * 65_536);
  }
  return all.subarray(start);
};

/** A window that holds a value which no conversion makes. */
const window = (length: number): Float32Array<ArrayBuffer> => new Float32Array(length).fill(-0.25);

/** A band of the block, by its place among the samples of a pixel, and the value that becomes NaN. */
interface Band {
  readonly sample: number;
  readonly nodata: number | null;
}

const converted = (
  source: VectorSamples,
  length: number,
  rect: SampleRect,
  bands: readonly Band[],
  memory: (typeof MEMORIES)[number],
): FloatBands =>
  inMemory(
    memory,
    bands.map(() => window(length)),
    (targets) => {
      const into = bands.flatMap((band, i) => targets.slice(i, i + 1).map((pixels) => ({ ...band, pixels })));
      convertRect(source, rect, into);
    },
  );

const expected = (
  source: VectorSamples,
  length: number,
  { width, height, from, step, fromRow, to, toRow }: SampleRect,
  bands: readonly Band[],
): readonly Float32Array<ArrayBuffer>[] =>
  bands.map(({ sample, nodata }) => {
    const target = window(length);
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; column++) {
        const value = source[from + row * fromRow + column * step + sample] ?? 0;
        target[to + row * toRow + column] = value === nodata ? NaN : value;
      }
    }
    return target;
  });

/** Of each band the first pixel that differs, or -1. */
const differences = (
  actual: readonly Float32Array<ArrayBuffer>[],
  wanted: readonly Float32Array<ArrayBuffer>[],
): readonly number[] => wanted.map((pixels, band) => firstDifference(actual[band] ?? new Float32Array(0), pixels));

/** A rectangle inside a block of `step` bands and a window, each with pixels around it or without. */
const places = fc
  .record({
    width: widths,
    height: fc.integer({ min: 1, max: 5 }),
    step: fc.integer({ min: 1, max: 8 }),
    before: fc.nat(3),
    after: fc.nat(3),
    toBefore: fc.constantFrom(0, 0, 1, 5),
    toAfter: fc.constantFrom(0, 0, 1, 5),
  })
  .map(({ width, height, step, before, after, toBefore, toAfter }) => {
    const fromRow = (before + width + after) * step;
    const toRow = toBefore + width + toAfter;
    const rect = { width, height, step, from: before * step, fromRow, to: toBefore, toRow };
    return { rect, samples: fromRow * height, pixels: toRow * height };
  });

const memories = fc.constantFrom(...MEMORIES);
const types = fc.constantFrom('uint8', 'uint16', 'int16');
/** Some of a pixel's samples, in any order, also none or one twice. */
const bandLists = fc.array(fc.record({ sample: fc.nat(7), nodata: fc.constantFrom(...NODATA) }), { maxLength: 5 });
const within = (bands: readonly Band[], step: number): readonly Band[] =>
  bands.map(({ sample, nodata }) => ({ sample: sample % step, nodata }));

describe('Samples of a block', () => {
  it('become floats, and NaN where they equal nodata, for any type, nodata, place, bands and width; no other pixel changes', () => {
    const starts = fc.integer({ min: 0, max: 17 });
    fc.assert(
      fc.property(types, places, bandLists, starts, seeds, memories, (type, place, list, start, seed, memory) => {
        const { rect, samples, pixels } = place;
        const source = samplesOf(type, samples, seed, start);
        const bands = within(list, rect.step);
        const actual = converted(source, pixels, rect, bands, memory);
        expect(differences(actual, expected(source, pixels, rect, bands))).toEqual(bands.map(() => -1));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['many batches of rows', 300, 301, 1],
    ['rows that are larger than a batch', 40_001, 3, 1],
    ['rows that are larger than what planes have beside them', 300_001, 2, 2],
    ['bands side by side', 900, 40, 3],
    ['four bands side by side', 900, 40, 4],
    ['pixels in rows without gaps', 512, 100, 1],
  ])('are converted in batches: %s', (_, width, height, step) => {
    for (const type of ['uint8', 'uint16', 'int16'] as const) {
      for (const gap of [0, 7]) {
        const toRow = width + gap;
        const rect = { width, height, step, from: 0, fromRow: width * step, to: gap, toRow };
        const source = samplesOf(type, width * height * step, width);
        const length = toRow * height + gap;
        const bands = [...Array(step).keys()].map((sample) => ({ sample, nodata: 200 }));
        for (const memory of MEMORIES) {
          const actual = converted(source, length, rect, bands, memory);
          expect(differences(actual, expected(source, length, rect, bands))).toEqual(bands.map(() => -1));
        }
      }
    }
  });

  it('are those of most of four bands, in any order and one twice, with one nodata or several', () => {
    const samples = fc.array(fc.nat(3), { minLength: 3, maxLength: 5 });
    const nodata = fc.constantFrom(...NODATA);
    const fours = places.map(({ rect, samples: count, pixels }) => ({
      rect: { ...rect, step: 4, from: (rect.from / rect.step) * 4, fromRow: (rect.fromRow / rect.step) * 4 },
      samples: (count / rect.step) * 4,
      pixels,
    }));
    fc.assert(
      fc.property(types, fours, samples, nodata, nodata, seeds, (type, place, order, one, other, seed) => {
        const source = samplesOf(type, place.samples, seed);
        for (const last of [one, other]) {
          const bands = order.map((sample, i) => ({ sample, nodata: i === order.length - 1 ? last : one }));
          const actual = converted(source, place.pixels, place.rect, bands, 'arrays');
          expect(differences(actual, expected(source, place.pixels, place.rect, bands))).toEqual(bands.map(() => -1));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are each of the type’s values, with and without each of them as nodata', () => {
    for (const type of ['uint8', 'uint16', 'int16'] as const) {
      const count = type === 'uint8' ? 256 : 65_536;
      const source = TYPES[type].make(count).map((_, index) => index);
      const rect = { width: count, height: 1, step: 1, from: 0, fromRow: count, to: 0, toRow: count };
      const bands = NODATA.map((nodata) => ({ sample: 0, nodata }));
      const actual = converted(source, count, rect, bands, 'arrays');
      expect(differences(actual, expected(source, count, rect, bands))).toEqual(bands.map(() => -1));
    }
  });

  it('would be found wrong with a single altered pixel, a nodata one off, or another band', () => {
    fc.assert(
      fc.property(types, places, fc.constantFrom(...NODATA), seeds, fc.nat(), (type, given, nodata, seed, place) => {
        const { rect, samples, pixels } = given;
        const source = samplesOf(type, samples, seed);
        const bands = [{ sample: 0, nodata }];
        const actual = converted(source, pixels, rect, bands, 'planes').map((band) => altered(band, place % pixels));
        expect(differences(actual, expected(source, pixels, rect, bands))).toEqual([place % pixels]);
      }),
    );
    const rect = { width: 4, height: 1, step: 2, from: 0, fromRow: 8, to: 0, toRow: 4 };
    const source = Uint16Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    const right = expected(source, 4, rect, [{ sample: 0, nodata: 5 }]);
    expect(differences(converted(source, 4, rect, [{ sample: 0, nodata: 5 }], 'arrays'), right)).toEqual([-1]);
    expect(differences(converted(source, 4, rect, [{ sample: 0, nodata: 6 }], 'arrays'), right)).toEqual([2]);
    expect(differences(converted(source, 4, rect, [{ sample: 1, nodata: 5 }], 'arrays'), right)).toEqual([0]);
  });
});
