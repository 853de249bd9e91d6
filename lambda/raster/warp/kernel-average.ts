import type { FloatPixels } from '../types.ts';
import { EDGE_EPSILON } from './source-view.ts';
import type { SourceLine, SourceView } from './source-view.ts';

/**
 * The mean of the valid source pixels under each output pixel, weighted by area. The footprint is the box between the
 * source positions of the pixel's top left corner (on `upper`) and bottom right corner (on `lower`), as GDAL has it;
 * no output where it holds no valid pixel. Indices stay inside `view.rect`, hence the casts.
 */
export const averageRow = (
  view: SourceView,
  upper: SourceLine,
  lower: SourceLine,
  count: number,
  out: FloatPixels,
  offset: number,
): void => {
  for (let i = 0; i < count; i++) {
    const k = upper.first + i;
    const l = k + 1;
    out[offset + i] = averageOfBox(
      view,
      upper.x0 + k * (upper.dx + k * upper.ddx),
      upper.y0 + k * (upper.dy + k * upper.ddy),
      lower.x0 + l * (lower.dx + l * lower.ddx),
      lower.y0 + l * (lower.dy + l * lower.ddy),
    );
  }
};

/** The mean over the box between two opposite corners, in source pixels. */
export const averageOfBox = (view: SourceView, xa: number, ya: number, xb: number, yb: number): number => {
  const { pixels, rect, level } = view;
  const { ceil, floor, max, min } = Math;
  const left = min(xa, xb);
  const right = max(xa, xb);
  const top = min(ya, yb);
  const bottom = max(ya, yb);
  if (!(right > -EDGE_EPSILON && left < level.width + EDGE_EPSILON)) return Number.NaN;
  if (!(bottom > -EDGE_EPSILON && top < level.height + EDGE_EPSILON)) return Number.NaN;

  const c0 = max(floor(left + EDGE_EPSILON), 0);
  const r0 = max(floor(top + EDGE_EPSILON), 0);
  let c1 = min(ceil(right - EDGE_EPSILON), level.width);
  let r1 = min(ceil(bottom - EDGE_EPSILON), level.height);
  if (c0 === c1 && c1 < level.width) c1++;
  if (r0 === r1 && r1 < level.height) r1++;

  let sum = 0;
  let total = 0;
  for (let r = r0; r < r1; r++) {
    const weightY = share(r, r0, r1, top, bottom);
    const start = (r - rect.y) * rect.width - rect.x;
    for (let c = c0; c < c1; c++) {
      const value = pixels[start + c] as number;
      if (value !== value) continue;
      const weight = weightY * share(c, c0, c1, left, right);
      if (weight <= 0) continue;
      sum += value * weight;
      total += weight;
    }
  }
  return total > 0 ? sum / total : Number.NaN;
};

/** How much of pixel `at`, of those from `first` to before `end`, lies between two edges; the only one counts whole. */
const share = (at: number, first: number, end: number, low: number, high: number): number => {
  if (at === first) return first + 1 === end ? 1 : 1 - (low - first);
  return at + 1 === end ? 1 - (end - high) : 1;
};
