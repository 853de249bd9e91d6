import { windowRect, windowsOf, type WindowGrid } from '../../identity/grid.ts';
import { FRAME_BYTES } from '../../raster/cog/layout.ts';
import { levelSizes, overviewSource } from '../../raster/cog/overview.ts';
import { blockRect } from '../../raster/cog/block.ts';
import { IN_SCRATCH, type LevelBlocks, blockRuns } from '../../raster/mosaic/block-table.ts';
import { levelsOfTiles } from '../../raster/mosaic/copied-blocks.ts';
import { PREVIEW_SIDE } from '../../raster/mosaic/preview-level.ts';
import { type PiecesUnder, overviewPieces } from '../../raster/mosaic/tile-overviews.ts';
import type { Tile } from '../../raster/mosaic/tile-set.ts';
import type { PixelRect, RasterSize } from '../../raster/types.ts';
import { hasHalfBlockOverview } from '../output-image.ts';

/** What an assembly asks of the tiles, where every window has one and no block is sparse. */
export interface AssemblyReads {
  /** GETs: a header a tile, runs of blocks to copy, blocks to decode. */
  readonly gets: number;
  /** Blocks that no tile has and that are made from pixels. */
  readonly blocksMade: number;
}

/** Any size above zero: what is counted are blocks, not bytes. */
const SOME_BYTES = 100;

/**
 * Counts an assembly's reads without reading: the tables that the mosaic is put together from are made for tiles of this
 * grid, by the assembly's own code.
 *
 * @param blockSize px
 */
export const assemblyReads = (scene: RasterSize, windows: WindowGrid, blockSize: number): AssemblyReads => {
  const tiles = [...windowsOf(windows)].map((window) => tileOf(window, windowRect(windows, window), scene, blockSize));
  const levels = levelsOfTiles(tiles, scene, blockSize);
  let gets = tiles.length;
  let blocksMade = 0;
  for (const [depth, level] of levels.entries()) {
    const below = levels[depth - 1];
    for (let block = 0; block < level.settled.length; block++) {
      if (level.settled[block] === 1) continue;
      blocksMade++;
      level.blockBytes[block] = SOME_BYTES;
    }
    if (below === undefined) continue;
    const ready = overviewPieces(tiles, depth, scene);
    gets += ready === null ? blocksDecoded(level, below, blockSize) : blocksPutTogether(level, ready, blockSize);
  }
  const preview = levels.find(({ width, height }) => width <= PREVIEW_SIDE && height <= PREVIEW_SIDE) ?? levels.at(-1);
  gets += preview === undefined ? 0 : fromTiles(preview);
  for (const level of levels) for (const { source } of blockRuns(level)) if (source !== IN_SCRATCH) gets++;
  return { gets, blocksMade };
};

const tileOf = (
  { row, column }: { row: number; column: number },
  rect: PixelRect,
  scene: RasterSize,
  blockSize: number,
): Tile => {
  let at = 0;
  const halfBlock = hasHalfBlockOverview(scene, rect, blockSize);
  const levels = levelSizes(rect, blockSize, halfBlock).map(({ width, height, blockSize: side }) => {
    const blocks = Math.ceil(width / side) * Math.ceil(height / side);
    const offsets = Float64Array.from({ length: blocks }, (_, i) => at + i * (SOME_BYTES + FRAME_BYTES));
    at += blocks * (SOME_BYTES + FRAME_BYTES);
    const blockBytes = new Uint32Array(blocks).fill(SOME_BYTES);
    return { width, height, blockWidth: side, blockHeight: side, offsets, blockBytes };
  });
  const index = {
    levels,
    bandCount: 1,
    bitsPerSample: 8,
    sampleFormat: 1,
    compression: 1,
    predictor: 1,
    metadata: '',
  };
  return { row, column, rect, name: '', index };
};

/** Tiles' blocks of `below` that the blocks made for `level` are computed from, each read once. */
const blocksDecoded = (level: LevelBlocks, below: LevelBlocks, blockSize: number): number => {
  const wanted = new Set<number>();
  for (let block = 0; block < level.settled.length; block++) {
    if (level.settled[block] === 1) continue;
    const column = block % level.columns;
    const { x, y, width, height } = overviewSource(
      below,
      blockRect(level, blockSize, column, (block - column) / level.columns),
    );
    for (let row = Math.floor(y / blockSize); row * blockSize < y + height; row++) {
      for (let under = Math.floor(x / blockSize); under * blockSize < x + width; under++) {
        wanted.add(row * below.columns + under);
      }
    }
  }
  return [...wanted].filter((block) => below.source[block] !== IN_SCRATCH).length;
};

/** Tiles' overview blocks that the blocks made for `level` are put together from. */
const blocksPutTogether = (level: LevelBlocks, piecesUnder: PiecesUnder, blockSize: number): number => {
  let pieces = 0;
  for (let block = 0; block < level.settled.length; block++) {
    if (level.settled[block] === 1) continue;
    const column = block % level.columns;
    pieces += piecesUnder(blockRect(level, blockSize, column, (block - column) / level.columns)).length;
  }
  return pieces;
};

const fromTiles = ({ source }: LevelBlocks): number => source.reduce((sum, from) => sum + (from < 0 ? 0 : 1), 0);
