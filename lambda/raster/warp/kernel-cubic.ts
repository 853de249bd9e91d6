import type { InteriorKernel, KernelReach } from './interior-run.ts';
import { bilinearAround, bilinearAtEdge } from './kernel-bilinear.ts';
import type { RowKernel } from './source-view.ts';

export const CUBIC_REACH: KernelReach = { shift: 0.5, before: 1, after: 2 };

/**
 * Cubic convolution over 4 x 4 pixels (Keys 1981, a = -0.5). Where one of them is missing or has no data the value is
 * the bilinear one, as GDAL has it. Indices stay inside `view.rect`, hence the casts.
 */
export const cubicRow: RowKernel = (view, line, count, out, offset) => {
  const { pixels, rect, level } = view;
  const { x0, dx, ddx, y0, dy, ddy, first } = line;
  const lastColumn = level.width - 2;
  const lastRow = level.height - 2;
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
    if (column >= 1 && column < lastColumn && row >= 1 && row < lastRow) {
      const t = x - column;
      const a = 0.5 * t * (-1 + t * (2 - t));
      const b = 1 + 0.5 * t * t * (-5 + 3 * t);
      const c = 0.5 * t * (1 + t * (4 - 3 * t));
      const d = 0.5 * t * t * (-1 + t);
      const s = y - row;
      let at = base + (row - 1) * stride + column - 1;
      value =
        0.5 *
        s *
        (-1 + s * (2 - s)) *
        ((pixels[at] as number) * a +
          (pixels[at + 1] as number) * b +
          (pixels[at + 2] as number) * c +
          (pixels[at + 3] as number) * d);
      at += stride;
      value +=
        (1 + 0.5 * s * s * (-5 + 3 * s)) *
        ((pixels[at] as number) * a +
          (pixels[at + 1] as number) * b +
          (pixels[at + 2] as number) * c +
          (pixels[at + 3] as number) * d);
      at += stride;
      value +=
        0.5 *
        s *
        (1 + s * (4 - 3 * s)) *
        ((pixels[at] as number) * a +
          (pixels[at + 1] as number) * b +
          (pixels[at + 2] as number) * c +
          (pixels[at + 3] as number) * d);
      at += stride;
      value +=
        0.5 *
        s *
        s *
        (-1 + s) *
        ((pixels[at] as number) * a +
          (pixels[at + 1] as number) * b +
          (pixels[at + 2] as number) * c +
          (pixels[at + 3] as number) * d);
    }
    out[offset + i] = value === value ? value : bilinearAtEdge(view, x + 0.5, y + 0.5);
  }
};

/** `cubicRow` where no kernel reaches beyond the source. */
export const cubicInterior: InteriorKernel = (view, positions, count, out, offset) => {
  const { pixels } = view;
  const stride = view.rect.width;
  const { index, right, below } = positions;
  for (let i = 0; i < count; i++) {
    const centre = index[i] as number;
    const t = right[i] as number;
    const s = below[i] as number;
    const a = 0.5 * t * (-1 + t * (2 - t));
    const b = 1 + 0.5 * t * t * (-5 + 3 * t);
    const c = 0.5 * t * (1 + t * (4 - 3 * t));
    const d = 0.5 * t * t * (-1 + t);
    let at = centre - stride - 1;
    let value =
      0.5 *
      s *
      (-1 + s * (2 - s)) *
      ((pixels[at] as number) * a +
        (pixels[at + 1] as number) * b +
        (pixels[at + 2] as number) * c +
        (pixels[at + 3] as number) * d);
    at += stride;
    value +=
      (1 + 0.5 * s * s * (-5 + 3 * s)) *
      ((pixels[at] as number) * a +
        (pixels[at + 1] as number) * b +
        (pixels[at + 2] as number) * c +
        (pixels[at + 3] as number) * d);
    at += stride;
    value +=
      0.5 *
      s *
      (1 + s * (4 - 3 * s)) *
      ((pixels[at] as number) * a +
        (pixels[at + 1] as number) * b +
        (pixels[at + 2] as number) * c +
        (pixels[at + 3] as number) * d);
    at += stride;
    value +=
      0.5 *
      s *
      s *
      (-1 + s) *
      ((pixels[at] as number) * a +
        (pixels[at + 1] as number) * b +
        (pixels[at + 2] as number) * c +
        (pixels[at + 3] as number) * d);
    out[offset + i] = value === value ? value : bilinearAround(view, centre, t, s);
  }
};
