import { type PixelMemory, newMemory } from '../pixel-memory.ts';
import type { FloatPixels, PixelRect, RasterGrid, RasterSize, Resampling } from '../types.ts';
import { copyPlan, emptyPixels, requireSize } from './aligned-copy.ts';
import { averageOfBox, averageRow } from './kernel-average.ts';
import type { InteriorKernel, KernelReach, RunPositions } from './interior-run.ts';
import { isInterior, placeRun, runPositions } from './interior-run.ts';
import { BILINEAR_REACH, bilinearInterior, bilinearRow } from './kernel-bilinear.ts';
import { CUBIC_REACH, cubicInterior, cubicRow } from './kernel-cubic.ts';
import { NEAREST_REACH, nearestInterior, nearestRow } from './kernel-nearest.ts';
import { BILINEAR_KERNEL, CUBIC_KERNEL, wideRadius, wideRow } from './kernel-wide.ts';
import { pixelMapping } from './pixel-mapping.ts';
import { FULL_SCALE, KERNEL_RADIUS, levelFor } from './reduction.ts';
import { regionsOf, windowInRegion } from './regions.ts';
import type { Region } from './regions.ts';
import type { RowKernel, SourceView } from './source-view.ts';
import { partBounds, windowParts } from './window-geometry.ts';
import type { WindowPart } from './window-geometry.ts';

/** What to read for a window of the output, and how to resample it. Serves every band with the same grid and resampling. */
export interface WarpPlan {
  /** The source level to read: 0 is full resolution. */
  readonly level: number;
  /** The pixels of that level to read, the kernel's reach included, clipped to the level. */
  readonly sourceRect: PixelRect;
  readonly run: WarpRun;
}

/**
 * Resamples bands, each rows x cols of a plan's `sourceRect` (NaN: no data), into rows x cols of the window (NaN: no data),
 * each in its own float type and in an array from `memory`. Bands given together share the work of finding positions.
 * @throws RangeError where an array does not have the size of `sourceRect`.
 */
export type WarpRun = (bands: readonly FloatPixels[], memory?: PixelMemory) => FloatPixels[];

/** A source as the warp needs it: its grid at full resolution, and the sizes of its levels, full resolution first. */
export interface WarpSource {
  readonly grid: RasterGrid;
  readonly levels: readonly RasterSize[];
}

/**
 * Plans the warp of a source to one window of an output grid; null where no pixel of the window lies on the source.
 * A pixel's value does not depend on the window it is computed in: geometry and scale hang on the whole output.
 * Where both grids are one, or shifted by whole pixels, values are copied, whatever the resampling.
 *
 * @throws TileonceError where the two systems cannot be transformed into each other.
 */
export const planWarp = (
  source: WarpSource,
  out: RasterGrid,
  rect: PixelRect,
  resampling: Resampling,
): WarpPlan | null => {
  const mapping = pixelMapping(source.grid, out);
  const copy = copyPlan(mapping, source.grid, rect);
  if (copy !== undefined) return copy;

  const levelIndex = levelFor(mapping, source.levels, out, resampling);
  const level: RasterSize = source.levels[levelIndex] ?? source.grid;
  const factor = { x: level.width / source.grid.width, y: level.height / source.grid.height };
  const regions = regionsOf(mapping, out, source.grid, level, rect, resampling);
  const pieces = regions.map((region) => ({
    kernel: kernelFor(resampling, region, level),
    parts: windowParts(mapping, out, windowInRegion(rect, region), source.grid, factor),
  }));
  const exactAt: ExactAt = (u, v) => {
    const position = mapping.at(u, v);
    return position === null ? null : { x: position.x * factor.x, y: position.y * factor.y };
  };
  const sourceRect = rectOf(pieces, level, exactAt);
  if (sourceRect === null) return null;
  const turn = mapping.turn === null ? null : mapping.turn * factor.x;

  return {
    level: levelIndex,
    sourceRect,
    run: (bands, memory = newMemory) => {
      for (const { length } of bands) requireSize(length, sourceRect);
      const passes = bands.map((pixels): Pass => ({
        view: { pixels, rect: sourceRect, level },
        target: emptyPixels(memory, pixels, rect.width * rect.height),
      }));
      const positions = runPositions(rect.width);
      for (const { kernel, parts } of pieces) {
        for (const part of parts) runPart(part, kernel, rect, passes, positions, exactAt, turn);
      }
      return passes.map(({ target }) => target);
    },
  };
};

