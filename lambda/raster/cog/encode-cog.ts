import type { PixelArray, RasterSize } from '../types.ts';
import { blockFormat, blockRect, encodeBlock, packBlock } from './block.ts';
import type { BlockFormat } from './block.ts';
import type { CogImage } from './cog-image.ts';
import { describe } from './cog-image.ts';
import { CLASSIC_TIFF_LIMIT, FRAME_BYTES, frameBlock, layoutCog } from './layout.ts';
import type { LevelSize } from './overview.ts';
import { levelSizes, overviewPixels, overviewRule } from './overview.ts';

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
  const levels = pyramid(image).map(({ size, bands }) =>
    encodeLevel({ ...format, blockSize: size.blockSize }, bands, size),
  );
  const layout = layoutCog(
    description,
    levels.map((blocks) => Uint32Array.from(blocks, (block) => block?.length ?? 0)),
    classicLimit,
  );
  const file = new Uint8Array(layout.totalBytes);
  file.set(layout.header);
  let at = layout.header.length;
  for (const block of levels.toReversed().flat()) {
    if (block === null) continue;
    frameBlock(block, file.subarray(at, at + block.length + FRAME_BYTES));
    at += block.length + FRAME_BYTES;
  }
  return file;
}

interface Level {
  readonly size: LevelSize;
  readonly bands: readonly PixelArray[];
}

/** The image and its overviews, each made from the level before. */
function pyramid(image: CogImage): Level[] {
  const levels: Level[] = [];
  let bands = image.bands;
  let last: RasterSize | undefined;
  for (const size of levelSizes(image, image.blockSize, image.halfBlockOverview)) {
    const { width, height } = size;
    if (last !== undefined) bands = overviewPixels(bands, last, { x: 0, y: 0, width, height }, overviewRule(image));
    levels.push({ size, bands });
    last = size;
  }
  return levels;
}

/** A level's compressed blocks row by row; null where a block is sparse. */
function encodeLevel(
  format: BlockFormat,
  bands: readonly PixelArray[],
  size: RasterSize,
): (Uint8Array<ArrayBuffer> | null)[] {
  const blocks: (Uint8Array<ArrayBuffer> | null)[] = [];
  for (let row = 0; row * format.blockSize < size.height; row++) {
    for (let column = 0; column * format.blockSize < size.width; column++) {
      const block = packBlock(format, bands, size.width, blockRect(size, format.blockSize, column, row));
      blocks.push(block === null ? null : encodeBlock(format, block));
    }
  }
  return blocks;
}
