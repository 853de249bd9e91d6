import { newMemory } from '../pixel-memory.ts';
import type { PixelRect, RasterSize } from '../types.ts';
import type { WarpRun } from './warp.ts';
import type { PixelMapping } from './pixel-mapping.ts';

/**
 * The plan of a window whose pixels are the source's, shifted by whole pixels and perhaps read upwards or leftwards:
 * undefined where the grids are not so aligned, null where the window misses the source.
 */
export const copyPlan = (
  mapping: PixelMapping,
  source: RasterSize,
  rect: PixelRect,
): { level: number; sourceRect: PixelRect; run: WarpRun } | null | undefined => {
  if (mapping.affine === null) return undefined;
  const [x0, a, b, y0, c, d] = mapping.affine;
  if (b !== 0 || c !== 0 || Math.abs(a) !== 1 || Math.abs(d) !== 1) return undefined;
  if (!Number.isInteger(x0) || !Number.isInteger(y0)) return undefined;

  const columns = overlap(x0, a, rect.x, rect.width, source.width);
  const rows = overlap(y0, d, rect.y, rect.height, source.height);
  if (columns.count === 0 || rows.count === 0) return null;
  const sourceRect = { x: columns.source, y: rows.source, width: columns.count, height: rows.count };

  return {
    level: 0,
    sourceRect,
    run: (bands, memory = newMemory) =>
      bands.map((pixels) => {
        requireSize(pixels.length, sourceRect);
        const target = memory.take(pixels instanceof Float64Array, rect.width * rect.height);
        if (columns.count < rect.width || rows.count < rect.height) target.fill(Number.NaN);
        for (let row = 0; row < rows.count; row++) {
          const from = (d > 0 ? row : rows.count - 1 - row) * columns.count;
          const run = pixels.subarray(from, from + columns.count);
          target.set(a > 0 ? run : run.toReversed(), (rows.window + row) * rect.width + columns.window);
        }
        return target;
      }),
  };
};

/** @throws RangeError where an array does not have the size of what was to be read. */
export const requireSize = (length: number, { width, height }: RasterSize): void => {
  if (length === width * height) return;
  throw new RangeError(`${length} pixels given for ${width} x ${height} (columns x rows) of the source`);
};

/** Where a run of output pixels meets the source along one axis: its start in the window and in the source, and its length. */
const overlap = (
  origin: number,
  step: number,
  start: number,
  length: number,
  size: number,
): { window: number; source: number; count: number } => {
  // Source index of window pixel i: origin + step * (start + i) read forwards, one less read backwards.
  const first = step > 0 ? origin + start : origin - start - length;
  const low = Math.max(first, 0);
  const high = Math.min(first + length, size);
  const count = Math.max(0, high - low);
  return { window: step > 0 ? low - first : first + length - high, source: low, count };
};
