import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { joinFloats, splitFloats, undoDifferences } from '../../../lambda/raster/kernels/predictor-kernels.ts';
import {
  altered,
  amid,
  bytesOf,
  firstDifference,
  isAmidstUntouched,
  randomBytes,
  randomFloats,
  seeds,
  widths,
} from './bits.ts';
import { inMemory } from './in-planes.ts';

const WORDS = { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array } as const;
type Bits = keyof typeof WORDS;

/** Each sample plus the one `stride` before it in its row, modulo the type's range. */
const summed = (
  bytes: Uint8Array<ArrayBuffer>,
  bits: Bits,
  rows: number,
  rowSamples: number,
  stride: number,
): Uint8Array<ArrayBuffer> => {
  const samples = new WORDS[bits](bytes.slice().buffer);
  for (let row = 0; row < rows; row++) {
    for (let i = stride; i < rowSamples; i++) {
      const at = row * rowSamples + i;
      samples[at] = (samples[at] ?? 0) + (samples[at - stride] ?? 0);
    }
  }
  return bytesOf(samples);
};

/** Of each row the bytes of all its floats, highest first, each as its difference to the byte before. */
const planes = (samples: Float32Array<ArrayBuffer>, columns: number): Uint8Array<ArrayBuffer> => {
  const bytes = bytesOf(samples);
  const rowBytes = columns * 4;
  return bytes.map((_, at) => {
    const row = Math.floor(at / rowBytes) * rowBytes;
    const sorted = (place: number): number =>
      place < 0 ? 0 : (bytes[row + (place % columns) * 4 + 3 - Math.floor(place / columns)] ?? 0);
    return sorted(at - row) - sorted(at - row - 1);
  });
};

const undone = (bytes: Uint8Array<ArrayBuffer>, ...layout: [Bits, number, number, number]): Uint8Array<ArrayBuffer> => {
  undoDifferences(bytes, ...layout);
  return bytes;
};

const split = (samples: Float32Array<ArrayBuffer>, columns: number, start = 0): Uint8Array<ArrayBuffer> => {
  const target = amid(new Uint8Array(samples.byteLength), start);
  splitFloats(samples, target, columns);
  return target;
};

const bitsOf = fc.constantFrom<Bits[]>(8, 16, 32);
const starts = fc.integer({ min: 0, max: 19 });
const rowCounts = fc.integer({ min: 1, max: 5 });
const strides = fc.integer({ min: 1, max: 8 });
/** Rows, columns and stride: rows of which many fill a batch of 64 KB, and such that are larger than one. */
const LARGE = [
  [40, 1000, 1],
  [20, 1000, 3],
  [2, 66_001, 1],
  [2, 20_001, 4],
  [500, 33, 2],
] as const;

