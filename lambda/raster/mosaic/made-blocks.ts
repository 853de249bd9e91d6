import type { BlockFormat } from '../cog/block.ts';
import { blockRect, encodeBlockAsync, packBlock } from '../cog/block.ts';
import { FRAME_BYTES, LEADER_BYTES, frameBlock } from '../cog/layout.ts';
import type { OverviewRule } from '../cog/overview.ts';
import { overviewPixels, overviewSource } from '../cog/overview.ts';
import { bytesPerSample } from '../data-type.ts';
import { BandMemory } from './band-memory.ts';
import type { PixelArray, PixelRect } from '../types.ts';
import type { LevelBlocks, ReadRun } from './block-table.ts';
import { IN_SCRATCH } from './block-table.ts';
import { forEachBounded } from './bounded.ts';
import type { DecodedLevel } from './decoded-blocks.ts';
import { decodedLevel } from './decoded-blocks.ts';
import type { Scratch } from './mosaic-request.ts';
import type { Tile } from './tile-set.ts';

/** Pixels that may be decoded at a time while overviews are made, bytes. */
const WORKING_BYTES = 96 * 2 ** 20;

/**
 * Makes the blocks of `level` that no tile has from the pixels of the level `below`, and puts them into the scratch; a block
 * of nothing but nodata becomes sparse. Returns how many were encoded. Entropy coding runs on libuv's threads.
 */
export async function makeBlocks(
  level: LevelBlocks,
  below: LevelBlocks,
  format: BlockFormat,
  rule: OverviewRule,
  means: {
    readonly tiles: readonly Tile[];
    readonly readRun: ReadRun;
    readonly scratch: Scratch;
    /** The level's pixels where tiles have them already. */
    readonly ready: DecodedLevel | null;
  },
): Promise<number> {
  const { blockSize, bandCount, dataType } = format;
  const halved = below.width === 2 * level.width && below.height === 2 * level.height;
  const source = decodedLevel(below, format, means.tiles, means.readRun, !halved);
  // A block is made from four, which are there once decoded and once side by side.
  const each = 8 * blockSize * blockSize * bandCount * bytesPerSample(dataType);
  const atATime = Math.min(4, Math.max(1, Math.floor(WORKING_BYTES / each)));
  const memory = new BandMemory(dataType);
  const averaged = async (rect: PixelRect): Promise<PixelArray[] | null> => {
    const pixels = await source.pixels(overviewSource(below, rect), memory);
    if (pixels === null) return null;
    const reduced = overviewPixels(pixels, below, rect, rule);
    memory.give(pixels);
    return reduced;
  };
  let encoded = 0;
  await forEachBounded(unsettled(level), atATime, async (block) => {
    const column = block % level.columns;
    const rect = blockRect(level, blockSize, column, (block - column) / level.columns);
    level.settled[block] = 1;
    const reduced = await (means.ready?.pixels(rect, memory) ?? averaged(rect));
    if (reduced === null) return;
    const packed = packBlock(format, reduced, rect.width, { ...rect, x: 0, y: 0 });
    if (packed === null) return;
    const bytes = await encodeBlockAsync(format, packed);
    if (means.ready !== null) memory.give(reduced);
    const { offset } = await means.scratch.append(frameBlock(bytes, new Uint8Array(bytes.length + FRAME_BYTES)));
    level.blockBytes[block] = bytes.length;
    level.offsets[block] = offset + LEADER_BYTES;
    level.source[block] = IN_SCRATCH;
    encoded++;
  });
  return encoded;
}

function* unsettled({ settled }: LevelBlocks): Generator<number> {
  for (let block = settled.indexOf(0); block !== -1; block = settled.indexOf(0, block + 1)) yield block;
}
