import { crsFromCode } from '../../../lambda/raster/crs/from-text.ts';
import type { FloatPixels, PixelRect, RasterGrid } from '../../../lambda/raster/types.ts';

/** A north-up grid of square pixels. */
export const grid = (
  code: string,
  width: number,
  height: number,
  [x, y]: readonly [number, number],
  pixel: number,
): RasterGrid => ({
  crs: crsFromCode(code),
  width,
  height,
  geotransform: [x, pixel, 0, y, 0, -pixel],
});

export const wholeOf = ({ width, height }: { width: number; height: number }): PixelRect => ({
  x: 0,
  y: 0,
  width,
  height,
});

/** The pixels of a rectangle of a raster. */
export const cut = (pixels: FloatPixels, width: number, rect: PixelRect): Float32Array<ArrayBuffer> => {
  const part = new Float32Array(rect.width * rect.height);
  for (let row = 0; row < rect.height; row++) {
    const start = (rect.y + row) * width + rect.x;
    part.set(pixels.subarray(start, start + rect.width), row * rect.width);
  }
  return part;
};

/** A smooth pattern, different at every pixel, with a hole without data. */
export const pattern = (width: number, height: number): Float32Array<ArrayBuffer> =>
  Float32Array.from({ length: width * height }, (_, i) => {
    const column = i % width;
    const row = Math.floor(i / width);
    const inHole = Math.hypot(column - width * 0.6, row - height * 0.4) < Math.min(width, height) * 0.08;
    return inHole ? Number.NaN : 1000 + 300 * Math.sin(column / 7) + 200 * Math.cos(row / 5) + column * 0.1 + row * 0.2;
  });

/** The one band of a warp of one band. */
export const onlyBand = ([band, ...others]: readonly FloatPixels[]): FloatPixels => {
  if (band === undefined || others.length > 0) throw new Error(`not one band but ${others.length + 1}`);
  return band;
};
