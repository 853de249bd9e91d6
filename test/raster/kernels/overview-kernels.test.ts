import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { halveFloats } from '../../../lambda/raster/kernels/overview-kernels.ts';
import { MEMORIES, inMemory } from './in-planes.ts';

interface Band {
  readonly columns: number;
  readonly rows: number;
  readonly stride: number;
  readonly pixels: Float32Array<ArrayBuffer>;
}

/** The mean as its definition says it: two by two in reading order, each line from its first valid pixel on. */
const meanOfFour = (four: readonly number[], nodata: number, nudged: number): number => {
  const isValid = (value: number) => !Number.isNaN(value) && value !== nodata;
  const lineOf = ([left = 0, right = 0]: readonly number[]) =>
    (isValid(left) ? left : 0) + (isValid(right) ? right : -0);
  const count = four.filter(isValid).length;
  if (count === 0) return nodata;
  const mean = Math.fround((lineOf(four.slice(0, 2)) + lineOf(four.slice(2))) / count);
  return mean === nodata ? nudged : mean;
};

const halved = ({ columns, rows, stride, pixels }: Band, nodata: number, nudged: number): number[] =>
  Array.from({ length: columns * rows }, (_, at) => {
    const corner = 2 * Math.floor(at / columns) * stride + 2 * (at % columns);
    const four = [corner, corner + 1, corner + stride, corner + stride + 1].map((index) => pixels[index] ?? NaN);
    return meanOfFour(four, nodata, nudged);
  });

const kernelOf = (
  { pixels, stride, columns, rows }: Band,
  nodata: number,
  nudged: number,
  memory: (typeof MEMORIES)[number] = 'arrays',
): number[] => {
  const out = new Float32Array(columns * rows);
  inMemory(memory, [pixels], ([band = pixels]) => halveFloats(band, stride, out, columns, rows, { nodata, nudged }));
  return [...out];
};

const NODATA = -9999;
const sample = fc.oneof(
  { weight: 3, arbitrary: fc.float({ noDefaultInfinity: true }) },
  fc.constantFrom(NODATA, NaN, 0, -0, Infinity, -Infinity, 1, 3, -1, 1e-45, 3.4e38),
);

const band = fc
  .record({
    columns: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(31, 32, 33)),
    rows: fc.integer({ min: 1, max: 4 }),
    spare: fc.integer({ min: 0, max: 3 }),
  })
  .chain(({ columns, rows, spare }) => {
    const stride = 2 * columns + spare;
    const length = stride * rows * 2;
    return fc
      .array(sample, { minLength: length, maxLength: length })
      .map((values): Band => ({ columns, rows, stride, pixels: Float32Array.from(values) }));
  });

it('is the mean of the valid pixels, to the last bit and the sign of zero, wherever some are missing', () => {
  fc.assert(
    fc.property(band, fc.constantFrom(NODATA, NaN, 0), fc.constantFrom(...MEMORIES), (pixels, nodata, memory) => {
      const nudged = Number.isNaN(nodata) ? NaN : nodata + 1;
      expect(kernelOf(pixels, nodata, nudged, memory)).toEqual(halved(pixels, nodata, nudged));
    }),
    { numRuns: 500 },
  );
});

it('reads a part of a longer array, and more than goes through the memory at a time', () => {
  const [columns, rows, start] = [1023, 70, 5];
  const all = Float32Array.from({ length: start + 4 * columns * rows }, (_, i) => (i % 11 === 0 ? NaN : Math.sin(i)));
  const pixels = { columns, rows, stride: 2 * columns, pixels: all.subarray(start) };
  const wanted = halved(pixels, NaN, NaN);
  expect(kernelOf(pixels, NaN, NaN)).toEqual(wanted);
  expect(kernelOf(pixels, NaN, NaN, 'planes')).toEqual(wanted);
});

it('would not pass with one pixel altered', () => {
  const pixels = { columns: 5, rows: 2, stride: 10, pixels: Float32Array.from({ length: 40 }, (_, i) => i / 3) };
  const before = halved(pixels, NODATA, 0);
  pixels.pixels[39] = 13.5;
  expect(kernelOf(pixels, NODATA, 0)).not.toEqual(before);
});
