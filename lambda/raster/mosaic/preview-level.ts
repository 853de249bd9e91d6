import type { BlockFormat } from '../cog/block.ts';
import type { OverviewRule } from '../cog/overview.ts';
import { overviewPixels, overviewSize } from '../cog/overview.ts';
import { pixelArray } from '../data-type.ts';
import type { PixelArray, RasterSize } from '../types.ts';
import { BandMemory } from './band-memory.ts';
import type { LevelBlocks, ReadRun } from './block-table.ts';
import { decodedLevel } from './decoded-blocks.ts';
import type { MosaicPreview } from './mosaic-request.ts';
import type { Tile } from './tile-set.ts';

/** Longest side of a preview, px. */
export const PREVIEW_SIDE = 1024;

/**
 * Pixels of the largest level with both sides at most 1,024 px. Where blocks are so large that even the smallest level exceeds
 * that, it is reduced further by the same rule.
 */
export async function previewOf(
  levels: readonly LevelBlocks[],
  format: BlockFormat,
  rule: OverviewRule,
  tiles: readonly Tile[],
  readRun: ReadRun,
): Promise<MosaicPreview> {
  const level = levels.find(fits) ?? levels.at(-1);
  if (level === undefined) throw new RangeError('a mosaic has at least one level');
  let size: RasterSize = { width: level.width, height: level.height };
  const whole = { x: 0, y: 0, ...size };
  const decoded = await decodedLevel(level, format, tiles, readRun, false).pixels(
    whole,
    new BandMemory(format.dataType),
  );
  let bands: PixelArray[] = decoded ?? emptyBands(format, size);
  while (!fits(size)) {
    const next = overviewSize(size);
    bands = overviewPixels(bands, size, { x: 0, y: 0, ...next }, rule);
    size = next;
  }
  return { ...size, bands };
}

function fits({ width, height }: RasterSize): boolean {
  return width <= PREVIEW_SIDE && height <= PREVIEW_SIDE;
}

function emptyBands({ dataType, bandCount, fill }: BlockFormat, { width, height }: RasterSize): PixelArray[] {
  return Array.from({ length: bandCount }, () => {
    const pixels = pixelArray(dataType, width * height);
    if (fill !== null) pixels.fill(fill);
    return pixels;
  });
}
