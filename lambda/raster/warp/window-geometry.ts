import type { PixelRect, RasterSize } from '../types.ts';
import type { CellCurve, LevelFactor } from './cell-curve.ts';
import { latticeCells, quadratic } from './lattice.ts';
import type { LatticeCell, NineValues } from './lattice.ts';
import type { PixelMapping } from './pixel-mapping.ts';
import type { SourceLine } from './source-view.ts';

/** A part of a window whose rows have source positions on smooth lines. */
export interface WindowPart {
  /** Of the output grid; inside the window. */
  readonly rect: PixelRect;
  /** The line of row position v (in output rows, corners whole) through the part's first column plus `shift`. */
  readonly line: (v: number, shift: number) => SourceLine;
  /** How far lines bend between their ends, source px. */
  readonly bend: number;
  /** What its lines are taken from, where that is a cell of the lattice. */
  readonly curve: CellCurve | null;
  /** One pixel at a discontinuity, asked of the mapping itself. */
  readonly exact: boolean;
}

/** A window as parts, with positions in pixels of a source level. */
export const windowParts = (
  mapping: PixelMapping,
  out: RasterSize,
  rect: PixelRect,
  source: RasterSize,
  factor: LevelFactor,
): WindowPart[] => {
  const { affine } = mapping;
  if (affine === null) return latticeCells(mapping, out, rect, source).map((cell) => partOf(cell, rect, factor));
  const [x0, a, b, y0, c, d] = affine;
  const line = (v: number, shift: number): SourceLine => ({
    x0: (x0 + b * v) * factor.x,
    dx: a * factor.x,
    ddx: 0,
    y0: (y0 + d * v) * factor.y,
    dy: c * factor.y,
    ddy: 0,
    first: rect.x + shift,
  });
  return [{ rect, line, bend: 0, curve: null, exact: false }];
};

const partOf = (cell: LatticeCell, window: PixelRect, factor: LevelFactor): WindowPart => {
  const { u0, v0, u1, v1, x, y, exact } = cell;
  const left = Math.max(u0, window.x);
  const top = Math.max(v0, window.y);
  const rect = {
    x: left,
    y: top,
    width: Math.min(u1, window.x + window.width) - left,
    height: Math.min(v1, window.y + window.height) - top,
  };
  const line = (v: number, shift: number): SourceLine => {
    const down = (v - v0) / (v1 - v0);
    const [x0, dx, ddx] = alongRow(x, down, u1 - u0, factor.x);
    const [y0, dy, ddy] = alongRow(y, down, u1 - u0, factor.y);
    return { x0, dx, ddx, y0, dy, ddy, first: left - u0 + shift };
  };
  const bend = Math.max(bendOf(x) * factor.x, bendOf(y) * factor.y);
  return { rect, line, bend, curve: exact ? null : { u0, v0, u1, v1, x, y, factor, bend }, exact };
};

/** Coefficients, by columns from the cell's left edge, of one coordinate on the row that lies `down` of the way to the bottom. */
const alongRow = (
  [a, b, c, d, e, f, g, h, i]: NineValues,
  down: number,
  width: number,
  factor: number,
): readonly [number, number, number] => {
  const left = quadratic(a, d, g, down) * factor;
  const middle = quadratic(b, e, h, down) * factor;
  const right = quadratic(c, f, i, down) * factor;
  return [left, (4 * middle - 3 * left - right) / width, (2 * (left - 2 * middle + right)) / (width * width)];
};

const bendOf = ([a, b, c, d, e, f, g, h, i]: NineValues): number =>
  Math.max(Math.abs(a - 2 * b + c), Math.abs(d - 2 * e + f), Math.abs(g - 2 * h + i)) +
  Math.max(Math.abs(a - 2 * d + g), Math.abs(b - 2 * e + h), Math.abs(c - 2 * f + i));

/** Four positions whose box, widened by the part's bend, holds those of its pixels' centres (`inset` 0.5) or corners (0). */
export const partBounds = ({ rect, line }: WindowPart, inset: number): readonly { x: number; y: number }[] =>
  [rect.y + inset, rect.y + rect.height - inset].flatMap((v) =>
    [inset, rect.width - inset].map((shift) => {
      const { x0, dx, ddx, y0, dy, ddy, first } = line(v, shift);
      return { x: x0 + first * (dx + first * ddx), y: y0 + first * (dy + first * ddy) };
    }),
  );
