import type { PixelRect, RasterSize } from '../types.ts';
import { latticeCells } from './lattice.ts';
import type { LatticeCell } from './lattice.ts';
import type { PixelMapping } from './pixel-mapping.ts';
import type { SourceLine } from './source-view.ts';

/** A part of a window whose rows have source positions on straight lines. */
export interface WindowPart {
  /** Of the output grid; inside the window. */
  readonly rect: PixelRect;
  /** The line of row position v (in output rows, corners whole) through the part's first column plus `shift`. */
  readonly line: (v: number, shift: number) => SourceLine;
  /** One pixel at a discontinuity, asked of the mapping itself. */
  readonly exact: boolean;
}

/** A window as parts, with positions in pixels of a source level: full-resolution positions times `factor`. */
export const windowParts = (
  mapping: PixelMapping,
  out: RasterSize,
  rect: PixelRect,
  source: RasterSize,
  factor: { readonly x: number; readonly y: number },
): WindowPart[] => {
  const { affine } = mapping;
  if (affine !== null) {
    const [x0, a, b, y0, c, d] = affine;
    const line = (v: number, shift: number): SourceLine => ({
      x0: (x0 + b * v) * factor.x,
      dx: a * factor.x,
      y0: (y0 + d * v) * factor.y,
      dy: c * factor.y,
      first: rect.x + shift,
    });
    return [{ rect, line, exact: false }];
  }
  return latticeCells(mapping, out, rect, source).map((cell) => partOf(cell, rect, factor));
};

const partOf = (cell: LatticeCell, window: PixelRect, factor: { readonly x: number; readonly y: number }): WindowPart => {
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
    const startX = x[0] + down * (x[2] - x[0]);
    const startY = y[0] + down * (y[2] - y[0]);
    return {
      x0: startX * factor.x,
      dx: ((x[1] + down * (x[3] - x[1]) - startX) / (u1 - u0)) * factor.x,
      y0: startY * factor.y,
      dy: ((y[1] + down * (y[3] - y[1]) - startY) / (u1 - u0)) * factor.y,
      first: left - u0 + shift,
    };
  };
  return { rect, line, exact };
};

/** The box of source positions of a part's pixels: of their centres (`inset` 0.5) or of their corners (0). */
export const partBounds = (part: WindowPart, inset: number): readonly { x: number; y: number }[] => {
  const { rect, line } = part;
  return [rect.y + inset, rect.y + rect.height - inset].flatMap((v) =>
    [inset, rect.width - inset].map((shift) => {
      const { x0, dx, y0, dy, first } = line(v, shift);
      return { x: x0 + first * dx, y: y0 + first * dy };
    }),
  );
};
