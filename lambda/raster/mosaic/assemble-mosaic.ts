import { blockFormat } from '../cog/block.ts';
import { overviewRule } from '../cog/overview.ts';
import type { LevelBlocks } from './block-table.ts';
import { runReader } from './block-table.ts';
import { levelsOfTiles } from './copied-blocks.ts';
import { makeOverviews } from './make-overviews.ts';
import type { MosaicRequest, MosaicSummary } from './mosaic-request.ts';
import { describeMosaic } from './mosaic-request.ts';
import { previewOf } from './preview-level.ts';
import { tileReaders } from './tile-readers.ts';
import { findTiles } from './tile-set.ts';
import { writeMosaic } from './write-mosaic.ts';

export type { MosaicPreview, MosaicRequest, MosaicSummary, Scratch } from './mosaic-request.ts';

/**
 * One scene COG from its tiles, the same, byte for byte, as if the whole scene had been encoded at once. Compressed blocks are copied wherever
 * a tile has the very block that the scene needs; only overview blocks that no tile has are made from pixels. Memory
 * does not grow with the scene's pixels: what is held is the tables of block sizes, a few decoded blocks, and the preview.
 *
 * The bytes go to the sink in order, once; they are all there when the promise is kept. BigTIFF above `classicLimit` bytes.
 *
 * @throws CogImageError, MosaicError where the request contradicts itself; MosaicTileError where a tile does not fit or
 * is damaged; the signal's reason; what reader, scratch and sink throw.
 */
export async function assembleMosaic(request: MosaicRequest, classicLimit?: number): Promise<MosaicSummary> {
  const description = describeMosaic(request);
  const format = blockFormat(description);
  const rule = overviewRule(description);
  await using readers = tileReaders(request);
  const tiles = await findTiles(request, description, readers);
  const readRun = runReader(tiles, readers, request.scratch, request.signal);
  const levels = levelsOfTiles(tiles, description, description.blockSize);
  const blocksEncoded = await makeOverviews(levels, { format, rule, tiles, readRun, scratch: request.scratch });
  const preview = await previewOf(levels, format, rule, tiles, readRun);
  const file = await writeMosaic(description, levels, readRun, request.sink, classicLimit);
  const [blocks, blocksSparse] = countBlocks(levels);
  return { ...file, blocksCopied: blocks - blocksSparse - blocksEncoded, blocksEncoded, blocksSparse, preview };
}

/** All blocks, and the sparse ones among them. */
function countBlocks(levels: readonly LevelBlocks[]): [number, number] {
  let all = 0;
  let sparse = 0;
  for (const { blockBytes } of levels) {
    all += blockBytes.length;
    for (const bytes of blockBytes) if (bytes === 0) sparse++;
  }
  return [all, sparse];
}
