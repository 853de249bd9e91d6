import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as z from 'zod';
import { SourceError } from '../../errors.ts';
import { CorruptBlockError } from './corrupt-block.ts';

/**
 * libwebp in WebAssembly, the decoder's part alone (138 KB), read when the first WebP file is opened. It is the same
 * library that GDAL decodes with, and pixels are the same. The package is optional; its own entry point loads its
 * WebAssembly by fetch, which Node does not do for files: the bytes are handed over here.
 */
const PACKAGE = '@jsquash/webp';
const load = createRequire(import.meta.url);

interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha, not multiplied by it. */
  readonly data: Uint8ClampedArray;
}
type Decode = (bytes: Uint8Array) => Picture | null;

const Module = z.object({ default: z.custom<(options: object) => Promise<unknown>>(isFunction) });
const Decoder = z.object({ decode: z.custom<Decode>(isFunction) });

let decoder: Promise<Decode> | null = null;
let decode: Decode | null = null;

/** Makes WebP blocks decodable. @throws SourceError where the package is not installed, with what to do */
export async function prepareWebp(file: string, remedy: string): Promise<void> {
  try {
    decoder ??= instantiate();
    decode = await decoder;
  } catch (cause) {
    decoder = null;
    const text = `WebP compression is read by the optional package ${PACKAGE}, which is not installed`;
    throw new SourceError(file, text, { remedy: `install it (npm install ${PACKAGE}), or ${remedy}`, cause });
  }
}

async function instantiate(): Promise<Decode> {
  const wasmBinary = readFileSync(load.resolve(`${PACKAGE}/codec/dec/webp_dec.wasm`));
  const { default: factory } = Module.parse(load(`${PACKAGE}/codec/dec/webp_dec.js`));
  return Decoder.parse(await factory({ noInitialRun: true, wasmBinary })).decode;
}

/**
 * Decodes one WebP block, lossy or lossless.
 *
 * @param samples 3, or 4 with alpha; alpha is 255 throughout where the block has none
 * @returns rows x columns x samples
 * @throws CorruptBlockError where the block is damaged or of another shape
 */
export function decodeWebp(
  bytes: Uint8Array,
  { width, height, samples }: { readonly width: number; readonly height: number; readonly samples: number },
): Uint8Array<ArrayBuffer> {
  if (decode === null) throw new Error('the WebP decoder was not prepared');
  const size = pictureSize(bytes);
  // Before anything is allocated: a header may claim a gigabyte.
  if (size.width !== width || size.height !== height) {
    throw new CorruptBlockError(`holds WebP of ${size.width} x ${size.height} px where ${width} x ${height} belong`);
  }
  const picture = decodeWith(decode, bytes);
  const count = width * height;
  if (picture === null || picture.data.length !== count * 4) throw new CorruptBlockError('is not sound WebP');
  if (samples === 4) return new Uint8Array(picture.data);
  const out = new Uint8Array(count * 3);
  for (let pixel = 0; pixel < count; pixel++) out.set(picture.data.subarray(pixel * 4, pixel * 4 + 3), pixel * 3);
  return out;
}

/** A fault inside WebAssembly is damage as well; its memory may be out of joint, so the next block gets a new instance. */
function decodeWith(decodeBytes: Decode, bytes: Uint8Array): Picture | null {
  try {
    // The binding knows bytes by their class alone.
    return decodeBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  } catch (cause) {
    throw new CorruptBlockError('is not sound WebP', { cause });
  }
}

/**
 * Columns and rows as the first chunk's header gives them (WebP container specification; RFC 6386, 9.1 for lossy ones).
 *
 * @throws CorruptBlockError where there is no such header
 */
function pictureSize(bytes: Uint8Array): { width: number; height: number } {
  const at = (index: number): number => bytes[index] ?? 0;
  const text = (from: number): string => String.fromCharCode(...bytes.subarray(from, from + 4));
  if (text(0) === 'RIFF' && text(8) === 'WEBP') {
    const chunk = text(12);
    if (chunk === 'VP8 ')
      return { width: (at(26) | (at(27) << 8)) & 0x3fff, height: (at(28) | (at(29) << 8)) & 0x3fff };
    if (chunk === 'VP8L') {
      const packed = at(21) | (at(22) << 8) | (at(23) << 16) | (at(24) << 24);
      return { width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 };
    }
    if (chunk === 'VP8X') {
      return {
        width: (at(24) | (at(25) << 8) | (at(26) << 16)) + 1,
        height: (at(27) | (at(28) << 8) | (at(29) << 16)) + 1,
      };
    }
  }
  throw new CorruptBlockError('is not WebP');
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
