import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bilinearVector } from '../../../lambda/raster/kernels/warp-planes.ts';
import type { PixelRect } from '../../../lambda/raster/types.ts';
import type { CellCurve } from '../../../lambda/raster/warp/cell-curve.ts';
import { quadratic } from '../../../lambda/raster/warp/lattice.ts';
import type { NineValues } from '../../../lambda/raster/warp/lattice.ts';
import type { SourceLine } from '../../../lambda/raster/warp/source-view.ts';
import { seededRandom } from '../../support/cog-images.ts';
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
import { seeds } from './bits.ts';
import type { MEMORIES } from './in-planes.ts';

/** Nine source positions about evenly spread over a rectangle, none so far out that the curve through them leaves it. */
const nodesInside = (origin: number, span: number, along: 0 | 1, random: () => number): NineValues => {
  const node = (column: number, row: number): number =>
    origin + span * (0.2 + 0.25 * (along === 0 ? column : row) + 0.1 * random());
  const upper = [node(0, 0), node(1, 0), node(2, 0)] as const;
  const middle = [node(0, 1), node(1, 1), node(2, 1)] as const;
  return [...upper, ...middle, node(0, 2), node(1, 2), node(2, 2)];
};

/** Positions along the row at `v`, from column `u` on, as nodes are interpolated: down the cell's columns, then along. */
const lineOf = ({ u0, v0, u1, v1, x, y, factor }: CellCurve, u: number, v: number): SourceLine => {
  const down = (v - v0) / (v1 - v0);
  const width = u1 - u0;
  const along = ([a, b, c, d, e, f, g, h, i]: NineValues, scale: number): readonly [number, number, number] => {
    const left = quadratic(a, d, g, down) * scale;
    const middle = quadratic(b, e, h, down) * scale;
    const right = quadratic(c, f, i, down) * scale;
    return [left, (4 * middle - 3 * left - right) / width, (2 * (left - 2 * middle + right)) / (width * width)];
  };
  const [x0, dx, ddx] = along(x, factor.x);
  const [y0, dy, ddy] = along(y, factor.y);
  return { x0, dx, ddx, y0, dy, ddy, first: u - u0 };
};

/** A cell with some output pixels of it, and where those go in a window. */
interface Case {
  readonly rect: PixelRect;
  readonly curve: CellCurve;
  readonly part: PixelRect;
  readonly offset: number;
  readonly stride: number;
  readonly bands: Bands;
  readonly memory: (typeof MEMORIES)[number];
}

const cases = fc
  .record({
    rect: rects,
    u0: fc.constantFrom(0, 128, 7040),
    v0: fc.constantFrom(0, 128, 9984),
    across: fc.integer({ min: 1, max: 128 }),
    down: fc.integer({ min: 1, max: 128 }),
    left: fc.nat(127),
    top: fc.nat(127),
    factor: fc.record({ x: fc.constantFrom(1, 0.5, 0.251), y: fc.constantFrom(1, 0.5, 0.251) }),
    gap: fc.nat(5),
    holes: shares,
    memory: memories,
    seed: seeds,
  })
  .map(({ rect, u0, v0, across, down, factor, gap, holes, memory, seed, ...at }): Case => {
    const random = seededRandom(seed);
    const x = nodesInside((rect.x + 0.5) / factor.x, (rect.width - 1) / factor.x, 0, random);
    const y = nodesInside((rect.y + 0.5) / factor.y, (rect.height - 1) / factor.y, 1, random);
    const [left, top] = [Math.min(at.left, across - 1), Math.min(at.top, down - 1)];
    const part = { x: u0 + left, y: v0 + top, width: across - left, height: Math.min(5, down - top) };
    return {
      rect,
      curve: { u0, v0, u1: u0 + across, v1: v0 + down, x, y, factor, bend: 0 },
      part,
      offset: gap,
      stride: part.width + gap,
      bands: bandsOf(rect, 2, holes, seed),
      memory,
    };
  });

const byKernel = ({ rect, curve, part, offset, stride, bands, memory }: Case): Bands =>
  warped(memory, bands, rect, offset + stride * part.height, (planes) =>
    bilinearVector.cell(planes, curve, part, offset, stride),
  );

const rowByRow = ({ rect, curve, part, offset, stride, bands }: Case): Bands => {
  const runs = Array.from({ length: part.height }, (_, row): Run => ({
    line: lineOf(curve, part.x + 0.5, part.y + row + 0.5),
    count: part.width,
    offset: offset + row * stride,
  }));
  return byLoop(bands, rect, offset + stride * part.height, runs);
};

describe('The bilinear kernel over a part of a lattice cell', () => {
  it('is the loop over floats along each of its rows, to the bit, in rows of a window; no other pixel changes', () => {
    fc.assert(
      fc.property(cases, (given) => {
        expect(differences(byKernel(given), rowByRow(given))).toEqual([-1, -1]);
      }),
      { numRuns: 700 },
    );
  });

  it('would be found wrong with one node displaced by a thousandth of a pixel', () => {
    const large = cases.filter(
      ({ part, rect }) => part.width * part.height > 50 && rect.width > 20 && rect.height > 20,
    );
    fc.assert(
      fc.property(large, fc.constantFrom('x', 'y'), (given, axis) => {
        const bands = given.bands.map((band) => band.map((_, i) => 1000 + ((i * i) % 89)));
        const [a, b, c, d, e, f, g, h, i] = given.curve[axis];
        const moved: NineValues = [a, b, c, d, e + 0.001, f, g, h, i];
        const curve = { ...given.curve, [axis]: moved };
        const found = differences(byKernel({ ...given, bands, curve }), rowByRow({ ...given, bands }));
        expect(Math.min(...found)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 200, seed: 3 },
    );
  });
});
