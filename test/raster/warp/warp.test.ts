import { describe, expect, it } from '@jest/globals';
import { RESAMPLINGS } from '../../../lambda/raster/types.ts';
import type { PixelRect, RasterGrid, Resampling } from '../../../lambda/raster/types.ts';
import { suggestGrid } from '../../../lambda/raster/warp/suggest-grid.ts';
import { planWarp } from '../../../lambda/raster/warp/warp.ts';
import { crsFromCode } from '../../../lambda/raster/crs/from-text.ts';
import { cut, grid, onlyBand, pattern, wholeOf } from './grids.ts';

const warped = (
  source: RasterGrid,
  pixels: Float32Array<ArrayBuffer>,
  out: RasterGrid,
  resampling: Resampling,
  rect: PixelRect = wholeOf(out),
): number[] | null => {
  const plan = planWarp({ grid: source, levels: [source] }, out, rect, resampling);
  return plan === null ? null : Array.from(onlyBand(plan.run([cut(pixels, source.width, plan.sourceRect)])));
};

const utm = (width: number, height: number, origin: readonly [number, number], pixel: number): RasterGrid =>
  grid('EPSG:32631', width, height, origin, pixel);

describe('A warp on the source CRS', () => {
  const source = utm(4, 3, [500000, 5000000], 10);
  const pixels = Float32Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, Number.NaN, 12]);

  it.each(RESAMPLINGS)('copies the pixels of an aligned window, whatever the resampling: %s', (resampling) => {
    const out = utm(4, 4, [499990, 5000010], 10);
    const nan = Number.NaN;
    expect(warped(source, pixels, out, resampling)).toEqual([
      nan,
      nan,
      nan,
      nan,
      nan,
      1,
      2,
      3,
      nan,
      5,
      6,
      7,
      nan,
      9,
      10,
      nan,
    ]);
  });

  it('reads no more of the source than an aligned window covers', () => {
    const out = utm(4, 4, [499990, 5000010], 10);
    const plan = planWarp({ grid: source, levels: [source] }, out, { x: 2, y: 2, width: 2, height: 1 }, 'cubic');
    expect(plan?.sourceRect).toEqual({ x: 1, y: 1, width: 2, height: 1 });
  });

  it('turns a south-up source the right way', () => {
    const southUp: RasterGrid = { ...source, geotransform: [500000, 10, 0, 4999970, 0, 10] };
    expect(warped(southUp, pixels, source, 'bilinear')).toEqual([9, 10, Number.NaN, 12, 5, 6, 7, 8, 1, 2, 3, 4]);
  });

  it('has no plan where the window misses the source', () => {
    const out = utm(40, 40, [500000, 5000000], 10);
    expect(
      planWarp({ grid: source, levels: [source] }, out, { x: 4, y: 0, width: 8, height: 8 }, 'nearest'),
    ).toBeNull();
    const far = utm(4, 4, [600000, 5000000], 7);
    expect(planWarp({ grid: source, levels: [source] }, far, wholeOf(far), 'average')).toBeNull();
  });

  it('repeats the pixel under the centre where a coarser band is put on a finer grid by nearest', () => {
    const out = utm(4, 2, [500000, 5000000], 5);
    expect(warped(source, pixels, out, 'nearest')).toEqual([1, 1, 2, 2, 1, 1, 2, 2]);
  });

  it('interpolates between pixel centres by bilinear, and holds the value at the border', () => {
    const out = utm(4, 2, [500000, 5000000], 5);
    expect(warped(source, pixels, out, 'bilinear')).toEqual([1, 1.25, 1.75, 2.25, 2, 2.25, 2.75, 3.25]);
  });

  it('averages the valid pixels under a footprint, weighted by their area', () => {
    const out = utm(2, 2, [500000, 5000000], 20);
    expect(warped(source, pixels, out, 'average')).toEqual([3.5, 5.5, 9.5, 12]);
    const half = utm(1, 1, [500000, 5000000], 15);
    expect(warped(source, pixels, half, 'average')?.[0]).toBeCloseTo(
      (1 + 2 / 2 + 5 / 2 + 6 / 4) / (1 + 0.5 + 0.5 + 0.25),
      5,
    );
  });
});

