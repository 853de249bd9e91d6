import type { PixelMemory } from '../pixel-memory.ts';
import type { FloatPixels, PixelRect, RasterSize } from '../types.ts';
import type { BlockRef, BlockTable } from './block-table.ts';
import type { ImageLayout } from './image-layout.ts';
import { comparableNodata } from './nodata.ts';

/** In a constant: a lookup of the global in each turn of a loop is slow where the code runs in a sandboxed context. */
const NO_DATA = Number.NaN;

/** One band's pixels on their way from blocks into a window. */
export interface BandTarget {
  /** From 1. */
  readonly band: number;
  /** Rows x columns of the window. */
  readonly pixels: FloatPixels;
  /** The raw value that becomes NaN; null: none does. */
  readonly nodata: number | null;
}

/** A target for a band, all of which its blocks will write; float64 where float32 would lose integers or digits. */
export function bandTarget(
  layout: ImageLayout,
  band: number,
  rect: PixelRect,
  nodata: number | null,
  memory: PixelMemory,
): BandTarget {
  const wide = layout.dataType === 'uint32' || layout.dataType === 'int32' || layout.dataType === 'float64';
  const pixels = memory.take(wide, rect.width * rect.height);
  return { band, pixels, nodata: comparableNodata(nodata, layout.dataType) };
}

/** The blocks that a window of some bands touches, in the order of the file's grid. */
export function blocksOf(
  table: BlockTable,
  layout: ImageLayout,
  bands: readonly number[],
  rect: PixelRect,
): BlockRef[] {
  const planes = layout.planar ? [...new Set(bands)].map((band) => band - 1) : [0];
  const refs: BlockRef[] = [];
  const firstColumn = Math.floor(rect.x / layout.blockWidth);
  const lastColumn = Math.floor((rect.x + rect.width - 1) / layout.blockWidth);
  const firstRow = Math.floor(rect.y / layout.blockHeight);
  const lastRow = Math.floor((rect.y + rect.height - 1) / layout.blockHeight);
  for (const plane of planes) {
    for (let row = firstRow; row <= lastRow; row++) {
      for (let column = firstColumn; column <= lastColumn; column++) refs.push(table.at(column, row, plane));
    }
  }
  return refs;
}

/** Makes a band NaN wherever a mask of the same shape is 0. */
export function applyMask(pixels: FloatPixels, mask: FloatPixels): void {
  for (let at = 0; at < pixels.length; at++) if (mask[at] === 0) pixels[at] = NO_DATA;
}

/** @throws RangeError where a window is not inside a level, or is no whole number of pixels */
export function requireInside({ x, y, width, height }: PixelRect, size: RasterSize): void {
  const whole = [x, y, width, height].every(Number.isInteger);
  const inside = x >= 0 && y >= 0 && x + width <= size.width && y + height <= size.height;
  if (!whole || !inside || width < 1 || height < 1) {
    throw new RangeError(`window ${width} x ${height} at ${x}, ${y} is not inside ${size.width} x ${size.height} px`);
  }
}
