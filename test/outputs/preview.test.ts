import { describe, expect, it } from '@jest/globals';
import { convertIndexedToRgb, decode } from 'fast-png';

import { type PreviewInput, previewSize, renderPreview } from '../../lambda/outputs/preview.ts';
import type { BandStatistics } from '../../lambda/raster/types.ts';

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixel: (column: number, row: number) => number[];
}

function picture(png: Uint8Array): Picture {
  const decoded = decode(png);
  const rgba = decoded.palette === undefined ? decoded.data : convertIndexedToRgb(decoded);
  const channels = rgba.length / (decoded.width * decoded.height);
  const { width, height } = decoded;
  const pixel = (column: number, row: number): number[] => {
    const at = (row * width + column) * channels;
    return Array.from(rgba.subarray(at, at + channels));
  };
  return { width, height, pixel };
}

const flat = (min: number, max: number): BandStatistics => ({ count: 1e6, min, max, mean: (min + max) / 2, m2: 1e12 });

const ndvi = (values: number[], width: number, height: number): PreviewInput => ({
  width,
  height,
  bands: [Float32Array.from(values)],
  nodata: Number.NaN,
  dataType: 'float32',
  color: null,
  categorical: false,
  statistics: [flat(-1, 1)],
});

/** Perceived lightness, roughly. */
const light = ([red = 0, green = 0, blue = 0]: number[]): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue;