describe('Pixels without data', () => {
  const source = utm(6, 6, [500000, 5000000], 10);
  const shifted = utm(6, 6, [500003, 4999996], 10);
  const holed = (hole: number): Float32Array<ArrayBuffer> =>
    Float32Array.from({ length: 36 }, (_, i) => (i === hole ? Number.NaN : 10 + i));

  it('stay without data where they lie under the centre, and only there', () => {
    for (const resampling of ['nearest', 'bilinear', 'cubic'] as const) {
      const result = warped(source, holed(14), shifted, resampling) ?? [];
      expect(result.flatMap((value, i) => (Number.isNaN(value) ? [i] : []))).toEqual([14]);
    }
  });

  it('have no share in their neighbours: a constant stays that constant', () => {
    const constant = holed(14).map((value) => (Number.isNaN(value) ? value : 7));
    for (const resampling of ['bilinear', 'cubic', 'average'] as const) {
      const valid = (warped(source, constant, shifted, resampling) ?? []).filter((value) => !Number.isNaN(value));
      expect(valid.length).toBeGreaterThan(30);
      for (const value of valid) expect(value).toBeCloseTo(7, 5);
    }
  });

  it('make cubic fall back to bilinear within its reach', () => {
    const bilinear = warped(source, holed(14), shifted, 'bilinear') ?? [];
    const cubic = warped(source, holed(14), shifted, 'cubic') ?? [];
    expect(cubic[7]).toBe(bilinear[7]);
  });
});

describe('Windows of one output', () => {
  const source = utm(300, 250, [480000, 5200000], 200);
  const pixels = pattern(300, 250);
  const suggested = suggestGrid(source, crsFromCode('EPSG:3857'));
  const [x, , , y] = suggested.geotransform;
  const coarse: RasterGrid = { ...suggested, width: 90, height: 75, geotransform: [x, 1000, 0, y, 0, -1000] };

  it.each(
    RESAMPLINGS.flatMap((resampling) => [
      [resampling, 'of its resolution', suggested] as const,
      [resampling, 'of a coarser one', coarse] as const,
    ]),
  )('hold the pixels of a warp of the whole, without a seam: %s, %s', (resampling, _, out) => {
    const whole = Float32Array.from(warped(source, pixels, out, resampling) ?? []);
    expect(whole.filter((value) => value > 0).length / whole.length).toBeGreaterThan(0.8);
    for (const rect of [
      { x: 0, y: 0, width: 47, height: 70 },
      { x: 33, y: 21, width: 50, height: 50 },
      { x: out.width - 40, y: out.height - 30, width: 40, height: 30 },
    ]) {
      const window = Float32Array.from(warped(source, pixels, out, resampling, rect) ?? []);
      expect(Buffer.from(window.buffer).equals(Buffer.from(cut(whole, out.width, rect).buffer))).toBe(true);
    }
  });

  it('are computed in the float type of the pixels', () => {
    const plan = planWarp(
      { grid: source, levels: [source] },
      suggested,
      { x: 50, y: 50, width: 8, height: 8 },
      'nearest',
    );
    const { width, height } = plan?.sourceRect ?? { width: 0, height: 0 };
    const large = 2 ** 32 + 1;
    expect(plan?.run([new Float64Array(width * height).fill(large)])[0]?.[0]).toBe(large);
    expect(() => plan?.run([new Float64Array(3)])).toThrow(/3 pixels given/);
  });
});

describe('The level that is read', () => {
  const source = utm(4096, 4096, [480000, 5200000], 10);
  const levels = [1, 2, 4, 8, 16].map((by) => ({ width: 4096 / by, height: 4096 / by }));
  const levelFor = (pixel: number, resampling: Resampling): number | undefined => {
    const size = Math.round(40960 / pixel);
    const out = utm(size, size, [480000, 5200000], pixel);
    return planWarp({ grid: source, levels }, out, { x: 0, y: 0, width: 16, height: 16 }, resampling)?.level;
  };

  it('is full resolution where the output is less than twice as coarse', () => {
    expect(RESAMPLINGS.map((resampling) => levelFor(18, resampling))).toEqual([0, 0, 0, 0]);
  });

  it('is the coarsest that is still as fine as the output, for bilinear and cubic', () => {
    expect([20, 38, 40, 100, 200].map((pixel) => levelFor(pixel, 'bilinear'))).toEqual([1, 1, 2, 3, 4]);
    expect(levelFor(100, 'cubic')).toBe(3);
  });

  it('is full resolution for nearest and average, until that would be too much to read', () => {
    expect([20, 80, 160, 640].map((pixel) => levelFor(pixel, 'nearest'))).toEqual([0, 0, 1, 3]);
    expect([20, 80, 160, 640].map((pixel) => levelFor(pixel, 'average'))).toEqual([0, 0, 1, 3]);
  });

  it('gives the read rectangle in its own pixels', () => {
    const out = utm(256, 256, [480000, 5200000], 160);
    const plan = planWarp({ grid: source, levels }, out, { x: 128, y: 128, width: 16, height: 16 }, 'bilinear');
    expect(plan?.level).toBe(4);
    const { x, y, width, height } = plan?.sourceRect ?? wholeOf({ width: 0, height: 0 });
    expect(x <= 128 && y <= 128 && x + width >= 144 && y + height >= 144).toBe(true);
    expect(width).toBeLessThan(24);
  });
});
