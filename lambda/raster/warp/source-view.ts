import type { FloatPixels, PixelRect, RasterSize } from '../types.ts';

/** The part of a source level that was read, as the kernels see it. */
export interface SourceView {
  /** Rows x cols of `rect`; NaN where there is no data. */
  readonly pixels: FloatPixels;
  /** What was read, in pixels of the level. */
  readonly rect: PixelRect;
  /** The whole level's size: beyond it there is nothing, beyond `rect` nothing is asked for. */
  readonly level: RasterSize;
}

/**
 * Source positions along a run of output pixels of one row: with k = first + i, pixel i lies at
 * x0 + k * (dx + k * ddx), y0 + k * (dy + k * ddy). Written so, and not as a running sum, so that a pixel's position
 * is the same in every window.
 */
export interface SourceLine {
  readonly x0: number;
  readonly dx: number;
  readonly ddx: number;
  readonly y0: number;
  readonly dy: number;
  readonly ddy: number;
  readonly first: number;
}

/** Resamples `count` pixels along a line into `out` from `offset` on; NaN where the source has no valid pixel under the centre. */
export type RowKernel = (view: SourceView, line: SourceLine, count: number, out: FloatPixels, offset: number) => void;

/** GDAL's: a centre within this of the next pixel belongs to it. px */
export const EDGE_EPSILON = 1e-10;

/** The value of the pixel under a position; NaN outside the source (GDAL's rule: the far edges belong to the last pixel). */
export const centreValue = ({ pixels, rect, level }: SourceView, x: number, y: number): number => {
  if (!(x >= 0 && y >= 0 && x + EDGE_EPSILON <= level.width && y + EDGE_EPSILON <= level.height)) return Number.NaN;
  const column = Math.min(Math.floor(x + EDGE_EPSILON), level.width - 1);
  const row = Math.min(Math.floor(y + EDGE_EPSILON), level.height - 1);
  return pixels[(row - rect.y) * rect.width + column - rect.x] ?? Number.NaN;
};