/** One band on its way through the warp. */
interface Pass {
  readonly view: SourceView;
  readonly target: FloatPixels;
}

interface ChosenKernel {
  /** Null: average, which needs two lines. */
  readonly row: RowKernel | null;
  /** The same for runs inside the source; null where there is no faster way. */
  readonly interior: (KernelReach & { readonly run: InteriorKernel }) | null;
  /** Pixels read around a centre, along columns and rows. */
  readonly radiusX: number;
  readonly radiusY: number;
}

interface Piece {
  readonly kernel: ChosenKernel;
  readonly parts: readonly WindowPart[];
}

const NEAREST: ChosenKernel = {
  row: nearestRow,
  interior: { ...NEAREST_REACH, run: nearestInterior },
  radiusX: 0,
  radiusY: 0,
};

const kernelFor = (resampling: Resampling, { scaleX, scaleY }: Region, level: RasterSize): ChosenKernel => {
  if (resampling === 'average') return { row: null, interior: null, radiusX: 0, radiusY: 0 };
  if (resampling === 'nearest' || level.width === 1 || level.height === 1) return NEAREST;
  if (scaleX >= FULL_SCALE && scaleY >= FULL_SCALE) {
    const radius = KERNEL_RADIUS[resampling];
    return resampling === 'bilinear'
      ? { row: bilinearRow, interior: { ...BILINEAR_REACH, run: bilinearInterior }, radiusX: radius, radiusY: radius }
      : { row: cubicRow, interior: { ...CUBIC_REACH, run: cubicInterior }, radiusX: radius, radiusY: radius };
  }
  const wide = resampling === 'bilinear' ? BILINEAR_KERNEL : CUBIC_KERNEL;
  return {
    row: wideRow(wide, scaleX, scaleY),
    interior: null,
    radiusX: wideRadius(wide, scaleX),
    radiusY: wideRadius(wide, scaleY),
  };
};

type ExactAt = (u: number, v: number) => { x: number; y: number } | null;

const rectOf = (pieces: readonly Piece[], level: RasterSize, exactAt: ExactAt): PixelRect | null => {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { kernel, parts } of pieces) {
    const inset = kernel.row === null ? 0 : 0.5;
    for (const part of parts) {
      // One pixel more than the kernel reaches: a centre on an edge may round to either side.
      const marginX = kernel.radiusX + part.bend + 1;
      const marginY = kernel.radiusY + part.bend + 1;
      for (const { x, y } of part.exact ? exactBounds(part, inset, exactAt) : partBounds(part, inset)) {
        left = Math.min(left, Math.floor(x - marginX));
        top = Math.min(top, Math.floor(y - marginY));
        right = Math.max(right, Math.ceil(x + marginX));
        bottom = Math.max(bottom, Math.ceil(y + marginY));
      }
    }
  }
  const x = Math.max(0, left);
  const y = Math.max(0, top);
  const width = Math.min(level.width, right) - x;
  const height = Math.min(level.height, bottom) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : null;
};

const exactBounds = ({ rect }: WindowPart, inset: number, exactAt: ExactAt): { x: number; y: number }[] => {
  const first = exactAt(rect.x + inset, rect.y + inset);
  const last = inset === 0 ? exactAt(rect.x + 1, rect.y + 1) : first;
  return first === null || last === null ? [] : [first, last];
};

const runPart = (
  part: WindowPart,
  { row: kernel, interior }: ChosenKernel,
  window: PixelRect,
  passes: readonly Pass[],
  positions: RunPositions,
  exactAt: ExactAt,
  turn: number | null,
): void => {
  const { rect, line, exact } = part;
  const [first] = passes;
  if (first === undefined) return;
  const { rect: sourceRect, level } = first.view;
  for (let v = rect.y; v < rect.y + rect.height; v++) {
    const offset = (v - window.y) * window.width + rect.x - window.x;
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
    if (interior !== null && isInterior(level, centres, rect.width, interior)) {
      placeRun(sourceRect, centres, rect.width, interior.shift, positions);
      for (const { view, target } of passes) interior.run(view, positions, rect.width, target, offset);
    } else for (const { view, target } of passes) kernel(view, centres, rect.width, target, offset);
  }
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
