import { describe, expect, it } from '@jest/globals';

import { makeDemoScene } from '../../bin/demo/scene.ts';

const SIZE = 320;
const scene = makeDemoScene({ size: SIZE, seed: 7 });

/** NDVI of the pixels that have data, with their place. */
const pixels = [...scene.red.entries()].flatMap(([at, red]) => {
  const nir = scene.nir[at] ?? 0;
  return red === 0
    ? []
    : [{ column: at % SIZE, row: Math.floor(at / SIZE), red, nir, ndvi: (nir - red) / (nir + red) }];
});
const share = (test: (pixel: (typeof pixels)[number]) => boolean): number => pixels.filter(test).length / pixels.length;

describe('the demo scene', () => {
  it('is the same pixels for the same seed, and others for another', () => {
    const again = makeDemoScene({ size: SIZE, seed: 7 });
    expect(Buffer.from(again.red.buffer).equals(Buffer.from(scene.red.buffer))).toBe(true);
    expect(Buffer.from(again.nir.buffer).equals(Buffer.from(scene.nir.buffer))).toBe(true);
    const other = makeDemoScene({ size: SIZE, seed: 8 });
    expect(Buffer.from(other.red.buffer).equals(Buffer.from(scene.red.buffer))).toBe(false);
  });

  it('holds plausible surface reflectance x 10,000', () => {
    expect(share(({ red }) => red > 100 && red < 4500)).toBe(1);
    expect(share(({ nir }) => nir > 50 && nir < 7000)).toBe(1);
  });

  it('is green land, with water whose near infrared is below its red', () => {
    expect(share(({ ndvi }) => ndvi > 0.3)).toBeGreaterThan(0.6);
    expect(share(({ ndvi }) => ndvi > 0.8)).toBeGreaterThan(0.05);
    const water = share(({ ndvi }) => ndvi < 0);
    expect(water).toBeGreaterThan(0.005);
    expect(water).toBeLessThan(0.1);
  });

  it('has no data, in both bands alike, under clouds and beyond a slanted edge', () => {
    const apart = scene.red.findIndex((red, at) => (red === 0) !== (scene.nir[at] === 0));
    expect(apart).toBe(-1);
    const lastColumn = (row: number): number =>
      scene.red.subarray(row * SIZE, (row + 1) * SIZE).findLastIndex((red) => red > 0);
    const ends = Array.from({ length: SIZE }, (_, row) => lastColumn(row));
    const [upper, lower] = [ends.slice(0, SIZE / 2), ends.slice(SIZE / 2)].map((half) => Math.max(...half));
    expect(upper).toBeLessThan(SIZE - 1);
    expect(lower).toBeLessThan((upper ?? 0) - SIZE / 20);
    const holes = [...scene.red.entries()].filter(([at, red]) => red === 0 && at % SIZE < SIZE * 0.8).length;
    expect(holes / (SIZE * SIZE)).toBeGreaterThan(0.01);
    expect(holes / (SIZE * SIZE)).toBeLessThan(0.1);
  });

  it('lies in UTM zone 31 north, 10 m a pixel', () => {
    expect(scene.epsg).toBe(32631);
    expect(scene.geotransform).toEqual([399_960, 10, 0, 5_500_020, 0, -10]);
  });
});
