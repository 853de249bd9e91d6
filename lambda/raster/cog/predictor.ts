/**
 * The TIFF predictors (TIFF 6.0 section 14; Adobe Photoshop TIFF Technical Note 3) over pixel-interleaved rows: 2
 * (horizontal differences, modulo the sample's width) for integers, 3 (byte planes, then differences of bytes) for floats.
 * Index reads in the loops below are within bounds by construction, hence their `as number`: a check there costs a third.
 */
import type { DataType, PixelArray } from '../types.ts';
import { splitFloats } from '../kernels/predictor-kernels.ts';
import { bytesPerSample, isFloat } from '../data-type.ts';
import { undoFloating, undoHorizontal } from '../source/predictor.ts';
import { pixelsOver } from './sample-type.ts';

/**
 * Bytes of `samples` as they are compressed. Integers are differenced in place: hand over an array nobody else reads.
 *
 * @param into where floats' bytes go, at least as long as theirs; by default new memory
 */
export function applyPredictor(
  samples: PixelArray,
  rowLength: number,
  bandCount: number,
  into?: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  if (samples instanceof Float32Array || samples instanceof Float64Array) {
    const out = into?.subarray(0, samples.byteLength) ?? new Uint8Array(samples.byteLength);
    if (samples instanceof Float32Array && bandCount === 1) splitFloats(samples, out, rowLength);
    else splitPlanes(samples, rowLength, bandCount, out);
    return out;
  }
  for (let row = 0; row < samples.length; row += rowLength) {
    for (let i = row + rowLength - 1; i >= row + bandCount; i--) {
      samples[i] = (samples[i] as number) - (samples[i - bandCount] as number);
    }
  }
  return bytesOf(samples);
}

/** The inverse of `applyPredictor`. Takes `bytes` over. */
export function undoPredictor(
  bytes: Uint8Array<ArrayBuffer>,
  dataType: DataType,
  rowLength: number,
  bandCount: number,
): PixelArray {
  const size = bytesPerSample(dataType);
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
  const rows = bytes.length / (rowLength * size);
  if (isFloat(dataType)) undoFloating(aligned, size, rows, rowLength, bandCount);
  else undoHorizontal(aligned, 8 * size, rows, rowLength, bandCount);
  return pixelsOver(dataType, aligned);
}

/** Little-endian bytes seen as samples; copied only where the bytes do not start on a sample's boundary. */
export function samplesOf(bytes: Uint8Array<ArrayBuffer>, dataType: DataType): PixelArray {
  return pixelsOver(dataType, bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes));
}

export function bytesOf(samples: PixelArray): Uint8Array<ArrayBuffer> {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

/**
 * Byte planes run from the most significant byte down, and each byte is the difference to that of the same band's sample
 * before; a plane's first goes on from the last of the plane before. What has gone before is kept in variables, a band and a
 * word of four planes at a time: going through memory for it takes twice as long.
 */
function splitPlanes(
  samples: Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>,
  rowLength: number,
  bandCount: number,
  out: Uint8Array,
): void {
  const words = new Uint32Array(samples.buffer, samples.byteOffset, samples.byteLength / 4);
  const wordsPerSample = samples.BYTES_PER_ELEMENT / 4;
  for (let row = 0; row < samples.length; row += rowLength) {
    for (let band = 0; band < bandCount; band++) {
      let before = 0;
      for (let w = wordsPerSample - 1; w >= 0; w--) {
        // The high word of a little-endian double is its second.
        const lastOfRow = words[(row + rowLength - bandCount + band) * wordsPerSample + w] as number;
        let [a, b, c, d] = [before, lastOfRow >>> 24, lastOfRow >>> 16, lastOfRow >>> 8];
        let at = row * 4 * wordsPerSample + 4 * (wordsPerSample - 1 - w) * rowLength + band;
        for (let sample = row + band; sample < row + rowLength; sample += bandCount, at += bandCount) {
          const word = words[sample * wordsPerSample + w] as number;
          out[at] = (word >>> 24) - a;
          out[at + rowLength] = (word >>> 16) - b;
          out[at + 2 * rowLength] = (word >>> 8) - c;
          out[at + 3 * rowLength] = word - d;
          a = word >>> 24;
          b = word >>> 16;
          c = word >>> 8;
          d = word;
        }
        before = d;
      }
    }
  }
}
