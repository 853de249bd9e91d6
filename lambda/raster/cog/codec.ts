import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { ZlibOptions, ZstdOptions } from 'node:zlib';
import { TileonceError } from '../../errors.ts';
import type { Compression, DataType } from '../types.ts';
import { bytesPerSample, isFloat } from '../data-type.ts';
import { deflateRuns } from '../kernels/deflate-kernels.ts';
import { zstdFloats } from '../kernels/zstd-kernels.ts';

const deflateAsync = promisify(zlib.deflate);
const inflateAsync = promisify(zlib.inflate);
const zstdDecompressAsync = promisify(zlib.zstdDecompress);

/** A block whose bytes are not what its file's tags say. */
export class CorruptBlockError extends TileonceError {}

/** TIFF Compression tag values. 8 is Adobe's DEFLATE (zlib), 50000 the value GDAL and libtiff gave ZSTD. */
export const COMPRESSION_TAGS: Readonly<Record<Compression, number>> = { none: 1, deflate: 8, zstd: 50_000 };

/** TIFF Predictor tag values. */
export function predictorTag(compression: Compression, dataType: DataType): 1 | 2 | 3 {
  if (compression === 'none') return 1;
  return isFloat(dataType) ? 3 : 2;
}

/**
 * How hard DEFLATE works on integers of more than 8 bits, which do have matches: level 4 is within 0.5 % of level 9. This is
 * part of the output's bytes, as ZSTD's level is, so change it knowingly.
 */
const MATCHES = { level: 4, strategy: zlib.constants.Z_DEFAULT_STRATEGY } as const;

/**
 * Whether DEFLATE does without a search for matches beyond runs. By level 6 noisy floats would gain 2 % at a tenth of the
 * speed and class maps, small as they are, 10 %; differenced 8-bit imagery comes out larger with it.
 */
function runsAreEnough(dataType: DataType): boolean {
  return isFloat(dataType) || bytesPerSample(dataType) === 1;
}

/** ZSTD is chosen for speed: level 3 makes wide integers 2 to 12 % smaller at a quarter of level 1's speed, floats no smaller. */
const ZSTD_LEVEL = 1;

function deflateOptions(length: number): ZlibOptions {
  return { ...MATCHES, chunkSize: compressedBound(length) };
}

function zstdOptions(length: number): ZstdOptions {
  return {
    params: { [zlib.constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL },
    // With the size in the frame, readers that allocate before they decode can read the block.
    pledgedSrcSize: length,
    chunkSize: compressedBound(length),
  };
}

/** At least what either codec makes of incompressible input, so that one output buffer always does. */
function compressedBound(length: number): number {
  return length + (length >>> 8) + 1024;
}

/**
 * `zlib.zstdCompressSync` on libuv's thread pool. `zlib.zstdCompress` hands the encoder the block first and its end later, as
 * of a stream that may go on: that takes twice the time, and gives other bytes.
 */
function zstdAtOnce(bytes: Uint8Array<ArrayBuffer>, options: ZstdOptions): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const encoder = zlib.createZstdCompress({ ...options, flush: zlib.constants.ZSTD_e_end });
    // The output buffer holds the frame, so it comes in one piece.
    encoder.once('data', (frame: Buffer<ArrayBuffer>) => {
      encoder.destroy();
      resolve(frame);
    });
    encoder.once('error', reject);
    encoder.write(bytes);
  });
}

/** What a block's bytes are, before they are compressed. */
export interface BlockBytes {
  readonly compression: Compression;
  readonly dataType: DataType;
  /** Samples of a row of the block, all bands. */
  readonly rowSamples: number;
}

/** A block's bytes, compressed. The same input gives the same bytes, here and in `compressAsync`. */
export function compress(bytes: Uint8Array<ArrayBuffer>, block: BlockBytes): Uint8Array<ArrayBuffer> {
  if (block.compression === 'none') return bytes;
  const quick = compressQuickly(bytes, block);
  if (quick !== null) return quick;
  if (block.compression === 'zstd') return zlib.zstdCompressSync(bytes, zstdOptions(bytes.length));
  return zlib.deflateSync(bytes, deflateOptions(bytes.length));
}

/** `compress` on libuv's thread pool, but for what takes less time than a block waits there. */
export async function compressAsync(
  bytes: Uint8Array<ArrayBuffer>,
  block: BlockBytes,
): Promise<Uint8Array<ArrayBuffer>> {
  if (block.compression === 'none') return bytes;
  const quick = compressQuickly(bytes, block);
  if (quick !== null) return quick;
  if (block.compression === 'zstd') return zstdAtOnce(bytes, zstdOptions(bytes.length));
  return deflateAsync(bytes, deflateOptions(bytes.length));
}

/** By this project's own encoders, for samples that need no search; null for others. */
function compressQuickly(
  bytes: Uint8Array<ArrayBuffer>,
  { compression, dataType, rowSamples }: BlockBytes,
): Uint8Array<ArrayBuffer> | null {
  if (compression === 'zstd') return dataType === 'float32' ? zstdFloats(bytes, rowSamples) : null;
  return runsAreEnough(dataType) ? deflateRuns(bytes) : null;
}

/**
 * One output buffer, and a bomb stopped before it is unpacked. A buffer that the block just fills would make the decoder
 * allocate another, to see whether something follows.
 */
export function outputLimits(length: number): { chunkSize: number; maxOutputLength: number } {
  return { chunkSize: length + 64, maxOutputLength: Math.max(length, 1) };
}

/** A compressed block's `length` bytes. Throws CorruptBlockError. */
export function decompress(
  bytes: Uint8Array<ArrayBuffer>,
  compression: Compression,
  length: number,
): Uint8Array<ArrayBuffer> {
  const limits = outputLimits(length);
  return checked(length, () => {
    if (compression === 'none') return new Uint8Array(bytes);
    return compression === 'deflate' ? zlib.inflateSync(bytes, limits) : zlib.zstdDecompressSync(bytes, limits);
  });
}

/** `decompress` on libuv's thread pool. */
export async function decompressAsync(
  bytes: Uint8Array<ArrayBuffer>,
  compression: Compression,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const limits = outputLimits(length);
  let decoded: Uint8Array<ArrayBuffer>;
  try {
    if (compression === 'none') decoded = new Uint8Array(bytes);
    else decoded = await (compression === 'deflate' ? inflateAsync(bytes, limits) : zstdDecompressAsync(bytes, limits));
  } catch (cause) {
    throw corrupt(cause);
  }
  return checked(length, () => decoded);
}

function checked(length: number, decode: () => Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let decoded: Uint8Array<ArrayBuffer>;
  try {
    decoded = decode();
  } catch (cause) {
    throw corrupt(cause);
  }
  if (decoded.length !== length) {
    throw new CorruptBlockError(`a block decodes to ${decoded.length} bytes where its size says ${length}`);
  }
  return decoded;
}

function corrupt(cause: unknown): CorruptBlockError {
  return new CorruptBlockError('a block cannot be decompressed', { cause });
}
