import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { crsFromCode } from '../../../lambda/raster/crs/from-text.ts';
import { RESAMPLINGS } from '../../../lambda/raster/types.ts';
import type { FloatPixels, PixelRect, RasterGrid, Resampling } from '../../../lambda/raster/types.ts';
import { lendPlanes } from '../../../lambda/raster/kernels/plane-memory.ts';
import { suggestGrid } from '../../../lambda/raster/warp/suggest-grid.ts';
import { type WarpPlan, planWarp } from '../../../lambda/raster/warp/warp.ts';
import { seededRandom } from '../../support/cog-images.ts';
import { cut, grid, wholeOf } from './grids.ts';

/** Smooth pixels of several sizes, `holes` of them without data, some in whole areas. */
const pixelsOf = (width: number, height: number, holes: number, seed: number): Float32Array<ArrayBuffer> => {
  const random = seededRandom(seed);
  return Float32Array.from({ length: width * height }, (_, i) => {
    const [column, row] = [i % width, Math.floor(i / width)];
    const inArea = holes > 0 && Math.hypot(column - width / 2, row - height / 2) < width / 8;
    return inArea || random() < holes ? NaN : 1000 * Math.sin(column / 3 + seed) + row * 1e-3 + random();
  });
};

/** What a case resamples: some bands of one source to a window of an output grid. */
interface Case {
  readonly source: RasterGrid;
  readonly out: RasterGrid;
  readonly rect: PixelRect;
  readonly resampling: Resampling;
  readonly bands: readonly Float32Array<ArrayBuffer>[];
}

interface Precisions {
  readonly single: readonly FloatPixels[];
  /** As `single`, in the kernels' memory, where other pixels stood before. */
  readonly planes: readonly FloatPixels[];
  /** Rounded to float32. */
  readonly double: readonly FloatPixels[];
}

/** A window's bands as they are computed in either precision; null: it misses the source. */
const both = ({ source, out, rect, resampling, bands }: Case): Precisions | null => {
  const plan = planWarp({ grid: source, levels: [source] }, out, rect, resampling);
  if (plan === null) return null;
  const read = bands.map((pixels) => cut(pixels, source.width, plan.sourceRect));
  const double = plan.run(read.map((pixels) => Float64Array.from(pixels)));
  const single = plan.run(read);
  return { single, planes: runInPlanes(plan, read), double: double.map((pixels) => Float32Array.from(pixels)) };
};

const runInPlanes = (plan: WarpPlan, read: readonly FloatPixels[]): readonly FloatPixels[] => {
  using lease = lendPlanes();
  const take = (wide: boolean, length: number): FloatPixels => {
    const plane = lease.take(wide, length);
    if (plane === null) throw new RangeError('no room');
    return plane.fill(-7);
  };
  const bands = read.map((pixels) => {
    const plane = take(false, pixels.length);
    plane.set(pixels);
    return plane;
  });
  return plan.run(bands, { take }).map((pixels) => pixels.slice());
};

/** Pixels of all bands that differ, -0 from 0 too; NaNs are alike. */
const different = ({ single, double }: Omit<Precisions, 'planes'>): number => {
  let count = 0;
  for (const [band, pixels] of double.entries()) {
    const other = single[band];
    for (let i = 0; i < pixels.length; i++) if (!Object.is(pixels[i], other?.[i])) count++;
  }
  return count;
};

