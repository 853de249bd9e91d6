/* oxlint-disable typescript/no-unsafe-type-assertion --
   index reads that the loop's own bounds prove: `?? 0` in their place costs up to a third of the speed. */
import type { FloatPixels, PixelArray, PixelRect } from '../types.ts';
import type { BlockRef } from './block-table.ts';
import type { ImageLayout } from './image-layout.ts';
import { convertSamples } from './convert-samples.ts';
import type { BandTarget } from './window.ts';

/** In a constant: a lookup of the global in each turn of a loop is slow where the code runs in a sandboxed context. */
const NO_DATA = Number.NaN;
/** Runs of nodata in a row that are searched for one by one before a loop takes over. */
const SEARCHED_RUNS = 8;
/** Samples that interleaved bands are converted by at a time: what the processor's nearest cache holds. */
const SCRATCH_SAMPLES = 4096;

/** What a block and a window share, in px of the block and of the window. */
interface Overlap {
  readonly width: number;
  readonly height: number;
  readonly blockX: number;
  readonly blockY: number;
  readonly windowX: number;
  readonly windowY: number;
  readonly windowWidth: number;
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
  const overlap = overlapOf(layout, ref, rect);
  const concerned = layout.planar ? targets.filter(({ band }) => band - 1 === ref.plane) : targets;
  if (samples !== null && convertBands(overlap, samples, layout, concerned)) return;
  if (samples === null) for (const target of concerned) fill(overlap, sparse, target);
  else if (layout.blockSamples === 1)
    for (const target of concerned) copyRows(overlap, samples, layout.blockWidth, target);
  else copyInterleaved(overlap, samples, layout, concerned);
}

function overlapOf(layout: ImageLayout, ref: BlockRef, rect: PixelRect): Overlap {
  const left = Math.max(ref.x, rect.x);
  const top = Math.max(ref.y, rect.y);
  return {
    width: Math.min(ref.x + layout.blockWidth, rect.x + rect.width) - left,
    height: Math.min(ref.y + ref.usedRows, rect.y + rect.height) - top,
    blockX: left - ref.x,
    blockY: top - ref.y,
    windowX: left - rect.x,
    windowY: top - rect.y,
    windowWidth: rect.width,
  };
}

const windowStart = ({ windowX, windowY, windowWidth }: Overlap, row: number): number =>
  (windowY + row) * windowWidth + windowX;

/** False where the samples' type has no loop of its own. */
function convertBands(
  overlap: Overlap,
  samples: PixelArray,
  { blockWidth, blockSamples }: ImageLayout,
  targets: readonly BandTarget[],
): boolean {
  const { width, height, blockX, blockY, windowWidth } = overlap;
  const rect = {
    width,
    height,
    from: (blockY * blockWidth + blockX) * blockSamples,
    step: blockSamples,
    fromRow: blockWidth * blockSamples,
    to: windowStart(overlap, 0),
    toRow: windowWidth,
  };
  const sampleOf = (band: number): number => (blockSamples === 1 ? 0 : band - 1);
  return convertSamples(
    samples,
    rect,
    targets.map(({ band, pixels, nodata }) => ({ pixels, nodata, sample: sampleOf(band) })),
  );
}

function fill(overlap: Overlap, sparse: number, { pixels, nodata }: BandTarget): void {
  const value = sparse === nodata ? NO_DATA : sparse;
  for (let row = 0; row < overlap.height; row++) {
    const to = windowStart(overlap, row);
    pixels.fill(value, to, to + overlap.width);
  }
}

function copyRows(overlap: Overlap, samples: PixelArray, blockWidth: number, { pixels, nodata }: BandTarget): void {
  const { width, height, blockX, blockY } = overlap;
  for (let row = 0; row < height; row++) {
    const from = (blockY + row) * blockWidth + blockX;
    const to = windowStart(overlap, row);
    pixels.set(samples.subarray(from, from + width), to);
    if (nodata !== null) replaceNodata(pixels.subarray(to, to + width), nodata);
  }
}

/**
 * The engine's own conversion of whole rows, then float to float: a loop that meets many sample types in turn is ten
 * times slower than one that meets two.
 */
function copyInterleaved(
  overlap: Overlap,
  samples: PixelArray,
  layout: ImageLayout,
  targets: readonly BandTarget[],
): void {
  const { blockWidth, blockSamples } = layout;
  const { width, height, blockX, blockY } = overlap;
  const [first] = targets;
  if (first === undefined) return;
  const rowSamples = blockWidth * blockSamples;
  const rows = Math.max(1, Math.floor(SCRATCH_SAMPLES / rowSamples));
  const scratch = newLike(first.pixels, rows * rowSamples);
  for (let row = 0; row < height; row += rows) {
    const end = Math.min(row + rows, height);
    // Several rows in one piece; a single wide one only as far as it is wanted.
    const from = (blockY + row) * rowSamples + (rows === 1 ? blockX * blockSamples : 0);
    scratch.set(samples.subarray(from, rows === 1 ? from + width * blockSamples : from + (end - row) * rowSamples));
    for (const { band, pixels, nodata } of targets) {
      for (let line = row; line < end; line++) {
        const at = rows === 1 ? band - 1 : (line - row) * rowSamples + blockX * blockSamples + band - 1;
        gather(scratch, at, blockSamples, pixels, windowStart(overlap, line), width, nodata);
      }
    }
  }
}

function newLike(pixels: FloatPixels, length: number): FloatPixels {
  return pixels instanceof Float64Array ? new Float64Array(length) : new Float32Array(length);
}

/** The engine's own search finds rare values fastest; where they are many and scattered, a loop goes on. */
function replaceNodata(row: FloatPixels, nodata: number): void {
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
  nodata: number | null,
): void {
  const end = to + width;
  if (nodata === null) {
    for (let at = to, from = first; at < end; at++, from += stride) target[at] = source[from] as number;
    return;
  }
  for (let at = to, from = first; at < end; at++, from += stride) {
    const value = source[from] as number;
    target[at] = value === nodata ? NO_DATA : value;
  }
}
