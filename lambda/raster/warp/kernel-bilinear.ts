import { EDGE_EPSILON, centreValue } from './source-view.ts';
import type { InteriorKernel, KernelReach } from './interior-run.ts';
import { positionOf } from './interior-run.ts';
import type { RowKernel, SourceView } from './source-view.ts';

export const BILINEAR_REACH: KernelReach = { shift: 0.5, before: 0, after: 1 };

/**
 * Bilinear interpolation between the four pixels around the centre. Where one of them is missing or has no data the
 * weights of the others are scaled up to 1; where the pixel under the centre has none, the output has none (GDAL's rules).
 * Indices of the fast path stay inside `view.rect`, hence the casts.
 */
export const bilinearRow: RowKernel = (view, line, count, out, offset) => {
  const { pixels, rect, level } = view;
  const { x0, dx, ddx, y0, dy, ddy, first } = line;
  const lastColumn = level.width - 1;
  const lastRow = level.height - 1;
  const stride = rect.width;
  const { floor } = Math;
  const nan = Number.NaN;
  const base = -rect.y * stride - rect.x;
  for (let i = 0; i < count; i++) {
    const k = first + i;
    const x = x0 + k * (dx + k * ddx) - 0.5;
    const y = y0 + k * (dy + k * ddy) - 0.5;
    const column = floor(x);
    const row = floor(y);
    let value = nan;
    if (column >= 0 && column < lastColumn && row >= 0 && row < lastRow) {
      const tx = x - column;
      const ty = y - row;
      const index = base + row * stride + column;
      const upper = (pixels[index] as number) * (1 - tx) + (pixels[index + 1] as number) * tx;
      const lower = (pixels[index + stride] as number) * (1 - tx) + (pixels[index + stride + 1] as number) * tx;
      value = upper * (1 - ty) + lower * ty;
    }
    // NaN says that a neighbour is missing, for any NaN makes the sum NaN.
    out[offset + i] = value === value ? value : bilinearAtEdge(view, x + 0.5, y + 0.5);
  }
};

/** `bilinearRow` where no kernel reaches beyond the source. */
export const bilinearInterior: InteriorKernel = (view, positions, count, out, offset) => {
  const { pixels } = view;
  const stride = view.rect.width;
  const { index, right, below } = positions;
  for (let i = 0; i < count; i++) {
    const at = index[i] as number;
    const tx = right[i] as number;
    const ty = below[i] as number;
    const upper = (pixels[at] as number) * (1 - tx) + (pixels[at + 1] as number) * tx;
    const lower = (pixels[at + stride] as number) * (1 - tx) + (pixels[at + stride + 1] as number) * tx;
    const value = upper * (1 - ty) + lower * ty;
    out[offset + i] = value === value ? value : bilinearAround(view, at, tx, ty);
  }
};

/** The bilinear value where one of four pixels that are all there has no data. */
export const bilinearAround = (view: SourceView, at: number, tx: number, ty: number): number => {
  // As `centreValue` has it; a swath's dark corner asks this of every pixel.
  const centre = at + (tx + 0.5 + EDGE_EPSILON >= 1 ? 1 : 0) + (ty + 0.5 + EDGE_EPSILON >= 1 ? view.rect.width : 0);
  if (Number.isNaN(view.pixels[centre])) return Number.NaN;
  const { x, y } = positionOf(view, at, tx, ty, BILINEAR_REACH.shift);
  return bilinearAtEdge(view, x, y);
};

/** The bilinear value at a position with a neighbour missing. */
export const bilinearAtEdge = (view: SourceView, x: number, y: number): number => {
  if (Number.isNaN(centreValue(view, x, y))) return Number.NaN;
  const { pixels, rect, level } = view;
  const column = Math.floor(x - 0.5);
  const row = Math.floor(y - 0.5);
  const tx = x - 0.5 - column;
  const ty = y - 0.5 - row;
  let sum = 0;
  let weights = 0;
  for (let j = 0; j < 2; j++) {
    for (let i = 0; i < 2; i++) {
      if (column + i < 0 || column + i >= level.width || row + j < 0 || row + j >= level.height) continue;
      const weight = (i === 0 ? 1 - tx : tx) * (j === 0 ? 1 - ty : ty);
      const value = pixels[(row + j - rect.y) * rect.width + column + i - rect.x] ?? Number.NaN;
      if (weight === 0 || Number.isNaN(value)) continue;
      sum += value * weight;
      weights += weight;
    }
  }
  return weights < 0.00001 ? Number.NaN : sum / weights;
};
