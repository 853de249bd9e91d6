import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  MAX_WINDOW_PX,
  windowCount,
  windowEdges,
  windowGrid,
  windowRect,
  windowsAlong,
  windowsOf,
} from '../../lambda/identity/grid.ts';

const widths = (edges: readonly number[]): number[] => edges.slice(1).map((edge, i) => edge - (edges[i] ?? 0));

describe('the windows of an axis', () => {
  it('are 20 of 2,048 px on 40,960 px', () => {
    expect(widths(windowEdges(40_960, 512, 20))).toEqual(Array.from({ length: 20 }, () => 2048));
  });

  it('are 20 of one block on 10,240 px', () => {
    expect(widths(windowEdges(10_240, 512, 20))).toEqual(Array.from({ length: 20 }, () => 512));
  });

  it('are 20 of one or two blocks on 10,980 px', () => {
    const sizes = widths(windowEdges(10_980, 512, 20));
    expect(sizes).toHaveLength(20);
    expect(new Set(sizes.slice(0, -1))).toEqual(new Set([512, 1024]));
    expect(sizes.reduce((a, b) => a + b)).toBe(10_980);
  });

  it('are 20 on 480 px of 16 px blocks', () => {
    expect(windowEdges(480, 16, 20)).toHaveLength(21);
  });

  it('are one a block where there are fewer blocks than windows', () => {
    expect(windowEdges(1098, 512, 20)).toEqual([0, 512, 1024, 1098]);
    expect(windowEdges(1, 512, 20)).toEqual([0, 1]);
  });

  it('never make a sliver: a last block below 1/16 of a block joins its neighbour', () => {
    expect(windowEdges(1024 + 31, 512, 20)).toEqual([0, 512, 1055]);
    expect(windowEdges(1024 + 32, 512, 20)).toEqual([0, 512, 1024, 1056]);
    expect(windowEdges(5, 512, 20)).toEqual([0, 5]);
  });

  it('are more than 20 where 20 would be larger than 4,096 px', () => {
    const sizes = widths(windowEdges(200_000, 512, 20));
    expect(sizes.length).toBeGreaterThan(20);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_WINDOW_PX + 32);
  });
});

describe('any grid', () => {
  const scenes = fc.record({
    width: fc.integer({ min: 1, max: 120_000 }),
    height: fc.integer({ min: 1, max: 120_000 }),
    tilePx: fc.constantFrom(16, 64, 256, 512, 1024, 4096),
    wanted: fc.record({ rows: fc.integer({ min: 1, max: 40 }), columns: fc.integer({ min: 1, max: 40 }) }),
  });

  it('partitions its scene exactly, on block boundaries, with windows of bounded size', () => {
    fc.assert(
      fc.property(scenes, ({ width, height, tilePx, wanted }) => {
        for (const [size, count] of [
          [width, wanted.columns],
          [height, wanted.rows],
        ] as const) {
          const edges = windowEdges(size, tilePx, count);
          expect(edges[0]).toBe(0);
          expect(edges.at(-1)).toBe(size);
          for (const length of widths(edges)) {
            expect(length).toBeGreaterThan(0);
            expect(length).toBeLessThanOrEqual(MAX_WINDOW_PX + tilePx / 16);
          }
          for (const edge of edges.slice(0, -1)) expect(edge % tilePx).toBe(0);
          expect(widths(edges).at(-1) ?? 0).toBeGreaterThanOrEqual(Math.min(size, tilePx / 16));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('counts its windows without making them', () => {
    fc.assert(
      fc.property(scenes, ({ width, tilePx, wanted }) => {
        expect(windowsAlong(width, tilePx, wanted.columns)).toBe(windowEdges(width, tilePx, wanted.columns).length - 1);
      }),
    );
    expect(windowsAlong(3.85e11, 512, 20)).toBe(Math.ceil(Math.ceil(3.85e11 / 512 / 8) / 1));
  });

  it('names each of its windows once, row by row, and their areas add up', () => {
    fc.assert(
      fc.property(scenes, ({ width, height, tilePx, wanted }) => {
        const grid = windowGrid({ width, height }, tilePx, wanted);
        let area = 0;
        let count = 0;
        for (const window of windowsOf(grid)) {
          const rect = windowRect(grid, window);
          area += rect.width * rect.height;
          count++;
        }
        expect(count).toBe(windowCount(grid));
        expect(area).toBe(width * height);
      }),
      { numRuns: 50 },
    );
  });

  it('has no window beyond its edges', () => {
    const grid = windowGrid({ width: 100, height: 100 }, 16, { rows: 2, columns: 2 });
    expect(() => windowRect(grid, { row: 2, column: 0 })).toThrow(RangeError);
  });
});
