import { EDGE_EPSILON } from './source-view.ts';
import type { RowKernel } from './source-view.ts';

/** The source pixel under the output pixel's centre. Indices stay inside `view.rect`, hence the casts. */
export const nearestRow: RowKernel = (view, line, count, out, offset) => {
  const { pixels, rect, level } = view;
  const { x0, dx, y0, dy, first } = line;
  const { width, height } = level;
  const stride = rect.width;
  const base = -rect.y * stride - rect.x;
  for (let i = 0; i < count; i++) {
    const x = x0 + (first + i) * dx;
    const y = y0 + (first + i) * dy;
    if (!(x >= 0 && y >= 0 && x + EDGE_EPSILON <= width && y + EDGE_EPSILON <= height)) {
      out[offset + i] = Number.NaN;
      continue;
    }
    let column = Math.floor(x + EDGE_EPSILON);
    let row = Math.floor(y + EDGE_EPSILON);
    if (column === width) column--;
    if (row === height) row--;
    out[offset + i] = pixels[base + row * stride + column] as number;
  }
};
