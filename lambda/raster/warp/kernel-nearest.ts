import type { InteriorKernel, KernelReach } from './interior-run.ts';
import { EDGE_EPSILON } from './source-view.ts';
import type { RowKernel } from './source-view.ts';

export const NEAREST_REACH: KernelReach = { shift: -EDGE_EPSILON, before: 1, after: 1 };

/** The source pixel under the output pixel's centre. Indices stay inside `view.rect`, hence the casts. */
export const nearestRow: RowKernel = (view, line, count, out, offset) => {
  const { pixels, rect, level } = view;
  const { x0, dx, ddx, y0, dy, ddy, first } = line;
  const { width, height } = level;
  const stride = rect.width;
  // Locals: looking globals and imports up costs in every step of the loop.
  const { floor } = Math;
  const epsilon = EDGE_EPSILON;
  const nan = Number.NaN;
  const base = -rect.y * stride - rect.x;
  for (let i = 0; i < count; i++) {
    const k = first + i;
    const x = x0 + k * (dx + k * ddx);
    const y = y0 + k * (dy + k * ddy);
    if (!(x >= 0 && y >= 0 && x + epsilon <= width && y + epsilon <= height)) {
      out[offset + i] = nan;
      continue;
    }
    let column = floor(x + epsilon);
    let row = floor(y + epsilon);
    if (column === width) column--;
    if (row === height) row--;
    out[offset + i] = pixels[base + row * stride + column] as number;
  }
};

/** `nearestRow` where no centre is near the source's edges. */
export const nearestInterior: InteriorKernel = ({ pixels }, { index }, count, out, offset) => {
  for (let i = 0; i < count; i++) out[offset + i] = pixels[index[i] as number] as number;
};
