import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { zOrder } from '../../../lambda/raster/mosaic/z-order.ts';

it('takes the four cells under each cell of half the size one after another', () => {
  expect([...zOrder({ columns: 4, rows: 4 })]).toEqual([0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]);
});

it('passes over what lies outside of the grid', () => {
  expect([...zOrder({ columns: 3, rows: 2 })]).toEqual([0, 1, 3, 4, 2, 5]);
  expect([...zOrder({ columns: 1, rows: 1 })]).toEqual([0]);
});

it('takes each cell once, and leaves no more cells begun than there are levels above', () => {
  const side = fc.integer({ min: 1, max: 40 });
  fc.assert(
    fc.property(side, side, (columns, rows) => {
      const order = [...zOrder({ columns, rows })];
      expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: columns * rows }, (_, i) => i));
      expect(mostBegun(order, columns, rows)).toBeLessThanOrEqual(1);
    }),
  );
});

it('would not pass row by row: a whole row of cells is begun then', () => {
  const byRow = Array.from({ length: 16 * 16 }, (_, i) => i);
  expect(mostBegun(byRow, 16, 16)).toBe(8);
});

/** The most cells of half the size that wait for some of their four at a time. */
const mostBegun = (order: readonly number[], columns: number, rows: number): number => {
  const left = new Map<number, number>();
  let most = 0;
  for (const cell of order) {
    const [x, y] = [(cell % columns) >> 1, Math.floor(cell / columns) >> 1];
    const above = y * columns + x;
    const all = Math.min(2, columns - 2 * x) * Math.min(2, rows - 2 * y);
    const rest = (left.get(above) ?? all) - 1;
    if (rest === 0) left.delete(above);
    else left.set(above, rest);
    most = Math.max(most, left.size);
  }
  return most;
};
