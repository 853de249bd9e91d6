import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { levelSizes, overviewPixels, overviewSize, overviewSource } from '../../../lambda/raster/cog/overview.ts';
import type { OverviewRule } from '../../../lambda/raster/cog/overview.ts';
import { pixelArray } from '../../../lambda/raster/data-type.ts';
import type { DataType, PixelArray, PixelRect, RasterSize } from '../../../lambda/raster/types.ts';
import { DATA_TYPES, OVERVIEW_METHODS } from '../../../lambda/raster/types.ts';
import { noisyPixels } from '../../support/cog-images.ts';

function rule(dataType: DataType, parts: Partial<OverviewRule> = {}): OverviewRule {
  return { method: 'average', dataType, nodata: null, alpha: false, ...parts };
}

/** The overview of a single band of `width` columns. */
function overview(dataType: DataType, width: number, values: number[], parts: Partial<OverviewRule> = {}): number[] {
  const pixels = pixelArray(dataType, values.length);
  pixels.set(values);
  const size = { width, height: values.length / width };
  const [band = []] = overviewPixels([pixels], size, { x: 0, y: 0, ...overviewSize(size) }, rule(dataType, parts));
  return [...band];
}

describe('overview levels', () => {
  it.each([
    [{ width: 512, height: 512 }, 512, [[512, 512]]],
    [
      { width: 513, height: 1 },
      512,
      [
        [513, 1],
        [257, 1],
      ],
    ],
    [
      { width: 100, height: 70 },
      16,
      [
        [100, 70],
        [50, 35],
        [25, 18],
        [13, 9],
      ],
    ],
  ])('of %p with blocks of %p halve, rounding up, until both sides fit', (size, blockSize, sizes) => {
    expect(levelSizes(size, blockSize).map(({ width, height }) => [width, height])).toEqual(sizes);
  });
});

describe('an average', () => {
  it('of four is rounded half up, for signed types half away from zero', () => {
    expect(overview('uint8', 2, [1, 2, 1, 2])).toEqual([2]);
    expect(overview('int16', 2, [-1, -2, -1, -2])).toEqual([-2]);
    expect(overview('float32', 2, [1, 2, 1, 2])).toEqual([1.5]);
  });

  it('leaves out nodata and NaN, and is nodata where nothing is left', () => {
    expect(overview('uint8', 4, [0, 8, 0, 0, 4, 0, 0, 0], { nodata: 0 })).toEqual([6, 0]);
    expect(overview('float32', 4, [NaN, 8, NaN, NaN, 4, NaN, NaN, NaN], { nodata: NaN })).toEqual([6, NaN]);
    expect(overview('float32', 2, [NaN, -9999, 4, NaN], { nodata: -9999 })).toEqual([4]);
    expect(overview('float32', 2, [NaN, 1, 4, NaN])).toEqual([2.5]);
  });

  it('of valid pixels is never nodata', () => {
    expect(overview('uint8', 2, [4, 6, 4, 6], { nodata: 5 })).toEqual([6]);
    expect(overview('uint8', 2, [254, 254, 254, 254], { nodata: 255 })).toEqual([254]);
    expect(overview('int16', 2, [-1, 1, -1, 2], { nodata: 0 })).toEqual([1]);
    const [beside = 0] = overview('float32', 2, [-1, 1, -1, 1], { nodata: 0 });
    expect(beside).toBeGreaterThan(0);
    expect(beside).toBeLessThan(1e-40);
  });

  it('over an odd side weights the pixels that it covers in part', () => {
    // Three pixels make two: the first covers 1.5 of them.
    expect(overview('float64', 3, [3, 6, 9])).toEqual([4, 8]);
    expect(overview('float64', 3, [3, NaN, 9], { nodata: NaN })).toEqual([3, 9]);
  });

  it('of colours leaves out what the alpha hides, and is opaque where any pixel is', () => {
    const bands = [Uint8Array.of(10, 0, 30, 0, 0, 0, 0, 0), Uint8Array.of(255, 0, 255, 0, 0, 0, 0, 0)];
    const [size, rect] = [
      { width: 2, height: 4 },
      { x: 0, y: 0, width: 1, height: 2 },
    ];
    expect(overviewPixels(bands, size, rect, rule('uint8', { alpha: true }))).toEqual([
      Uint8Array.of(20, 0),
      Uint8Array.of(255, 0),
    ]);
  });
});

describe('the mode', () => {
  it('is the most frequent valid value, of equal ones the first to be so', () => {
    expect(overview('uint8', 2, [3, 5, 5, 3], { method: 'mode' })).toEqual([5]);
    expect(overview('uint8', 2, [3, 5, 7, 9], { method: 'mode' })).toEqual([3]);
    expect(overview('uint8', 4, [0, 0, 0, 0, 0, 5, 0, 0], { method: 'mode', nodata: 0 })).toEqual([5, 0]);
  });
});

describe('the nearest', () => {
  it('is the upper left pixel, nodata or not', () => {
    expect(overview('uint8', 4, [1, 2, 0, 4, 5, 6, 7, 8], { method: 'nearest', nodata: 0 })).toEqual([1, 0]);
  });
});

describe('a part of an overview', () => {
  it('has the pixels that it has in the whole, for every type, method and side', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...DATA_TYPES),
        fc.constantFrom(...OVERVIEW_METHODS),
        fc.boolean(),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { minLength: 4, maxLength: 4 }),
        (dataType, method, hasNodata, width, height, [a = 0, b = 0, c = 0, d = 0]) => {
          const nodata = hasNodata ? (dataType.startsWith('float') ? NaN : 7) : null;
          const source = { width, height };
          const target = overviewSize(source);
          const pixels = noisyPixels(dataType, width, height, { nodata });
          const of = rule(dataType, { method, nodata });
          const [whole] = overviewPixels([pixels], source, { x: 0, y: 0, ...target }, of);
          const x = Math.floor(a * target.width);
          const y = Math.floor(b * target.height);
          const rect = {
            x,
            y,
            width: 1 + Math.floor(c * (target.width - x)),
            height: 1 + Math.floor(d * (target.height - y)),
          };
          const needed = cut(dataType, pixels, source, overviewSource(source, rect));
          const [part] = overviewPixels([needed], source, rect, of);
          expect(part).toEqual(whole && cut(dataType, whole, target, rect));
        },
      ),
      { numRuns: 200 },
    );
  });
});

function cut(dataType: DataType, pixels: PixelArray, size: RasterSize, rect: PixelRect): PixelArray {
  const part = pixelArray(dataType, rect.width * rect.height);
  for (let y = 0; y < rect.height; y++) {
    const from = (rect.y + y) * size.width + rect.x;
    part.set(pixels.subarray(from, from + rect.width), y * rect.width);
  }
  return part;
}
