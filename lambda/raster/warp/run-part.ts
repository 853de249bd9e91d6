import type { WarpPlanes } from '../kernels/warp-planes.ts';
import type { FloatPixels, PixelRect, RasterSize } from '../types.ts';
import { isInteriorCell } from './cell-curve.ts';
import type { ChosenKernel, InteriorChoice } from './choose-kernel.ts';
import type { RunPositions } from './interior-run.ts';
import { isInterior, isOutside, placeRun } from './interior-run.ts';
import { averageOfBox, averageRow } from './kernel-average.ts';
import type { RowKernel, SourceLine, SourceView } from './source-view.ts';
import type { WindowPart } from './window-geometry.ts';

/** One band on its way through the warp. */
export interface Pass {
  readonly view: SourceView;
  readonly target: FloatPixels;
}

/** Where an output position lies in the level, px; null outside a projection's domain. */
export type ExactAt = (u: number, v: number) => { x: number; y: number } | null;

/**
 * Resamples the pixels of one part of a window, for all bands.
 *
 * @param planes what the passes' arrays are parts of, where they are in the kernels' memory
 * @param turn px once around the Earth, or null
 */
export const runPart = (
  part: WindowPart,
  { row: kernel, interior }: ChosenKernel,
  window: PixelRect,
  passes: readonly Pass[],
  planes: WarpPlanes | null,
  positions: RunPositions,
  exactAt: ExactAt,
  turn: number | null,
): void => {
  const { rect, line, curve, exact } = part;
  const [first] = passes;
  if (first === undefined) return;
  const { level } = first.view;
  const vector = planes === null ? null : (interior?.vector ?? null);
  const offsetOf = (v: number): number => (v - window.y) * window.width + rect.x - window.x;
  if (planes !== null && vector !== null && curve !== null && isWrittenWhole(part, { interior }, level)) {
    return vector.cell(planes, curve, rect, offsetOf(rect.y), window.width);
  }
  for (let v = rect.y; v < rect.y + rect.height; v++) {
    const offset = offsetOf(v);
    if (exact) {
      for (const pass of passes) runExact(pass, kernel, rect.x, v, offset, exactAt, turn);
      continue;
    }
    if (kernel === null) {
      const above = line(v, 0);
      const below = line(v + 1, 0);
      for (const { view, target } of passes) averageRow(view, above, below, rect.width, target, offset);
      continue;
    }
    const centres = line(v + 0.5, 0.5);
    if (interior === null) for (const { view, target } of passes) kernel(view, centres, rect.width, target, offset);
    else runLine({ row: kernel, interior, level }, passes, planes, positions, centres, rect.width, offset);
  }
};

/** Whether a part's pixels are all resampled by a vector kernel, where their bands are in the kernels' memory. */
export const isWrittenWhole = (
  { curve }: WindowPart,
  { interior }: Pick<ChosenKernel, 'interior'>,
  level: RasterSize,
): boolean => interior !== null && interior.vector !== null && curve !== null && isInteriorCell(level, curve, interior);

/** Pixels that are not worth a closer look at where they lie. */
const SHORT_RUN = 16;

/** A row of a part by its halves, their halves and so on: what lies inside the source by a faster kernel, what lies outside by none. */
const runLine = (
  kernel: { readonly row: RowKernel; readonly interior: InteriorChoice; readonly level: RasterSize },
  passes: readonly Pass[],
  planes: WarpPlanes | null,
  positions: RunPositions,
  line: SourceLine,
  count: number,
  offset: number,
): void => {
  const { row, interior, level } = kernel;
  if (isOutside(level, line, count)) return;
  if (isInterior(level, line, count, interior)) {
    if (planes !== null && interior.vector !== null) return interior.vector.run(planes, line, count, offset);
    for (const [band, { view, target }] of passes.entries()) {
      if (band === 0) placeRun(view.rect, line, count, interior.shift, positions);
      interior.run(view, positions, count, target, offset);
    }
    return;
  }
  if (count <= SHORT_RUN) {
    for (const { view, target } of passes) row(view, line, count, target, offset);
    return;
  }
  const half = count >> 1;
  runLine(kernel, passes, planes, positions, line, half, offset);
  const rest = { ...line, first: line.first + half };
  runLine(kernel, passes, planes, positions, rest, count - half, offset + half);
};

/** One pixel, asked of the mapping itself. */
const runExact = (
  { view, target }: Pass,
  kernel: RowKernel | null,
  u: number,
  v: number,
  offset: number,
  exactAt: ExactAt,
  turn: number | null,
): void => {
  if (kernel !== null) {
    const at = exactAt(u + 0.5, v + 0.5);
    if (at !== null) kernel(view, { x0: at.x, dx: 0, ddx: 0, y0: at.y, dy: 0, ddy: 0, first: 0 }, 1, target, offset);
    return;
  }
  const from = exactAt(u, v);
  const to = exactAt(u + 1, v + 1);
  if (from === null || to === null) return;
  // Across the source's own seam the box is the part on the side of its first corner.
  const seam = turn !== null && Math.abs(to.x - from.x) > turn / 2 ? Math.sign(from.x - to.x) * turn : 0;
  target[offset] = averageOfBox(view, from.x, from.y, to.x + seam, to.y);
};
