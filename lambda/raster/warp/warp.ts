import { leavePlanes, warpPlanes } from '../kernels/warp-planes.ts';
import { type PixelMemory, newMemory } from '../pixel-memory.ts';
import type { FloatPixels, PixelRect, RasterGrid, RasterSize, Resampling } from '../types.ts';
import { copyPlan, requireSize } from './aligned-copy.ts';
import type { ChosenKernel } from './choose-kernel.ts';
import { kernelFor } from './choose-kernel.ts';
import { runPositions } from './interior-run.ts';
import type { ExactAt, Pass } from './run-part.ts';
import { isWrittenWhole, runPart } from './run-part.ts';
import { pixelMapping } from './pixel-mapping.ts';
import { levelFor } from './reduction.ts';
import { regionsOf, windowInRegion } from './regions.ts';
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

  const vectors = pieces.some(({ kernel }) => (kernel.interior?.vector ?? null) !== null);
  // Nothing is left that would have to be NaN to begin with.
  const written = pieces.flatMap(({ kernel, parts }) => parts.filter((part) => isWrittenWhole(part, kernel, level)));
  const isWhole =
    written.reduce((sum, part) => sum + part.rect.width * part.rect.height, 0) === rect.width * rect.height;

  return {
    level: levelIndex,
    sourceRect,
    run: (bands, memory = newMemory) => {
      for (const { length } of bands) requireSize(length, sourceRect);
      const length = rect.width * rect.height;
      const outputs = bands.map((pixels) => memory.take(pixels instanceof Float64Array, length));
      const planes =
        vectors && bands.every(isSingle) && outputs.every(isSingle) ? warpPlanes(bands, sourceRect, outputs) : null;
      if (planes === null || !isWhole) for (const output of outputs) output.fill(Number.NaN);
      const passes = outputs.map((output, band): Pass => ({
        view: { pixels: planes?.sources[band] ?? bands[band] ?? output, rect: sourceRect, level },
        target: planes?.targets[band] ?? output,
      }));
      const positions = runPositions(rect.width);
      for (const { kernel, parts } of pieces) {
        for (const part of parts) runPart(part, kernel, rect, passes, planes, positions, exactAt, turn);
      }
      if (planes !== null) leavePlanes(planes, outputs);
      return outputs;
    },
  };
};

const isSingle = (pixels: FloatPixels): pixels is Float32Array<ArrayBuffer> => pixels instanceof Float32Array;

interface Piece {
  readonly kernel: ChosenKernel;
  readonly parts: readonly WindowPart[];
}

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
