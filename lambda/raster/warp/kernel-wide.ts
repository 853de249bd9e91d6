import { centreValue } from './source-view.ts';
import type { RowKernel } from './source-view.ts';

/** A kernel's weight at a distance, in steps of its own. */
export interface WideKernel {
  readonly radius: number;
  readonly weight: (distance: number) => number;
}

export const BILINEAR_KERNEL: WideKernel = {
  radius: 1,
  weight: (distance) => Math.max(0, 1 - Math.abs(distance)),
};

export const CUBIC_KERNEL: WideKernel = {
  radius: 2,
  weight: (distance) => {
    const d = Math.abs(distance);
    if (d <= 1) return d * d * (1.5 * d - 2.5) + 1;
    return d <= 2 ? d * d * (-0.5 * d + 2.5) - 4 * d + 2 : 0;
  },
};

/** Source pixels that a kernel reaches to either side at a scale (output pixels per source pixel). */
export const wideRadius = (kernel: WideKernel, scale: number): number =>
  scale < 1 ? Math.ceil(kernel.radius / scale) : kernel.radius;

/**
 * A kernel stretched by the reduction, so that every source pixel has its share in a smaller output: weights are
 * normalised over the valid pixels; no output where the pixel under the centre has no data. Scales are output
 * pixels per source pixel; above 1 the kernel keeps its size.
 */
export const wideRow =
  (kernel: WideKernel, scaleX: number, scaleY: number): RowKernel =>
  (view, line, count, out, offset) => {
    const { pixels, rect, level } = view;
    const { x0, dx, ddx, y0, dy, ddy, first } = line;
    const sx = Math.min(scaleX, 1);
    const sy = Math.min(scaleY, 1);
    const radiusX = wideRadius(kernel, scaleX);
    const radiusY = wideRadius(kernel, scaleY);
    const weights = new Float64Array(2 * radiusX + 1);
    const { floor, max, min } = Math;
    const nan = Number.NaN;
    const { weight: weightAt } = kernel;
    for (let i = 0; i < count; i++) {
      const k = first + i;
      const x = x0 + k * (dx + k * ddx);
      const y = y0 + k * (dy + k * ddy);
      out[offset + i] = nan;
      const centre = centreValue(view, x, y);
      // NaN alone differs from itself.
      if (centre !== centre) continue;

      const column = floor(x - 0.5);
      const row = floor(y - 0.5);
      const left = max(column - radiusX, 0);
      const right = min(column + radiusX, level.width - 1);
      const top = max(row - radiusY, 0);
      const bottom = min(row + radiusY, level.height - 1);
      for (let c = left; c <= right; c++) weights[c - left] = weightAt((c - (x - 0.5)) * sx);

      let sum = 0;
      let total = 0;
      for (let r = top; r <= bottom; r++) {
        const weightY = weightAt((r - (y - 0.5)) * sy);
        if (weightY === 0) continue;
        const start = (r - rect.y) * rect.width - rect.x;
        let rowSum = 0;
        let rowTotal = 0;
        for (let c = left; c <= right; c++) {
          const weight = weights[c - left] as number;
          const value = pixels[start + c] as number;
          if (weight === 0 || value !== value) continue;
          rowSum += value * weight;
          rowTotal += weight;
        }
        sum += rowSum * weightY;
        total += rowTotal * weightY;
      }
      if (total >= 0.000001) out[offset + i] = sum / total;
    }
  };
