import fc from 'fast-check';
import { type WarpPlanes, leavePlanes, warpPlanes } from '../../../lambda/raster/kernels/warp-planes.ts';
import type { PixelRect } from '../../../lambda/raster/types.ts';
import { placeRun, runPositions } from '../../../lambda/raster/warp/interior-run.ts';
import { BILINEAR_REACH, bilinearInterior } from '../../../lambda/raster/warp/kernel-bilinear.ts';
import type { SourceLine } from '../../../lambda/raster/warp/source-view.ts';
import { firstOther } from './bits.ts';
import { MEMORIES, inMemory } from './in-planes.ts';
import { holedPixels } from './lines.ts';

export type Bands = readonly Float32Array<ArrayBuffer>[];

/** Output pixels along a line, and where they go in the window. */
export interface Run {
  readonly line: SourceLine;
  readonly count: number;
  readonly offset: number;
}

/** Windows of `length` px, NaN where nothing was written, after runs by the loop for pixels of any type. */
export const byLoop = (bands: Bands, rect: PixelRect, length: number, runs: readonly Run[]): Bands =>
  bands.map((pixels) => {
    const target = new Float32Array(length).fill(NaN);
    for (const { line, count, offset } of runs) {
      const positions = runPositions(count);
      placeRun(rect, line, count, BILINEAR_REACH.shift, positions);
      // Nothing is asked for beyond what was read, so the level may be as large as that.
      const level = { width: rect.x + rect.width, height: rect.y + rect.height };
      bilinearInterior({ pixels, rect, level }, positions, count, target, offset);
    }
    return target;
  });

/** Windows of `length` px, NaN where nothing was written, after what a kernel did to bands in the memory that is named. */
export const warped = (
  memory: (typeof MEMORIES)[number],
  bands: Bands,
  rect: PixelRect,
  length: number,
  use: (planes: WarpPlanes) => void,
): Bands => {
  const outputs = bands.map(() => new Float32Array(length).fill(NaN));
  const left = inMemory(memory, [...bands, ...outputs], (arrays) => {
    const wanted = arrays.slice(bands.length);
    const planes = warpPlanes(arrays.slice(0, bands.length), rect, wanted);
    use(planes);
    leavePlanes(planes, wanted);
  });
  return left.slice(bands.length);
};

/** Of each band the first pixel that differs, or -1. */
export const differences = (actual: Bands, expected: Bands): readonly number[] =>
  expected.map((target, band) => firstOther(actual[band] ?? [], target));

/** What was read: at least 2 x 2 px, anywhere in a level. */
export const rects = fc.record({
  x: fc.constantFrom(0, 1, 17, 10_000),
  y: fc.constantFrom(0, 3, 16, 123_456),
  width: fc.integer({ min: 2, max: 70 }),
  height: fc.integer({ min: 2, max: 40 }),
});

export const memories = fc.constantFrom(...MEMORIES);

/** Shares of pixels without data. */
export const shares = fc.constantFrom(0, 0.05, 0.5, 1);

export const bandsOf = ({ width, height }: PixelRect, count: number, holes: number, seed: number): Bands =>
  Array.from({ length: count }, (_, band) => holedPixels(width * height, holes, seed + 7919 * band));
