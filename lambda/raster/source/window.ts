/* oxlint-disable typescript/no-unsafe-type-assertion --
   index reads that the loop's own bounds prove: `?? 0` in their place costs up to a third of the speed. */
import type { FloatPixels, PixelArray, PixelRect } from '../types.ts';
import type { BlockRef, BlockTable } from './block-table.ts';
import type { ImageLayout } from './image-layout.ts';
import { comparableNodata } from './nodata.ts';

/** In a constant: a lookup of the global in each turn of a loop is slow where the code runs in a sandboxed context. */
const NO_DATA = Number.NaN;

/** Runs of nodata in a row that are searched for one by one before a loop takes over. */
const SEARCHED_RUNS = 8;

/** One band's pixels on their way from blocks into a window. */
export interface BandTarget {
  /** From 1. */
  readonly band: number;
  /** Rows x columns of the window. */
  readonly pixels: FloatPixels;
  /** The raw value that becomes NaN; null: none does. */
  readonly nodata: number | null;
}

/** An empty target for a band; float64 where float32 would lose integers or digits. */
export function bandTarget(layout: ImageLayout, band: number, rect: PixelRect, nodata: number | null): BandTarget {
  const wide = layout.dataType === 'uint32' || layout.dataType === 'int32' || layout.dataType === 'float64';
  const count = rect.width * rect.height;
  const pixels = wide ? new Float64Array(count) : new Float32Array(count);
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

/**
 * Copies what a block and a window share into the targets, nodata made NaN on the way.
 *
 * @param samples the block's, rows x columns x samples; null: a block left out, which holds `sparse` everywhere
 */
export function copyBlock(
  layout: ImageLayout,
  ref: BlockRef,
  samples: PixelArray | null,
  sparse: number,
  rect: PixelRect,
  targets: readonly BandTarget[],
): void {
  const left = Math.max(ref.x, rect.x);
  const right = Math.min(ref.x + layout.blockWidth, rect.x + rect.width);
  const top = Math.max(ref.y, rect.y);
  const bottom = Math.min(ref.y + ref.usedRows, rect.y + rect.height);
  const concerned = layout.planar ? targets.filter(({ band }) => band - 1 === ref.plane) : targets;
  const stride = layout.blockSamples;
  const width = right - left;
  const scratch = stride > 1 && concerned[0] !== undefined ? newLike(concerned[0].pixels, width * stride) : null;
  for (let y = top; y < bottom; y++) {
    const to = (y - rect.y) * rect.width + (left - rect.x);
    const from = ((y - ref.y) * layout.blockWidth + (left - ref.x)) * stride;
    if (samples === null) {
      for (const { pixels, nodata } of concerned) pixels.fill(sparse === nodata ? NO_DATA : sparse, to, to + width);
    } else if (scratch === null) {
      for (const { pixels, nodata } of concerned) {
        pixels.set(samples.subarray(from, from + width), to);
        if (nodata !== null) replaceNodata(pixels, to, to + width, nodata);
      }
    } else {
      // The engine's own conversion of a whole row, then float to float: loops over many types at once would be slow.
      scratch.set(samples.subarray(from, from + width * stride));
      for (const { band, pixels, nodata } of concerned) {
        gather(scratch, band - 1, stride, pixels, to, width);
        if (nodata !== null) replaceNodata(pixels, to, to + width, nodata);
      }
    }
  }
}

/** Makes a band NaN wherever a mask of the same shape is 0. */
export function applyMask(pixels: FloatPixels, mask: FloatPixels): void {
  for (let at = 0; at < pixels.length; at++) if (mask[at] === 0) pixels[at] = NO_DATA;
}

function newLike(pixels: FloatPixels, length: number): FloatPixels {
  return pixels instanceof Float64Array ? new Float64Array(length) : new Float32Array(length);
}

/** The engine's own search finds rare values fastest; where they are many and scattered, a loop goes on. */
function replaceNodata(pixels: FloatPixels, from: number, to: number, nodata: number): void {
  const row = pixels.subarray(from, to);
  let at = row.indexOf(nodata);
  for (let runs = 0; at >= 0 && runs < SEARCHED_RUNS; runs++) {
    while (at < row.length && row[at] === nodata) row[at++] = NO_DATA;
    at = row.indexOf(nodata, at);
  }
  if (at < 0) return;
  for (; at < row.length; at++) if (row[at] === nodata) row[at] = NO_DATA;
}

function gather(
  source: FloatPixels,
  first: number,
  stride: number,
  target: FloatPixels,
  to: number,
  width: number,
): void {
  for (let at = to, from = first; at < to + width; at++, from += stride) target[at] = source[from] as number;
}
