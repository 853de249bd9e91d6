import type { BlockFormat } from '../cog/block.ts';
import type { OverviewRule } from '../cog/overview.ts';
import { overviewPixels, overviewSource } from '../cog/overview.ts';
import type { RasterSize } from '../types.ts';
import type { LevelBlocks, ReadRun } from './block-table.ts';
import type { DecodedLevel } from './decoded-blocks.ts';
import { decodedLevel } from './decoded-blocks.ts';
import type { Scratch } from './mosaic-request.ts';
import { raisePyramid } from './raise-pyramid.ts';
import { BlockStore } from './stored-blocks.ts';
import { tileOverviews } from './tile-overviews.ts';
import type { Tile } from './tile-set.ts';
import { zOrder } from './z-order.ts';

/** What overviews are made of. */
export interface OverviewMeans {
  readonly format: BlockFormat;
  readonly rule: OverviewRule;
  readonly tiles: readonly Tile[];
  readonly readRun: ReadRun;
  readonly scratch: Scratch;
}

/**
 * Makes the blocks of all overview levels that no tile has and puts them into the scratch; a block of nothing but nodata becomes
 * sparse. Returns how many were encoded.
 *
 * Where a level is half of the one below exactly, a block's pixels go up as soon as they are there, and each level's block is
 * made when the four under it have been: no block is decoded again for it, and in Z order few are held that wait for others.
 * Where a side is odd, a level's blocks straddle those of the one below, which are decoded again when that is complete.
 */
export async function makeOverviews(levels: readonly LevelBlocks[], means: OverviewMeans): Promise<number> {
  const { format, rule, tiles, readRun, scratch } = means;
  const [scene] = levels;
  if (scene === undefined) return 0;
  const store = new BlockStore(format, scratch);
  const ready = levels.map((_, depth) => (depth === 0 ? null : tileOverviews(tiles, depth, scene, format, readRun)));
  // A tile that has an overview has those below it.
  const deepest = ready.findLastIndex((level) => level !== null);
  for (const pyramid of pyramidsOf(levels, Math.max(0, deepest))) {
    const [base] = pyramid;
    if (base === undefined || pyramid.every(({ settled }) => !settled.includes(0))) continue;
    const depth = levels.indexOf(base);
    const below = levels[depth - 1];
    const known = ready[depth] ?? null;
    if (known === null && below !== undefined && base.settled.includes(0)) {
      const source = decodedLevel(below, format, tiles, readRun, true);
      await raisePyramid(pyramid, averagedLevel(source, below, rule), rowByRow(base), means, store);
      source.forget();
    } else await raisePyramid(pyramid, known, zOrder(base), means, store);
  }
  return store.stored;
}

/**
 * Levels in groups, from below, each made in one go. Up to `lastReady` a level is a group, because tiles have its pixels; from
 * there on groups go as far as each level is half of the one below exactly. A level that straddles the one below is made
 * alone, row by row, so that the blocks that its rows share are kept; the next group begins with it.
 */
function pyramidsOf(levels: readonly LevelBlocks[], lastReady: number): LevelBlocks[][] {
  const pyramids: LevelBlocks[][] = [];
  for (const [depth, level] of levels.entries()) {
    const below = levels[depth - 1];
    if (below === undefined || depth <= lastReady) pyramids.push([level]);
    else if (isHalf(level, below)) pyramids.at(-1)?.push(level);
    else pyramids.push([level], [level]);
  }
  return pyramids;
}

function* rowByRow({ columns, rows }: LevelBlocks): Generator<number> {
  for (let block = 0; block < columns * rows; block++) yield block;
}

function isHalf(level: RasterSize, below: RasterSize): boolean {
  return below.width === 2 * level.width && below.height === 2 * level.height;
}

/** A level made from the one below, whatever their sizes. */
function averagedLevel(source: DecodedLevel, below: LevelBlocks, rule: OverviewRule): DecodedLevel {
  return {
    pixels: async (rect, memory) => {
      const pixels = await source.pixels(overviewSource(below, rect), memory);
      if (pixels === null) return null;
      const reduced = pixels.map(() => memory.take(rect.width * rect.height));
      overviewPixels(pixels, below, rect, rule, reduced);
      memory.give(pixels);
      return reduced;
    },
  };
}
