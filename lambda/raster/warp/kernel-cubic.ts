import type { InteriorKernel, KernelReach } from './interior-run.ts';
import { runPositions } from './interior-run.ts';
import { bilinearAround, bilinearAtEdge } from './kernel-bilinear.ts';
import type { RowKernel } from './source-view.ts';

export const CUBIC_REACH: KernelReach = { shift: 0.5, before: 1, after: 2 };

/** For one pixel at a time: runs that reach beyond the source are few. */
const ONE = runPositions(1);

/** Cubic convolution where some kernels reach beyond the source: there the value is the bilinear one, as GDAL has it. */
export const cubicRow: RowKernel = (view, line, count, out, offset) => {
  const { rect, level } = view;
  const { x0, dx, ddx, y0, dy, ddy, first } = line;
  const { shift, before, after } = CUBIC_REACH;
  for (let i = 0; i < count; i++) {
    const k = first + i;
    const x = x0 + k * (dx + k * ddx) - shift;
    const y = y0 + k * (dy + k * ddy) - shift;
    const column = Math.floor(x);
    const row = Math.floor(y);
    const inside = column >= before && column < level.width - after && row >= before && row < level.height - after;
    if (!inside) {
      out[offset + i] = bilinearAtEdge(view, x + shift, y + shift);
      continue;
    }
    ONE.index[0] = (row - rect.y) * rect.width + column - rect.x;
    ONE.right[0] = x - column;
    ONE.below[0] = y - row;
    cubicInterior(view, ONE, 1, out, offset + i);
  }
};

/**
 * Cubic convolution over 4 x 4 pixels (Keys 1981, a = -0.5). Where one of them has no data the value is the bilinear one,
 * as GDAL has it. Indices stay inside `view.rect`, hence the casts.
 */
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
