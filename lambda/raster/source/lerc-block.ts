import Lerc from 'lerc';
import type { LercImage } from 'lerc';
import type { BlockShape } from './codecs.ts';
import { CorruptBlockError } from './corrupt-block.ts';

/**
 * Decodes one LERC block (versions 1 and 2 up to 2.5).
 *
 * What its mask calls invalid becomes NaN in float samples, as libtiff does it, and a zero alpha where the fourth of
 * four 8-bit samples was turned into the mask. A mask over other integers has no value to become, and is refused.
 *
 * @returns samples in the machine's byte order, pixel by pixel
 * @throws CorruptBlockError where the block is damaged or of another shape
 */
export function decodeLerc(bytes: Uint8Array<ArrayBuffer>, shape: BlockShape): Uint8Array<ArrayBuffer> {
  const image = decode(bytes);
  const pixels = image.pixels[0];
  if (
    pixels === undefined ||
    image.width !== shape.width ||
    image.height !== shape.height ||
    image.pixels.length !== 1
  ) {
    throw new CorruptBlockError(`holds LERC of ${image.width} x ${image.height} px`);
  }
  const count = shape.width * shape.height;
  if (pixels instanceof Uint8Array && shape.samples === 4 && pixels.length === count * 3) {
    return withAlpha(pixels, image.mask ?? null, count);
  }
  if (pixels.byteLength !== shape.byteLength) {
    throw new CorruptBlockError(`holds ${pixels.byteLength} bytes where ${shape.byteLength} belong`);
  }
  const { mask } = image;
  if (mask) {
    const float = pixels instanceof Float32Array || pixels instanceof Float64Array;
    for (let pixel = 0; pixel < count; pixel++) {
      if (mask[pixel]) continue;
      if (!float) throw new CorruptBlockError('masks integer samples by LERC, which is not read');
      pixels.fill(Number.NaN, pixel * shape.samples, (pixel + 1) * shape.samples);
    }
  }
  return new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength);
}

function decode(bytes: Uint8Array<ArrayBuffer>): LercImage {
  try {
    return Lerc.decode(new Uint8Array(bytes).buffer, { returnPixelInterleavedDims: true });
  } catch (error) {
    // The decoder throws strings as well as errors.
    throw new CorruptBlockError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Three samples and the mask, made four: the shape in which libtiff stores 8-bit RGBA. */
function withAlpha(rgb: Uint8Array, mask: Uint8Array | null, count: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(count * 4);
  for (let pixel = 0; pixel < count; pixel++) {
    out.set(rgb.subarray(pixel * 3, pixel * 3 + 3), pixel * 4);
    out[pixel * 4 + 3] = !mask || mask[pixel] ? 255 : 0;
  }
  return out;
}
