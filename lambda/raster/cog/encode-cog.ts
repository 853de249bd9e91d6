import { bytesPerSample } from '../data-type.ts';
import { release } from '../release.ts';
import { blockFormat, blockRect, encodeBlock, packBlock } from './block.ts';
import type { BlockFormat } from './block.ts';
import type { CogImage } from './cog-image.ts';
import { describe } from './cog-image.ts';
import { FileMemory } from './file-memory.ts';
import { CLASSIC_TIFF_LIMIT, layoutCog } from './layout.ts';
import type { LevelSize } from './overview.ts';
import { levelSizes } from './overview.ts';
import type { Level } from './pyramid.ts';
import { pyramidOf } from './pyramid.ts';

export type { CogImage } from './cog-image.ts';

/**
 * A whole Cloud Optimized GeoTIFF of an image: tiled, pixel-interleaved, with overviews until both sides are at most a block.
 * The same image gives the same bytes. BigTIFF above `classicLimit` bytes.
 *
 * @throws CogImageError where the image's parts do not fit each other.
 */
export function encodeCog(image: CogImage, classicLimit = CLASSIC_TIFF_LIMIT): Uint8Array<ArrayBuffer> {
  const description = describe(image);
  const format = blockFormat(description);
  const sizes = levelSizes(image, image.blockSize, image.halfBlockOverview);
  const blockBytes = sizes.map((size) => new Uint32Array(blocksAcross(size) * blocksDown(size)));
  const layout = () => layoutCog(description, blockBytes, classicLimit);
  const { levels, overviews } = pyramidOf(image, sizes);
  // A header is as long whatever the blocks' sizes are, but for a BigTIFF's. Blocks go behind it as they are made, the
  // smallest level's first: they are not held beside the file.
  const file = new FileMemory(layout().header.length, uncompressedBytes(format, sizes));
  for (const [index, level] of [...levels.entries()].toReversed()) {
    if (index === 0) release(overviews);
    encodeLevel(format, level, (block, encoded) => {
      const lengths = blockBytes[index];
      if (lengths !== undefined) lengths[block] = encoded.length;
      file.append(encoded);
    });
  }
  return file.finish(layout().header);
}

const blocksAcross = ({ width, blockSize }: LevelSize): number => Math.ceil(width / blockSize);
const blocksDown = ({ height, blockSize }: LevelSize): number => Math.ceil(height / blockSize);

/** Bytes of all levels' blocks before they are compressed. */
function uncompressedBytes({ dataType, bandCount }: BlockFormat, sizes: readonly LevelSize[]): number {
  const px = sizes.reduce((sum, size) => sum + blocksAcross(size) * blocksDown(size) * size.blockSize ** 2, 0);
  return px * bandCount * bytesPerSample(dataType);
}

/** Hands on a level's compressed blocks, row by row, with their numbers; sparse ones are left out. */
function encodeLevel(
  format: BlockFormat,
  { size, bands }: Level,
  use: (index: number, encoded: Uint8Array<ArrayBuffer>) => void,
): void {
  const { width, blockSize } = size;
  const across = blocksAcross(size);
  for (let index = 0; index < across * blocksDown(size); index++) {
    const rect = blockRect(size, blockSize, index % across, Math.floor(index / across));
    const block = packBlock({ ...format, blockSize }, bands, width, rect);
    if (block === null) continue;
    const encoded = encodeBlock({ ...format, blockSize }, block);
    use(index, encoded);
    // A block may be a band itself, and what is not compressed the block.
    if (encoded.buffer !== block.buffer) release(encoded);
    if (bands.every(({ buffer }) => buffer !== block.buffer)) release(block);
  }
}
