/**
 * The one place where compressed blocks become bytes. geotiff.js has decoders of its own; they are not used, because
 * of what was found wrong with them: its inflate and LZW are JavaScript (a fifth and a fifteenth of this speed) and
 * throw strings or return short blocks on damage; its LERC drops the validity mask; its JPEG leaves YCbCr unconverted
 * and differs from libjpeg by rounding and chroma interpolation; its WebP needs a browser.
 */
import { inflateSync, zstdDecompressSync } from 'node:zlib';
import { SourceError } from '../../errors.ts';
import { outputLimits } from '../cog/codec.ts';
import { CorruptBlockError } from './corrupt-block.ts';
import { decodeJpeg } from './jpeg/decode-jpeg.ts';
import { decodeLerc } from './lerc-block.ts';
import { decodeLzw } from './lzw.ts';
import { decodePackBits } from './packbits.ts';
import { decodeWebp, prepareWebp } from './webp-block.ts';

/** What the compressed bytes are to become. */
export interface BlockShape {
  /** Columns and rows of the block, px. */
  readonly width: number;
  readonly height: number;
  /** Samples a pixel inside the block. */
  readonly samples: number;
  /** Bytes of the decoded block, exactly. */
  readonly byteLength: number;
  readonly lercCompression: number;
  /** The JPEGTables tag, and whether colours are YCbCr; of no meaning for other compressions. */
  readonly jpegTables: Uint8Array | null;
  readonly ycbcr: boolean;
}

const NAMES: Partial<Record<number, string>> = {
  1: 'none',
  2: 'CCITT RLE',
  3: 'CCITT fax 3',
  4: 'CCITT fax 4',
  5: 'LZW',
  6: 'old-style JPEG',
  7: 'JPEG',
  8: 'DEFLATE',
  32773: 'PackBits',
  32946: 'DEFLATE',
  34676: 'SGI LogLuv',
  34677: 'SGI LogLuv',
  34712: 'JPEG 2000',
  34887: 'LERC',
  34925: 'LZMA',
  50000: 'ZSTD',
  50001: 'WebP',
  50002: 'JPEG XL',
  52546: 'JPEG XL',
};
const DECODABLE = new Set([1, 5, 7, 8, 32773, 32946, 34887, 50000, 50001]);

/**
 * Makes a compression (the TIFF tag's number) decodable.
 *
 * @throws SourceError where there is no decoder for it, with the line that converts the file
 */
export async function requireDecodable(file: string, compression: number): Promise<void> {
  if (compression === 50001) return prepareWebp(file, conversionLine(file));
  if (DECODABLE.has(compression)) return;
  throw new SourceError(file, `${NAMES[compression] ?? `unknown (${compression})`} compression is not read`, {
    remedy: conversionLine(file),
  });
}

/** The command that makes a readable file of one that is not. */
export function conversionLine(file: string): string {
  return `convert it first: gdal_translate -of COG -co COMPRESS=DEFLATE ${file} converted.tif`;
}

/**
 * Decompresses one block.
 *
 * @param bytes the block as it stands in the file; may be a view into a larger read, and is not changed
 * @returns bytes in an own buffer, `shape.byteLength` of them (LERC: already in the machine's byte order)
 * @throws CorruptBlockError where they are damaged, cut off, or of another size
 */
export function decompress(
  compression: number,
  bytes: Uint8Array<ArrayBuffer>,
  shape: BlockShape,
): Uint8Array<ArrayBuffer> {
  const size = shape.byteLength;
  switch (compression) {
    case 1:
      return exactly(new Uint8Array(bytes.subarray(0, size)), size);
    case 5:
      return decodeLzw(bytes, size);
    case 7:
      return decodeJpeg(bytes, { ...shape, tables: shape.jpegTables });
    case 8:
    case 32946:
      return exactly(inflate(bytes, size), size);
    case 32773:
      return decodePackBits(bytes, size);
    case 34887:
      return decodeLerc(lercBlob(bytes, shape), shape);
    case 50000:
      return exactly(unzstd(bytes, size), size);
    case 50001:
      return decodeWebp(bytes, shape);
    default:
      throw new CorruptBlockError(`compression ${compression} has no decoder`);
  }
}

function lercBlob(bytes: Uint8Array<ArrayBuffer>, shape: BlockShape): Uint8Array<ArrayBuffer> {
  // LERC may grow what it cannot compress, by headers only.
  const limit = shape.byteLength * 2 + 4096;
  if (shape.lercCompression === 1) return inflate(bytes, limit);
  if (shape.lercCompression === 2) return unzstd(bytes, limit);
  return bytes;
}

function inflate(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  return guarded(() => inflateSync(bytes, outputLimits(size)));
}

function unzstd(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  return guarded(() => zstdDecompressSync(bytes, outputLimits(size)));
}

function guarded(decode: () => Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  try {
    return decode();
  } catch (error) {
    const tooLarge =
      typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    if (tooLarge) throw new CorruptBlockError('holds more than its size', { cause: error });
    throw new CorruptBlockError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function exactly(bytes: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  if (bytes.length !== size) throw new CorruptBlockError(`holds ${bytes.length} bytes where ${size} belong`);
  return bytes;
}
