import type { RasterSize } from '../types.ts';
import type { KernelReach } from './interior-run.ts';
import type { LatticeCell } from './lattice.ts';

/** Pixels of a source level per pixel at full resolution. */
export interface LevelFactor {
  readonly x: number;
  readonly y: number;
}

/** Source positions all over one cell of the lattice, quadratic along rows and columns. */
export interface CellCurve extends Pick<LatticeCell, 'u0' | 'v0' | 'u1' | 'v1' | 'x' | 'y'> {
  readonly factor: LevelFactor;
  /** How far lines bend between their ends, px of the level. */
  readonly bend: number;
}

/** Whether every position of a cell is so far inside the level that a kernel's reach is. May say no where it just is. */
export const isInteriorCell = (
  { width, height }: RasterSize,
  { x, y, factor, bend }: CellCurve,
  { shift, before, after }: KernelReach,
): boolean => {
  const within = (nodes: readonly number[], scale: number, size: number): boolean =>
    nodes.every((node) => node * scale - bend - shift >= before && node * scale + bend - shift < size - after);
  return within(x, factor.x, width) && within(y, factor.y, height);
};
