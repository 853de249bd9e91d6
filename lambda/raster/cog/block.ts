/**
 * Blocks: squares of pixel-interleaved samples, compressed each by itself. A block that the image's edge cuts is padded to
 * its full size with the fill value. One that holds nothing but the fill value is sparse: it has no bytes at all.
 */
import type { Compression, DataType, PixelArray, PixelRect, RasterSize } from '../types.ts';
import type { CogDescription } from './cog-image.ts';
import { type BlockBytes, compress, compressAsync, decompress, decompressAsync, predictorTag } from './codec.ts';
import { applyPredictor, bytesOf, samplesOf, undoPredictor } from './predictor.ts';
import { bytesPerSample, isFloat, pixelArray } from '../data-type.ts';
import { lendPlanes, planesOf } from '../kernels/plane-memory.ts';
import { canonicaliseNan, storedNodata } from './sample-type.ts';

/** What all blocks of one file have in common. */
export interface BlockFormat {
  readonly dataType: DataType;
  readonly bandCount: number;
  /** Side, px. */
  readonly blockSize: number;
  readonly compression: Compression;
  /** The sample that a reader is to see in a sparse block: nodata, 0 under an alpha band, else null (no block is sparse). */
  readonly fill: number | null;
}

export function blockFormat(
  description: Pick<CogDescription, 'dataType' | 'bandCount' | 'blockSize' | 'compression' | 'nodata' | 'alpha'>,
): BlockFormat {
  const { dataType, bandCount, blockSize, compression, nodata, alpha } = description;
  return { dataType, bandCount, blockSize, compression, fill: alpha ? 0 : storedNodata(dataType, nodata) };
}

/**
 * Takes `rect` (px, at most a block) out of band arrays whose rows are `stride` px long, as one interleaved block with every
 * NaN canonical; null where nothing in it differs from the fill value. A band of floats that is a block already is not copied.
 */
export function packBlock(
  format: BlockFormat,
  bands: readonly PixelArray[],
  stride: number,
  rect: PixelRect,
): PixelArray | null {
  const { blockSize, bandCount, dataType } = format;
  const [only] = bands;
  if (bands.length === 1 && only?.length === blockSize * blockSize && stride === blockSize && isFloat(dataType)) {
    canonicaliseNan(only);
    return isFill(format, only) ? null : only;
  }
  const block = pixelArray(dataType, blockSize * blockSize * bandCount);
  if (format.fill !== null && (rect.width < blockSize || rect.height < blockSize)) block.fill(format.fill);
  for (const [band, pixels] of bands.entries()) {
    for (let y = 0; y < rect.height; y++) {
      const from = (rect.y + y) * stride + rect.x;
      if (bandCount === 1) {
        block.set(pixels.subarray(from, from + rect.width), y * blockSize);
      } else {
        let at = y * blockSize * bandCount + band;
        for (let x = from; x < from + rect.width; x++, at += bandCount) block[at] = pixels[x] ?? 0;
      }
    }
  }
  canonicaliseNan(block);
  return isFill(format, block) ? null : block;
}

/** Copies `rect` of an interleaved block to band arrays with rows of `stride` px, its corner at (x, y) there. */
export function unpackBlock(
  format: BlockFormat,
  block: PixelArray,
  rect: PixelRect,
  bands: readonly PixelArray[],
  stride: number,
  to: { readonly x: number; readonly y: number },
): void {
  const { blockSize, bandCount } = format;
  for (const [band, pixels] of bands.entries()) {
    for (let y = 0; y < rect.height; y++) {
      const target = (to.y + y) * stride + to.x;
      let from = ((rect.y + y) * blockSize + rect.x) * bandCount + band;
      if (bandCount === 1) {
        pixels.set(block.subarray(from, from + rect.width), target);
      } else {
        for (let x = target; x < target + rect.width; x++, from += bandCount) pixels[x] = block[from] ?? 0;
      }
    }
  }
}

