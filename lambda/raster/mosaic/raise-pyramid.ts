import type { BlockFormat } from '../cog/block.ts';
import { blockRect, packBlock } from '../cog/block.ts';
import { bytesPerSample } from '../data-type.ts';
import type { PixelArray, PixelRect } from '../types.ts';
import { BandMemory } from './band-memory.ts';
import type { LevelBlocks } from './block-table.ts';
import { forEachBounded } from './bounded.ts';
import type { DecodedLevel } from './decoded-blocks.ts';
import { decodedLevel } from './decoded-blocks.ts';
import { GatheredBlocks } from './gathered-blocks.ts';
import type { OverviewMeans } from './make-overviews.ts';
import type { BlockStore } from './stored-blocks.ts';

/** Pixels that may be decoded at a time while overviews are made, bytes. */
const WORKING_BYTES = 96 * 2 ** 20;

/** A level of a pyramid. */
interface Floor {
  readonly level: LevelBlocks;
  /** Pixels of its blocks that are there already. */
  readonly settled: DecodedLevel;
  /** Pixels of a block that is to be made, all below it being done; null: there are none. */
  readonly source: (block: number, rect: PixelRect) => Promise<PixelArray[] | null> | PixelArray[] | null;
  /** What the level above is gathered in; null at the top. */
  readonly above: GatheredBlocks | null;
}

/**
 * Makes the unsettled blocks of `levels`, each half of the one before exactly: the first level's from `source`, each other
 * level's from the pixels of the blocks under them, as soon as those are done.
 *
 * @param order the first level's blocks, all of them; how many of the other levels' are begun at a time hangs on it
 */
export async function raisePyramid(
  levels: readonly LevelBlocks[],
  source: DecodedLevel | null,
  order: Iterable<number>,
  means: OverviewMeans,
  store: BlockStore,
): Promise<void> {
  const { format } = means;
  const memory = new BandMemory(format.dataType);
  const floors = floorsOf(levels, source, means, memory);

  /** Sees to a block, all below it being done. Returns the block above where this was the last under it, else null. */
  const finish = async ({ level, settled, source: from, above }: Floor, block: number): Promise<number | null> => {
    const column = block % level.columns;
    const rect = blockRect(level, format.blockSize, column, (block - column) / level.columns);
    const needed = above?.needs(block) ?? false;
    if (level.settled[block] === 1) {
      const known = needed ? await settled.pixels(rect, memory) : null;
      const next = above?.add(block, rect, known) ?? null;
      memory.give(known ?? []);
      return next;
    }
    level.settled[block] = 1;
    const pixels = await from(block, rect);
    const packed = pixels === null ? null : packBlock(format, pixels, rect.width, { ...rect, x: 0, y: 0 });
    const next = above?.add(block, rect, needed && packed !== null ? pixels : null) ?? null;
    if (packed !== null) await store.put(level, block, packed);
    // The packed block may be the very pixels.
    memory.give(pixels ?? []);
    return next;
  };

  await forEachBounded(order, blocksAtATime(format), async (first) => {
    let block: number | null = first;
    for (const floor of floors) {
      block = await finish(floor, block);
      if (block === null) return;
    }
  });
}

function floorsOf(
  levels: readonly LevelBlocks[],
  source: DecodedLevel | null,
  { format, rule, tiles, readRun }: OverviewMeans,
  memory: BandMemory,
): Floor[] {
  const floors: Floor[] = [];
  let below: GatheredBlocks | null = null;
  for (const [i, level] of levels.entries()) {
    const next = levels[i + 1];
    const gathered: GatheredBlocks | null = below;
    const above = next === undefined ? null : new GatheredBlocks(next, level, format, rule, memory);
    floors.push({
      level,
      settled: decodedLevel(level, format, tiles, readRun, false),
      source: (block, rect) => (gathered === null ? (source?.pixels(rect, memory) ?? null) : gathered.take(block)),
      above,
    });
    below = above;
  }
  return floors;
}

/** A block is made from four, which may be there once decoded and once side by side. */
function blocksAtATime({ blockSize, bandCount, dataType }: BlockFormat): number {
  const each = 8 * blockSize * blockSize * bandCount * bytesPerSample(dataType);
  return Math.min(4, Math.max(1, Math.floor(WORKING_BYTES / each)));
}
