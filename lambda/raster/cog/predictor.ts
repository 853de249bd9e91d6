/**
 * The TIFF predictors (TIFF 6.0 section 14; Adobe Photoshop TIFF Technical Note 3) over pixel-interleaved rows: 2
 * (horizontal differences, modulo the sample's width) for integers, 3 (byte planes, then differences of bytes) for floats.
 * Index reads in the loops below are within bounds by construction, hence their `as number`: a check there costs a third.
 */
import type { DataType, PixelArray } from '../types.ts';
import { bytesPerSample, isFloat, pixelArray } from '../data-type.ts';
import { pixelsOver } from './sample-type.ts';

/** Bytes of `samples` as they are compressed. Integers are differenced in place: hand over an array nobody else reads. */
export function applyPredictor(samples: PixelArray, rowLength: number, bandCount: number): Uint8Array<ArrayBuffer> {
  if (samples instanceof Float32Array || samples instanceof Float64Array) {
    return splitFloats(samples, rowLength, bandCount);
  }
  for (let row = 0; row < samples.length; row += rowLength) {
    for (let i = row + rowLength - 1; i >= row + bandCount; i--) {
      samples[i] = (samples[i] ?? 0) - (samples[i - bandCount] ?? 0);
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
  if (isFloat(dataType)) return joinFloats(bytes, dataType, rowLength, bandCount);
  const samples = samplesOf(bytes, dataType);
  for (let row = 0; row < samples.length; row += rowLength) {
    for (let band = 0; band < bandCount; band++) {
      let sum = 0;
      for (let i = row + band; i < row + rowLength; i += bandCount) {
        sum = (sum + (samples[i] ?? 0)) | 0;
        samples[i] = sum;
      }
    }
  }
  return samples;
}

/** Little-endian bytes seen as samples; copied only where the bytes do not start on a sample's boundary. */
export function samplesOf(bytes: Uint8Array<ArrayBuffer>, dataType: DataType): PixelArray {
  const whole = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength;
  return pixelsOver(dataType, whole ? bytes.buffer : new Uint8Array(bytes).buffer);
}

export function bytesOf(samples: PixelArray): Uint8Array<ArrayBuffer> {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

/**
 * Byte planes run from the most significant byte down, and each byte is the difference to that of the same band's sample
 * before; a plane's first goes on from the last of the plane before. What has gone before is kept in variables, a band and a
 * word of four planes at a time: going through memory for it takes twice as long.
 */
function splitFloats(
  samples: Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>,
  rowLength: number,
  bandCount: number,
): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(samples.buffer, samples.byteOffset, samples.byteLength / 4);
  const wordsPerSample = samples.BYTES_PER_ELEMENT / 4;
  const out = new Uint8Array(samples.byteLength);
  for (let row = 0; row < samples.length; row += rowLength) {
    for (let band = 0; band < bandCount; band++) {
      let before = 0;
      for (let w = wordsPerSample - 1; w >= 0; w--) {
        // The high word of a little-endian double is its second.
        const lastOfRow = words[(row + rowLength - bandCount + band) * wordsPerSample + w] ?? 0;
        let [a, b, c, d] = [before, lastOfRow >>> 24, lastOfRow >>> 16, lastOfRow >>> 8];
        let at = row * 4 * wordsPerSample + 4 * (wordsPerSample - 1 - w) * rowLength + band;
        for (let sample = row + band; sample < row + rowLength; sample += bandCount, at += bandCount) {
          const word = words[sample * wordsPerSample + w] ?? 0;
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
  return out;
}

function joinFloats(
  bytes: Uint8Array<ArrayBuffer>,
  dataType: DataType,
  rowLength: number,
  bandCount: number,
): PixelArray {
  const samples = pixelArray(dataType, bytes.length / bytesPerSample(dataType));
  const words = new Uint32Array(samples.buffer);
  const wordsPerSample = words.length / samples.length;
  for (let row = 0; row < samples.length; row += rowLength) {
    for (let band = 0; band < bandCount; band++) {
      let before = 0;
      for (let w = wordsPerSample - 1; w >= 0; w--) {
        const start = row * 4 * wordsPerSample + 4 * (wordsPerSample - 1 - w) * rowLength + band;
        let [a, b, c, d] = planeStarts(bytes, start, rowLength, bandCount, before);
        let at = start;
        for (let sample = row + band; sample < row + rowLength; sample += bandCount, at += bandCount) {
          a += bytes[at] ?? 0;
          b += bytes[at + rowLength] ?? 0;
          c += bytes[at + 2 * rowLength] ?? 0;
          d += bytes[at + 3 * rowLength] ?? 0;
          words[sample * wordsPerSample + w] = (a << 24) | ((b & 0xff) << 16) | ((c & 0xff) << 8) | (d & 0xff);
        }
        before = d;
      }
    }
  }
  return samples;
}

/** What has added up before each of the four planes from `start` on, modulo 256 of which only counts. */
function planeStarts(
  bytes: Uint8Array<ArrayBuffer>,
  start: number,
  rowLength: number,
  bandCount: number,
  before: number,
): [number, number, number, number] {
  let [a, b, c] = [0, 0, 0];
  for (let at = start; at < start + rowLength; at += bandCount) {
    a += bytes[at] ?? 0;
    b += bytes[at + rowLength] ?? 0;
    c += bytes[at + 2 * rowLength] ?? 0;
  }
  return [before, before + a, before + a + b, before + a + b + c];
}