const cases = fc
  .record({
    width: fc.integer({ min: 2, max: 100 }),
    height: fc.integer({ min: 2, max: 100 }),
    code: fc.constantFrom('EPSG:3857', 'EPSG:4326', 'EPSG:32631', 'EPSG:32632', 'EPSG:3035'),
    /** Output pixels per pixel that GDAL suggests. */
    finer: fc.constantFrom(0.3, 0.8, 1, 1.3, 2),
    /** The window's edges in shares of the output, and pixels that it reaches beyond that. */
    window: fc.tuple(fc.nat(9), fc.nat(9), fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 10 })),
    beyond: fc.nat(20),
    resampling: fc.constantFrom(...RESAMPLINGS, 'bilinear' as const, 'bilinear' as const),
    bandCount: fc.integer({ min: 1, max: 4 }),
    holes: fc.constantFrom(0, 0.01, 0.3),
    seed: fc.integer({ min: 1, max: 1 << 30 }),
  })
  .map(({ width, height, code, finer, window, beyond, resampling, bandCount, holes, seed }): Case => {
    const source = grid('EPSG:32631', width, height, [480_003.7, 5_200_011.3], 60);
    const suggested = suggestGrid(source, crsFromCode(code));
    const [x, pixel, , y] = suggested.geotransform;
    const step = pixel / finer;
    const out: RasterGrid = {
      ...suggested,
      width: Math.ceil(suggested.width * finer) + 2 * beyond,
      height: Math.ceil(suggested.height * finer) + 2 * beyond,
      geotransform: [x - beyond * step, step, 0, y + beyond * step, 0, -step],
    };
    const [left, top] = [Math.floor((window[0] * out.width) / 10), Math.floor((window[1] * out.height) / 10)];
    const rect = {
      x: left,
      y: top,
      width: Math.max(1, Math.ceil(((out.width - left) * window[2]) / 10)),
      height: Math.max(1, Math.ceil(((out.height - top) * window[3]) / 10)),
    };
    const bands = Array.from({ length: bandCount }, (_, band) => pixelsOf(width, height, holes, seed + band));
    return { source, out, rect, resampling, bands };
  });

describe('A warp in single precision', () => {
  it('is that in double precision, rounded, to the bit: any resampling, window, hole, and at the source’s edges', () => {
    const valid = new Set<Resampling>();
    fc.assert(
      fc.property(cases, (given) => {
        const found = both(given);
        expect(found === null ? 0 : different(found)).toBe(0);
        expect(found === null ? 0 : different({ ...found, single: found.planes })).toBe(0);
        if (found?.single.some((pixels) => pixels.some((value) => !Number.isNaN(value)))) valid.add(given.resampling);
      }),
      { numRuns: 150 },
    );
    expect([...valid].toSorted()).toEqual(RESAMPLINGS.toSorted());
  }, 60_000);

  it('of several bands is that of each alone', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const together = both(given);
        for (const [index, pixels] of given.bands.entries()) {
          const alone = both({ ...given, bands: [pixels] });
          const one = together?.single[index];
          const pair = alone === null || one === undefined ? null : { single: alone.single, double: [one] };
          expect(pair === null ? 0 : different(pair)).toBe(0);
        }
      }),
      { numRuns: 30 },
    );
  }, 60_000);

  it('would be found another with a single pixel one bit away, of the source or the output', () => {
    const source = grid('EPSG:32631', 60, 50, [480_003.7, 5_200_011.3], 60);
    const out = suggestGrid(source, crsFromCode('EPSG:3857'));
    const pixels = pixelsOf(60, 50, 0, 5);
    const given = { source, out, rect: wholeOf(out), resampling: 'bilinear' as const };
    const right = both({ ...given, bands: [pixels] });
    if (right === null) throw new Error('the output misses the source');
    for (const at of [0, 59, 1234, 2940, 2999]) {
      const nudged = pixels.with(at, (pixels[at] ?? 0) * (1 + 2 ** -20));
      const wrong = both({ ...given, bands: [nudged] });
      expect(different({ single: wrong?.single ?? [], double: right.double })).toBeGreaterThan(0);
      const output = Float32Array.from(right.single[0] ?? []);
      output[at] = (output[at] ?? 0) * (1 + 2 ** -23) + 1e-40;
      expect(different({ single: [output], double: right.double })).toBe(Number.isNaN(output[at]) ? 0 : 1);
    }
  });
});