describe('the preview of a scene', () => {
  it('draws one band on a ramp that grows lighter, nodata transparent', () => {
    const drawn = picture(renderPreview(ndvi([-1, -0.5, 0, 0.5, 1, Number.NaN], 6, 1)));
    const lights = [0, 1, 2, 3, 4].map((column) => light(drawn.pixel(column, 0)));
    expect(lights).toEqual([...lights].sort((a, b) => a - b));
    expect(new Set(lights).size).toBe(5);
    expect(drawn.pixel(0, 0)).toEqual([68, 1, 84, 255]);
    expect(drawn.pixel(4, 0)).toEqual([253, 231, 37, 255]);
    expect(drawn.pixel(5, 0)[3]).toBe(0);
  });

  it('draws the largest doubles on the ramp as well', () => {
    const top = Number.MAX_VALUE;
    const statistics = [{ count: 4, min: -top, max: top, mean: 0, m2: null }];
    const band = { ...ndvi([], 4, 1), bands: [Float64Array.of(-top, 0, top / 2, top)], dataType: 'float64' as const };
    const drawn = picture(renderPreview({ ...band, statistics }));
    const small = { ...band, bands: [Float64Array.of(-1, 0, 0.5, 1)], statistics: [{ ...flat(-1, 1), m2: null }] };
    const wanted = picture(renderPreview(small));
    const columns = [0, 1, 2, 3];
    expect(columns.map((column) => drawn.pixel(column, 0))).toEqual(columns.map((column) => wanted.pixel(column, 0)));
  });

  it('takes the mean of pixels whose sum overflows', () => {
    const bands = [new Float64Array(3000).fill(1.7e308)];
    const statistics = [{ count: 3000, min: 1.6e308, max: 1.7e308, mean: 1.7e308, m2: null }];
    const drawn = picture(renderPreview({ ...ndvi([], 3000, 1), bands, dataType: 'float64', statistics }));
    expect(drawn.pixel(0, 0)).toEqual([253, 231, 37, 255]);
  });

  it('stretches to two standard deviations around the mean, but not beyond what is there', () => {
    const statistics = [{ count: 100, min: 0, max: 1000, mean: 100, m2: 100 * 50 ** 2 }];
    const band = { ...ndvi([0, 100, 200, 1000], 4, 1), nodata: null, statistics };
    const drawn = picture(renderPreview(band));
    expect(drawn.pixel(2, 0)).toEqual(drawn.pixel(3, 0));
    expect(drawn.pixel(0, 0)).toEqual([68, 1, 84, 255]);
    expect(drawn.pixel(1, 0)).not.toEqual(drawn.pixel(2, 0));
  });

  it('draws a band of one value, and one without any', () => {
    const one = renderPreview({ ...ndvi([7, 7], 2, 1), statistics: [{ count: 2, min: 7, max: 7, mean: 7, m2: 0 }] });
    expect(picture(one).pixel(1, 0)[3]).toBe(255);
    const none = renderPreview({ ...ndvi([Number.NaN, Number.NaN], 2, 1), statistics: [null] });
    expect(picture(none).pixel(1, 0)[3]).toBe(0);
  });

  it('is at most 1,024 px on its longer side, each pixel the mean of the valid ones under it', () => {
    const width = 4096;
    const height = 8;
    const input = ndvi([], width, height);
    const values = new Float32Array(width * height).map((_, i) => (i % 4 === 0 ? Number.NaN : i % 2 === 0 ? 1 : -1));
    const drawn = picture(renderPreview({ ...input, bands: [values] }));
    expect([drawn.width, drawn.height]).toEqual([1024, 2]);
    expect(previewSize(input)).toEqual({ width: 1024, height: 2 });
    // (-1 + 1 - 1) / 3
    const third = picture(renderPreview(ndvi([-1 / 3], 1, 1)));
    expect(drawn.pixel(500, 1)).toEqual(third.pixel(0, 0));
    expect(previewSize({ width: 20_000, height: 3 })).toEqual({ width: 1024, height: 1 });
    expect(previewSize({ width: 300, height: 200 })).toEqual({ width: 300, height: 200 });
  });

  it('draws red, green and blue as they are where they are bytes, under their alpha', () => {
    const bands = [
      [10, 1],
      [20, 2],
      [30, 3],
      [255, 0],
    ].map((band) => Uint8Array.from(band));
    const statistics = [null, null, null];
    const input: PreviewInput = {
      ...ndvi([], 2, 1),
      bands,
      nodata: null,
      dataType: 'uint8',
      color: 'rgb',
      statistics,
    };
    const drawn = picture(renderPreview(input));
    expect(drawn.pixel(0, 0)).toEqual([10, 20, 30, 255]);
    expect(drawn.pixel(1, 0)).toEqual([0, 0, 0, 0]);
  });

  it('stretches wider colours, and needs all three to be valid', () => {
    const bands = [
      [0, 4000, 2000],
      [0, 4000, 9],
      [0, 4000, 65_535],
    ].map((band) => Uint16Array.from(band));
    const statistics = [flat(0, 4000), flat(0, 4000), flat(0, 4000)];
    const input: PreviewInput = { ...ndvi([], 3, 1), bands, nodata: 65_535, dataType: 'uint16', statistics };
    const drawn = picture(renderPreview(input));
    expect(drawn.pixel(0, 0)).toEqual([0, 0, 0, 255]);
    expect(drawn.pixel(1, 0)).toEqual([255, 255, 255, 255]);
    expect(drawn.pixel(2, 0)[3]).toBe(0);
  });

  it('draws classes in distinct colours that a value keeps from scene to scene, and never averages them', () => {
    const classes = (values: number[]): PreviewInput => ({
      ...ndvi([], values.length, 1),
      bands: [Uint8Array.from(values)],
      nodata: 0,
      dataType: 'uint8',
      categorical: true,
    });
    const one = picture(renderPreview(classes([4, 5, 6, 0])));
    const other = picture(renderPreview(classes([11, 6, 4])));
    expect(new Set([0, 1, 2].map((column) => String(one.pixel(column, 0)))).size).toBe(3);
    expect(other.pixel(2, 0)).toEqual(one.pixel(0, 0));
    expect(other.pixel(1, 0)).toEqual(one.pixel(2, 0));
    expect(one.pixel(3, 0)[3]).toBe(0);

    const fine = {
      ...classes([]),
      width: 2048,
      height: 1,
      bands: [new Uint8Array(2048).map((_, i) => 4 + 2 * (i % 2))],
    };
    const drawn = picture(renderPreview(fine));
    const colors = new Set(Array.from({ length: 1024 }, (_, column) => String(drawn.pixel(column, 0))));
    expect([...colors]).toEqual([String(one.pixel(2, 0))]);
  });

  it('draws what is called classes but has too many values as a ramp', () => {
    const values = Array.from({ length: 100 }, (_, i) => i);
    const input = { ...ndvi(values, 100, 1), nodata: null, statistics: [flat(0, 99)] };
    expect(renderPreview({ ...input, categorical: true })).toEqual(renderPreview(input));
  });

  it('compares a float nodata as float32 holds it', () => {
    const drawn = picture(renderPreview({ ...ndvi([-3.4e38, 1], 2, 1), nodata: -3.4e38 }));
    expect([drawn.pixel(0, 0)[3], drawn.pixel(1, 0)[3]]).toEqual([0, 255]);
  });

  it('is the same bytes every time', () => {
    const values = Array.from({ length: 300 * 200 }, (_, i) => Math.sin(i));
    expect(renderPreview(ndvi(values, 300, 200))).toEqual(renderPreview(ndvi(values, 300, 200)));
  });
});
