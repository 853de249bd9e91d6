import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bilinearVector } from '../../../lambda/raster/kernels/warp-planes.ts';
import type { PixelRect } from '../../../lambda/raster/types.ts';
import { placeRun, runPositions } from '../../../lambda/raster/warp/interior-run.ts';
import {
  type Bands,
  type Run,
  bandsOf,
  byLoop,
  differences,
  memories,
  rects,
  shares,
  warped,
} from './bilinear-loop.ts';
import { altered, seeds, widths } from './bits.ts';
import { MEMORIES } from './in-planes.ts';
import { LINES, lineInside } from './lines.ts';

/** Windows as `byLoop` makes them, by the kernel, for all bands at once. */
const byKernel = (
  bands: Bands,
  rect: PixelRect,
  length: number,
  runs: readonly Run[],
  memory: (typeof MEMORIES)[number] = 'arrays',
): Bands =>
  warped(memory, bands, rect, length, (planes) => {
    for (const { line, count, offset } of runs) bilinearVector.run(planes, line, count, offset);
  });

const kinds = fc.constantFrom(...LINES);
const firsts = fc.constantFrom(0, 0.5, 100.5, -3, 4000.5);
const bandCounts = fc.integer({ min: 1, max: 4 });

describe('The bilinear kernel along lines inside the source', () => {
  it('is the loop over floats to the bit, for any line, width, number of bands and holes; no other pixel changes', () => {
    fc.assert(
      fc.property(
        rects,
        kinds,
        widths,
        firsts,
        fc.nat(9),
        shares,
        bandCounts,
        memories,
        seeds,
        (rect, kind, count, first, offset, holes, bandCount, memory, seed) => {
          const bands = bandsOf(rect, bandCount, holes, seed);
          const runs = [{ line: lineInside(kind, rect, count, first, seed), count, offset }];
          const length = offset + count + 3;
          expect(differences(byKernel(bands, rect, length, runs, memory), byLoop(bands, rect, length, runs))).toEqual(
            bands.map(() => -1),
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([4095, 4096, 4097, 8191, 8193, 12_289])('is that in runs of %d px, which are resampled in parts', (count) => {
    for (const kind of LINES) {
      const rect = { x: 5, y: 9, width: 61, height: 53 };
      const bands = bandsOf(rect, 2, 0.1, count);
      const runs = [{ line: lineInside(kind, rect, count, 0.5, count), count, offset: 3 }];
      for (const memory of MEMORIES) {
        const actual = byKernel(bands, rect, count + 6, runs, memory);
        expect(differences(actual, byLoop(bands, rect, count + 6, runs))).toEqual([-1, -1]);
      }
    }
  });

  it('is that run after run: none leaves anything for the next', () => {
    fc.assert(
      fc.property(
        rects,
        fc.array(fc.tuple(kinds, widths, firsts), { minLength: 2, maxLength: 6 }),
        seeds,
        (rect, lines, seed) => {
          const bands = bandsOf(rect, 2, 0.2, seed);
          let offset = 0;
          const runs = lines.map(([kind, count, first], index) => {
            const run = { line: lineInside(kind, rect, count, first, seed + index), count, offset };
            offset += count;
            return run;
          });
          expect(differences(byKernel(bands, rect, offset, runs), byLoop(bands, rect, offset, runs))).toEqual([-1, -1]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('has no data where the pixel under the centre has none, and leaves out neighbours without data', () => {
    const rect = { x: 0, y: 0, width: 3, height: 2 };
    const bands = [Float32Array.of(1, NaN, 5, 3, 7, NaN)];
    const line = { x0: 0.5, dx: 0.25, ddx: 0, y0: 0.75, dy: 0, ddy: 0, first: 0 };
    const [target = []] = byKernel(bands, rect, 8, [{ line, count: 8, offset: 0 }]);
    // 1 and 3 by 3/4 and 1/4; then 7 by its weight as well, until the hole lies under the centre.
    const withSeven = (right: number): number =>
      (0.75 * (1 - right) + 3 * 0.25 * (1 - right) + 7 * 0.25 * right) / (1 - right + 0.25 * right);
    expect([...target].slice(0, 6)).toEqual([1.5, Math.fround(withSeven(0.25)), NaN, NaN, NaN, NaN]);
  });

  it('would be found wrong with a single altered pixel of the output or, where it has a weight, of the source', () => {
    fc.assert(
      fc.property(rects, widths, seeds, fc.nat(), (rect, count, seed, place) => {
        const bands = [Float32Array.from({ length: rect.width * rect.height }, (_, i) => 1000 + (i % 89))];
        const line = lineInside('linear', rect, count, 0.5, seed);
        const runs = [{ line, count, offset: 0 }];
        const [target] = byKernel(bands, rect, count, runs);
        if (target === undefined) throw new RangeError('no target');
        expect(target.every((value) => value >= 1000)).toBe(true);
        const index = place % count;
        expect(differences([altered(target, index)], byLoop(bands, rect, count, runs))).toEqual([index]);

        const positions = runPositions(count);
        placeRun(rect, line, count, 0.5, positions);
        const corner = positions.index[index] ?? 0;
        const weight = (1 - (positions.right[index] ?? 1)) * (1 - (positions.below[index] ?? 1));
        const other = bands.map((pixels) => pixels.with(corner, (pixels[corner] ?? 0) + 10));
        const found = differences(byKernel(other, rect, count, runs), byLoop(bands, rect, count, runs));
        expect(weight <= 0.001 || (found[0] ?? -1) >= 0).toBe(true);
      }),
    );
  });
});
