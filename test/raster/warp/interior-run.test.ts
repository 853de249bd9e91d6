import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isInterior, isOutside } from '../../../lambda/raster/warp/interior-run.ts';
import type { SourceLine } from '../../../lambda/raster/warp/source-view.ts';

const size = fc.integer({ min: 1, max: 50 });
const origin = fc.double({ min: -60, max: 110, noNaN: true });
const step = fc.double({ min: -3, max: 3, noNaN: true });
const bend = fc.constantFrom(0, 1e-3, -1e-3, 0.02);
const lines = fc.record({ x0: origin, dx: step, ddx: bend, y0: origin, dy: step, ddy: bend, first: fc.nat(40) });
const counts = fc.integer({ min: 1, max: 60 });

const positionsOf = ({ x0, dx, ddx, y0, dy, ddy, first }: SourceLine, count: number): { x: number; y: number }[] =>
  Array.from({ length: count }, (_, i) => {
    const k = first + i;
    return { x: x0 + k * (dx + k * ddx), y: y0 + k * (dy + k * ddy) };
  });

describe('A run of output pixels', () => {
  it('is outside the level only where every centre is, and some that are so are known', () => {
    let known = 0;
    fc.assert(
      fc.property(size, size, lines, counts, (width, height, line, count) => {
        if (!isOutside({ width, height }, line, count)) return;
        known++;
        const on = positionsOf(line, count).filter(({ x, y }) => x >= 0 && x <= width && y >= 0 && y <= height);
        expect(on).toEqual([]);
      }),
      { numRuns: 3000 },
    );
    expect(known).toBeGreaterThan(300);
  });

  it('is inside for a kernel only where its reach is at every centre, and never both', () => {
    let known = 0;
    fc.assert(
      fc.property(size, size, lines, counts, (width, height, line, count) => {
        const reach = { shift: 0.5, before: 0, after: 1 };
        if (!isInterior({ width, height }, line, count, reach)) return;
        known++;
        expect(isOutside({ width, height }, line, count)).toBe(false);
        const beyond = positionsOf(line, count).filter(
          ({ x, y }) => x < 0.5 || x >= width - 0.5 || y < 0.5 || y >= height - 0.5,
        );
        expect(beyond).toEqual([]);
      }),
      { numRuns: 3000 },
    );
    expect(known).toBeGreaterThan(20);
  });
});
