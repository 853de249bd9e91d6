import type { BlockFormat } from '../cog/block.ts';
import { blockRect, decodeBlockAsync, unpackBlock } from '../cog/block.ts';
import { CorruptBlockError } from '../cog/codec.ts';
import { FRAME_BYTES, LEADER_BYTES } from '../cog/layout.ts';
import { bytesPerSample } from '../data-type.ts';
import type { PixelArray, PixelRect } from '../types.ts';
import type { BandMemory } from './band-memory.ts';
import type { BlockRun, LevelBlocks, ReadRun } from './block-table.ts';
import { ByteMemory } from './byte-memory.ts';
import { MosaicTileError } from './mosaic-request.ts';
import { release } from '../release.ts';
import type { Tile } from './tile-set.ts';

/** Decoded pixels of a level's rectangles. */
export interface DecodedLevel {
  /** One array a band, rows x cols of `rect`, from `memory`; null where every block under it is sparse. */
  pixels(rect: PixelRect, memory: BandMemory): Promise<PixelArray[] | null>;
}

/** A level whose decoded blocks may be kept. */
export interface KeptLevel extends DecodedLevel {
  /** Gives the memory of what is kept back. */
  forget(): void;
}

/** Decoded blocks that are kept, bytes. */
const CACHE_BYTES = 64 * 2 ** 20;

/** Pixels of a level whose blocks are settled. `reuse` keeps the blocks decoded last, for rectangles that share blocks. */
export function decodedLevel(
  level: LevelBlocks,
  format: BlockFormat,
  tiles: readonly Tile[],
  readRun: ReadRun,
  reuse: boolean,
): KeptLevel {
  const { blockSize, bandCount, dataType } = format;
  const kept = new Map<number, Promise<PixelArray>>();
  const most = Math.max(4, Math.floor(CACHE_BYTES / (blockSize * blockSize * bandCount * bytesPerSample(dataType))));

  const decodeRun = blockDecoder(tiles, readRun);
  const decode = (block: number): Promise<PixelArray> => {
    const bytes = level.blockBytes[block] ?? 0;
    const source = level.source[block] ?? 0;
    const offset = (level.offsets[block] ?? 0) - LEADER_BYTES;
    return decodeRun(format, { source, offset, length: bytes + FRAME_BYTES, blockBytes: [bytes] });
  };

  const drop = (block: number, decoded: Promise<PixelArray>): void => {
    kept.delete(block);
    // Whoever waits for it asked before, and has copied from it before its memory goes.
    decoded.then(release, () => null);
  };

  const decodeOnce = (block: number): Promise<PixelArray> => {
    if (!reuse) return decode(block);
    const known = kept.get(block) ?? decode(block);
    kept.delete(block);
    kept.set(block, known);
    for (const [oldest, decoded] of kept) {
      if (kept.size <= most) break;
      drop(oldest, decoded);
    }
    return known;
  };

  return {
    pixels: async (rect, memory) => {
      const under = blocksUnder(level, rect, blockSize);
      const present = under.filter(({ block }) => level.blockBytes[block] !== 0);
      if (present.length === 0) return null;
      const [only] = present;
      if (under.length === 1 && only !== undefined && !reuse && isWholeBlock(format, rect)) {
        return [await decode(only.block)];
      }
      const bands = Array.from({ length: bandCount }, () => memory.take(rect.width * rect.height));
      if (present.length < under.length) for (const band of bands) band.fill(format.fill ?? 0);
      await Promise.all(
        present.map(async ({ block, area }) => {
          const samples = await decodeOnce(block);
          const common = intersection(area, rect);
          const from = { ...common, x: common.x - area.x, y: common.y - area.y };
          unpackBlock(format, samples, from, bands, rect.width, { x: common.x - rect.x, y: common.y - rect.y });
          if (!reuse) release(samples);
        }),
      );
      return bands;
    },
    forget: () => kept.forEach((decoded, block) => drop(block, decoded)),
  };
}

/** True where a block of one band is, as it is decoded, the pixels of the rectangle that it is under. */
function isWholeBlock({ blockSize, bandCount }: BlockFormat, { width, height }: PixelRect): boolean {
  return bandCount === 1 && width === blockSize && height === blockSize;
}

/** Reads and decodes runs of one block. It throws MosaicTileError where a tile's block is damaged. */
export function blockDecoder(
  tiles: readonly Tile[],
  readRun: ReadRun,
): (format: BlockFormat, run: BlockRun) => Promise<PixelArray> {
  const memory = new ByteMemory();
  return async (format, run) => {
    const framed = memory.take(run.length);
    await readRun(run, framed);
    try {
      return await decodeBlockAsync(format, framed.subarray(LEADER_BYTES, framed.length - FRAME_BYTES + LEADER_BYTES));
    } catch (cause) {
      const tile = tiles[run.source];
      if (!(cause instanceof CorruptBlockError) || tile === undefined) throw cause;
      throw new MosaicTileError(tile.row, tile.column, `(${tile.name}) is damaged: ${cause.message}`, { cause });
    } finally {
      memory.give(framed);
    }
  };
}

function blocksUnder(level: LevelBlocks, rect: PixelRect, blockSize: number): { block: number; area: PixelRect }[] {
  const found: { block: number; area: PixelRect }[] = [];
  for (let row = Math.floor(rect.y / blockSize); row * blockSize < rect.y + rect.height; row++) {
    for (let column = Math.floor(rect.x / blockSize); column * blockSize < rect.x + rect.width; column++) {
      found.push({ block: row * level.columns + column, area: blockRect(level, blockSize, column, row) });
    }
  }
  return found;
}

export function intersection(a: PixelRect, b: PixelRect): PixelRect {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  return {
    x,
    y,
    width: Math.min(a.x + a.width, b.x + b.width) - x,
    height: Math.min(a.y + a.height, b.y + b.height) - y,
  };
}