/** The part of an image's level that block (column, row) covers, px; narrower than a block at the right and lower edges. */
export function blockRect(size: RasterSize, blockSize: number, column: number, row: number): PixelRect {
  const x = column * blockSize;
  const y = row * blockSize;
  return { x, y, width: Math.min(blockSize, size.width - x), height: Math.min(blockSize, size.height - y) };
}

/** Where floats are sorted into byte planes before they are compressed at once; made longer where a block asks for it. */
let planes = new Uint8Array(0);

/** A block's compressed bytes. Takes `block` over. */
export function encodeBlock(format: BlockFormat, block: PixelArray): Uint8Array<ArrayBuffer> {
  // Beside the block, where that stands in the kernels' memory.
  using lease = lendPlanes();
  const beside = planesOf([block]) === null ? null : lease.take(false, block.byteLength / 4);
  if (beside === null && isFloat(format.dataType) && planes.length < block.byteLength) {
    planes = new Uint8Array(block.byteLength);
  }
  const into = beside === null ? planes : bytesOf(beside);
  return compress(beforeCompression(format, block, into), bytesOfBlock(format));
}

/**
 * `encodeBlock` with the entropy coding on another thread.
 *
 * @param into memory, as long as the block, that is used until the promise is kept; by default new memory
 */
export function encodeBlockAsync(
  format: BlockFormat,
  block: PixelArray,
  into?: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return compressAsync(beforeCompression(format, block, into), bytesOfBlock(format));
}

/** A compressed block's interleaved samples. Throws CorruptBlockError. */
export function decodeBlock(format: BlockFormat, bytes: Uint8Array<ArrayBuffer>): PixelArray {
  return afterDecompression(format, decompress(bytes, format.compression, blockBytes(format)));
}

/** `decodeBlock` with the entropy decoding on another thread. */
export async function decodeBlockAsync(format: BlockFormat, bytes: Uint8Array<ArrayBuffer>): Promise<PixelArray> {
  return afterDecompression(format, await decompressAsync(bytes, format.compression, blockBytes(format)));
}

function bytesOfBlock({ compression, dataType, blockSize, bandCount }: BlockFormat): BlockBytes {
  return { compression, dataType, rowSamples: blockSize * bandCount };
}

function blockBytes({ dataType, bandCount, blockSize }: BlockFormat): number {
  return blockSize * blockSize * bandCount * bytesPerSample(dataType);
}

function beforeCompression(
  { compression, dataType, blockSize, bandCount }: BlockFormat,
  block: PixelArray,
  into?: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  if (predictorTag(compression, dataType) === 1) return bytesOf(block);
  return applyPredictor(block, blockSize * bandCount, bandCount, into);
}

function afterDecompression(
  { compression, dataType, blockSize, bandCount }: BlockFormat,
  bytes: Uint8Array<ArrayBuffer>,
): PixelArray {
  if (predictorTag(compression, dataType) === 1) return samplesOf(bytes, dataType);
  return undoPredictor(bytes, dataType, blockSize * bandCount, bandCount);
}

/** Compared bit by bit: -0 is not 0, and NaN (canonical by now) is NaN. */
function isFill({ fill, dataType }: BlockFormat, block: PixelArray): boolean {
  if (fill === null) return false;
  const pattern = pixelArray(dataType, 1);
  pattern[0] = fill;
  canonicaliseNan(pattern);
  const wanted = wordsOf(pattern);
  const words = wordsOf(block);
  const [even = 0, odd = even] = wanted;
  for (let i = 0; i < words.length; i++) {
    if (words[i] !== (i % 2 === 0 ? even : odd)) return false;
  }
  return true;
}

function wordsOf(samples: PixelArray): Uint8Array | Uint16Array | Uint32Array {
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT } = samples;
  if (BYTES_PER_ELEMENT === 1) return new Uint8Array(buffer, byteOffset, byteLength);
  if (BYTES_PER_ELEMENT === 2) return new Uint16Array(buffer, byteOffset, byteLength / 2);
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}
