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
    for (let i = row + bandCount; i < row + rowLength; i++) {
      samples[i] = (samples[i] ?? 0) + (samples[i - bandCount] ?? 0);
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

function splitFloats(
  samples: Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>,
  rowLength: number,
  bandCount: number,
): Uint8Array<ArrayBuffer> {
  const width = samples.BYTES_PER_ELEMENT;
  const words = new Uint32Array(samples.buffer, samples.byteOffset, samples.byteLength / 4);
  const wordsPerSample = width / 4;
  const out = new Uint8Array(samples.byteLength);
  const rowBytes = rowLength * width;
  for (let row = 0; row < out.length; row += rowBytes) {
    // Planes run from the most significant byte down: the high word of a little-endian double is its second.
    for (let w = 0; w < wordsPerSample; w++) {
      let word = row / 4 + (wordsPerSample - 1 - w);
      let at = row + 4 * w * rowLength;
      for (const end = at + rowLength; at < end; at++, word += wordsPerSample) {
        const value = words[word] ?? 0;
        out[at] = value >>> 24;
        out[at + rowLength] = value >>> 16;
        out[at + 2 * rowLength] = value >>> 8;
        out[at + 3 * rowLength] = value;
      }
    }
    for (let i = row + rowBytes - 1; i >= row + bandCount; i--) {
      out[i] = (out[i] ?? 0) - (out[i - bandCount] ?? 0);
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
  const width = bytesPerSample(dataType);
  const samples = pixelArray(dataType, bytes.length / width);
  const words = new Uint32Array(samples.buffer);
  const wordsPerSample = width / 4;
  const rowBytes = rowLength * width;
  for (let row = 0; row < bytes.length; row += rowBytes) {
    for (let i = row + bandCount; i < row + rowBytes; i++) {
      bytes[i] = (bytes[i] ?? 0) + (bytes[i - bandCount] ?? 0);
    }
    for (let w = 0; w < wordsPerSample; w++) {
      let word = row / 4 + (wordsPerSample - 1 - w);
      let at = row + 4 * w * rowLength;
      for (const end = at + rowLength; at < end; at++, word += wordsPerSample) {
        words[word] =
          ((bytes[at] ?? 0) << 24) |
          ((bytes[at + rowLength] ?? 0) << 16) |
          ((bytes[at + 2 * rowLength] ?? 0) << 8) |
          (bytes[at + 3 * rowLength] ?? 0);
      }
    }
  }
  return samples;
}