describe('Differences of integers', () => {
  it('are undone in rows of any width, for any stride, wherever they begin, and nothing beside them is', () => {
    fc.assert(
      fc.property(bitsOf, rowCounts, widths, strides, starts, seeds, (bits, rows, columns, stride, start, seed) => {
        const rowSamples = columns * stride;
        const given = randomBytes((rows * rowSamples * bits) / 8, seed);
        const actual = undone(amid(given, start), bits, rows, rowSamples, stride);
        expect(firstDifference(actual, summed(given, bits, rows, rowSamples, stride))).toBe(-1);
        expect(isAmidstUntouched(actual)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('are undone in rows that are no whole pixels, and in such that are shorter than the stride', () => {
    fc.assert(
      fc.property(bitsOf, rowCounts, widths, strides, seeds, (bits, rows, rowSamples, stride, seed) => {
        const given = randomBytes((rows * rowSamples * bits) / 8, seed);
        const actual = undone(given.slice(), bits, rows, rowSamples, stride);
        expect(firstDifference(actual, summed(given, bits, rows, rowSamples, stride))).toBe(-1);
      }),
      { numRuns: 500 },
    );
  });

  it.each(LARGE)('are undone in several batches: %d rows of %d px, stride %d', (rows, columns, stride) => {
    for (const bits of [8, 16, 32] as const) {
      const given = randomBytes((rows * columns * stride * bits) / 8, rows);
      const actual = undone(given.slice(), bits, rows, columns * stride, stride);
      expect(firstDifference(actual, summed(given, bits, rows, columns * stride, stride))).toBe(-1);
    }
  });

  it('would be found not to be with a single altered sample, or another stride', () => {
    fc.assert(
      fc.property(bitsOf, rowCounts, widths, seeds, fc.nat(), (bits, rows, columns, seed, place) => {
        const given = randomBytes((rows * columns * bits) / 8, seed);
        const samples = undone(given.slice(), bits, rows, columns, 1);
        const size = bits / 8;
        const index = place % (rows * columns);
        expect(firstDifference(altered(samples, index * size), summed(given, bits, rows, columns, 1))).toBe(
          index * size,
        );
      }),
    );
    const given = Uint8Array.from({ length: 64 }, (_, i) => i + 1);
    expect(firstDifference(undone(given.slice(), 16, 1, 32, 2), summed(given, 16, 1, 32, 1))).toBe(2);
  });
});

describe('The floating point predictor of float32', () => {
  it('is applied to floats of any bits in rows of any width', () => {
    fc.assert(
      fc.property(rowCounts, widths, starts, seeds, (rows, columns, start, seed) => {
        const samples = randomFloats(rows * columns, seed, start);
        const actual = split(samples, columns, start);
        expect(firstDifference(actual, planes(samples, columns))).toBe(-1);
        expect(isAmidstUntouched(actual)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('is applied between planes as it is between arrays', () => {
    fc.assert(
      fc.property(rowCounts, widths, seeds, (rows, columns, seed) => {
        const samples = randomFloats(rows * columns, seed);
        const bytes = new Float32Array(rows * columns);
        const [, target = bytes] = inMemory('planes', [samples, bytes], ([from = samples, to = bytes]) =>
          splitFloats(from, bytesOf(to), columns),
        );
        expect(firstDifference(bytesOf(target), planes(samples, columns))).toBe(-1);
      }),
      { numRuns: 500 },
    );
  });

  it('is undone to the very bits: NaNs of any kind, zeros with their signs, subnormals, infinities', () => {
    fc.assert(
      fc.property(rowCounts, widths, starts, seeds, (rows, columns, start, seed) => {
        const samples = randomFloats(rows * columns, seed);
        const actual = amid(planes(samples, columns), start);
        joinFloats(actual, rows, columns);
        expect(firstDifference(actual, bytesOf(samples))).toBe(-1);
        expect(isAmidstUntouched(actual)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(LARGE.map(([rows, columns]) => ({ rows, columns })))(
    'is applied and undone in several batches: $rows rows of $columns px',
    ({ rows, columns }) => {
      const samples = randomFloats(rows * columns, columns);
      const bytes = split(samples, columns);
      expect(firstDifference(bytes, planes(samples, columns))).toBe(-1);
      joinFloats(bytes, rows, columns);
      expect(firstDifference(bytes, bytesOf(samples))).toBe(-1);
    },
  );

  it('leaves the samples it is applied to as they are', () => {
    const samples = randomFloats(99, 8);
    split(samples, 33);
    expect(firstDifference(samples, randomFloats(99, 8))).toBe(-1);
  });

  it('would be found wrong with a single altered byte, or another width', () => {
    fc.assert(
      fc.property(rowCounts, widths, seeds, fc.nat(), (rows, columns, seed, place) => {
        const samples = randomFloats(rows * columns, seed);
        const index = place % (samples.length * 4);
        expect(firstDifference(altered(split(samples, columns), index), planes(samples, columns))).toBe(index);
        const joined = planes(samples, columns);
        joinFloats(joined, rows, columns);
        expect(firstDifference(altered(joined, index), bytesOf(samples))).toBe(index);
      }),
    );
    const samples = randomFloats(64, 5);
    expect(firstDifference(split(samples, 32), planes(samples, 16))).toBeGreaterThanOrEqual(0);
  });
});
