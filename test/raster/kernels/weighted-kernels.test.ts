import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AxisSpans } from '../../../lambda/raster/cog/overview.ts';
import type { FloatStore } from '../../../lambda/raster/kernels/store-kernels.ts';
import { areShort, averageFloats } from '../../../lambda/raster/kernels/weighted-kernels.ts';

interface Span {
  readonly start: number;
  readonly length: number;
  readonly first: number;
  readonly last: number;
}

interface Band {
  readonly columns: readonly Span[];
  readonly rows: readonly Span[];
  readonly stride: number;
  readonly pixels: Float32Array<ArrayBuffer>;
}

const axisOf = (spans: readonly Span[]): AxisSpans => ({
  first: 0,
  count: spans.length,
  length: spans.length,
  start: Int32Array.from(spans, ({ start }) => start),
  end: Int32Array.from(spans, ({ start, length }) => start + length),
  startWeight: Float64Array.from(spans, ({ first }) => first),
  endWeight: Float64Array.from(spans, ({ last }) => last),
  nearest: new Int32Array(spans.length),
  halved: false,
});

const shareOf = ({ length, first, last }: Span, pixel: number): number => {
  if (pixel === 0) return first;
  return pixel === length - 1 ? last : 1;
};

/** The mean as its definition says it: line by line, each from its first pixel on. */
const meanOf = ({ stride, pixels }: Band, column: Span, row: Span, { nodata, nudged, hole }: FloatStore): number => {
  let [total, weight, count] = [0, 0, 0];
  for (let y = 0; y < row.length; y++) {
    let [lineTotal, lineWeight] = [0, 0];
    for (let x = 0; x < column.length; x++) {
      const value = pixels[(row.start + y) * stride + column.start + x] ?? NaN;
      if (Number.isNaN(value) || value === nodata) continue;
      lineTotal += value * shareOf(column, x);
      lineWeight += shareOf(column, x);
      count++;
    }
    total += lineTotal * shareOf(row, y);
    weight += lineWeight * shareOf(row, y);
  }
  if (count === 0) return hole;
  const mean = Math.fround(total / weight);
  return mean === nodata ? nudged : mean;
};

const loopOf = (band: Band, holes: FloatStore): number[] =>
  band.rows.flatMap((row) => band.columns.map((column) => meanOf(band, column, row, holes)));

const kernelOf = ({ columns, rows, stride, pixels }: Band, holes: FloatStore): number[] => {
  const out = new Float32Array(columns.length * rows.length);
  averageFloats(pixels, stride, out, axisOf(columns), axisOf(rows), holes);
  return [...out];
};

const NODATA = -9999;
const holesOf = (nodata: number, hole: number): FloatStore => ({
  nodata,
  nudged: Number.isNaN(nodata) ? NaN : nodata + 1,
  hole,
});

const sample = fc.oneof(
  { weight: 9, arbitrary: fc.float({ noDefaultInfinity: true, noNaN: true }) },
  fc.constantFrom(NODATA, NaN, 0, -0, Infinity, -Infinity, 1, 3, -1, 1e-45, 3.4e38),
);

/** Spans as a source with an odd side has them, or of any lengths. */
const spans = (most: number) =>
  fc
    .tuple(
      fc.boolean(),
      fc.array(
        fc.record({
          step: fc.integer({ min: 1, max: 3 }),
          length: fc.integer({ min: 1, max: 3 }),
          first: fc.double({ min: 0.001, max: 1, noNaN: true }),
          last: fc.double({ min: 0.001, max: 1, noNaN: true }),
        }),
        { minLength: 1, maxLength: most },
      ),
    )
    .map(([regular, parts]) => {
      let [start, end] = [0, 0];
      return parts.map(({ step, length, first, last }): Span => {
        const span = { start, length: regular ? 3 : Math.max(length, end - start), first, last };
        end = start + span.length;
        start += regular ? 2 : step;
        return span;
      });
    });

const reachOf = (axis: readonly Span[]): number => Math.max(...axis.map(({ start, length }) => start + length));

const band = fc
  .record({ columns: spans(21), rows: spans(5), spare: fc.integer({ min: 0, max: 3 }) })
  .chain(({ columns, rows, spare }) => {
    const stride = reachOf(columns) + spare;
    const length = stride * reachOf(rows);
    return fc
      .array(sample, { minLength: length, maxLength: length })
      .map((values): Band => ({ columns, rows, stride, pixels: Float32Array.from(values) }));
  });

/** Spans of the overview of so many pixels, an odd number. */
const oddSpans = (source: number): Span[] => {
  const count = (source + 1) / 2;
  const ratio = source / count;
  return Array.from({ length: count }, (_, i) => {
    const start = Math.floor(i * ratio + 1e-8);
    const end = Math.ceil((i + 1) * ratio - 1e-8);
    return { start, length: end - start, first: 1 - (i * ratio - start), last: 1 - (end - (i + 1) * ratio) };
  });
};

describe('a weighted mean', () => {
  it('is that of the valid pixels, to the last bit and the sign of zero, wherever some are missing', () => {
    fc.assert(
      fc.property(band, fc.constantFrom(NODATA, NaN, 0), fc.constantFrom(0, NaN, NODATA), (pixels, nodata, hole) => {
        const holes = holesOf(nodata, hole);
        expect(kernelOf(pixels, holes)).toEqual(loopOf(pixels, holes));
      }),
      { numRuns: 400 },
    );
  });

  it.each([3, 5, 7, 9, 15, 17, 1025])('of %i by 71 pixels is, with holes and without', (width) => {
    const [columns, rows] = [oddSpans(width), oddSpans(71)];
    for (const holed of [false, true]) {
      const pixels = Float32Array.from({ length: 5 + width * 71 }, (_, i) =>
        holed && i % 101 < 9 ? NaN : Math.sin(i),
      );
      const part = { columns, rows, stride: width, pixels: pixels.subarray(5) };
      expect(kernelOf(part, holesOf(NaN, NaN))).toEqual(loopOf(part, holesOf(NaN, NaN)));
    }
  });

  it('would not pass with one pixel or one weight altered', () => {
    const [columns, rows] = [oddSpans(17), oddSpans(5)];
    const pixels = Float32Array.from({ length: 85 }, (_, i) => i / 3);
    const before = loopOf({ columns, rows, stride: 17, pixels }, holesOf(NaN, NaN));
    const altered = columns.map((span, i) => (i === 8 ? { ...span, last: span.last / 2 } : span));
    expect(kernelOf({ columns: altered, rows, stride: 17, pixels }, holesOf(NaN, NaN))).not.toEqual(before);
    pixels[84] = 13.5;
    expect(kernelOf({ columns, rows, stride: 17, pixels }, holesOf(NaN, NaN))).not.toEqual(before);
  });

  it('is not for spans of more than three pixels', () => {
    expect(areShort(axisOf(oddSpans(17)))).toBe(true);
    expect(areShort(axisOf([{ start: 0, length: 4, first: 1, last: 1 }]))).toBe(false);
  });
});
