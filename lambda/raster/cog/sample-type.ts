import { anyOddNan } from '../kernels/store-kernels.ts';
import { bytesPerSample, isFloat } from '../data-type.ts';
import type { DataType, PixelArray } from '../types.ts';

/** How samples of one data type stand in a TIFF. Samples are written little-endian, the order of every host Node runs on. */
export interface SampleType {
  /** TIFF SampleFormat: 1 unsigned, 2 signed, 3 IEEE floating point. */
  readonly format: 1 | 2 | 3;
  readonly min: number;
  readonly max: number;
}

const FLOAT32_MAX = 3.4028234663852886e38;

const SAMPLE_TYPES: Readonly<Record<DataType, SampleType>> = {
  uint8: { format: 1, min: 0, max: 0xff },
  int8: { format: 2, min: -0x80, max: 0x7f },
  uint16: { format: 1, min: 0, max: 0xffff },
  int16: { format: 2, min: -0x8000, max: 0x7fff },
  uint32: { format: 1, min: 0, max: 0xffffffff },
  int32: { format: 2, min: -0x80000000, max: 0x7fffffff },
  float32: { format: 3, min: -FLOAT32_MAX, max: FLOAT32_MAX },
  float64: { format: 3, min: -Number.MAX_VALUE, max: Number.MAX_VALUE },
};

const PIXEL_ARRAYS: Readonly<
  Record<DataType, new (buffer: ArrayBuffer, byteOffset: number, length: number) => PixelArray>
> = {
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
};

export function sampleType(dataType: DataType): SampleType {
  return SAMPLE_TYPES[dataType];
}

/** Bytes seen as samples of a data type; they must begin on a sample's boundary of their buffer. */
export function pixelsOver(dataType: DataType, bytes: Uint8Array<ArrayBuffer>): PixelArray {
  return new PIXEL_ARRAYS[dataType](bytes.buffer, bytes.byteOffset, bytes.byteLength / bytesPerSample(dataType));
}

/** The data type of an array of samples. */
export function dataTypeOf(pixels: PixelArray): DataType {
  if (pixels instanceof Uint8Array) return 'uint8';
  if (pixels instanceof Int8Array) return 'int8';
  if (pixels instanceof Uint16Array) return 'uint16';
  if (pixels instanceof Int16Array) return 'int16';
  if (pixels instanceof Uint32Array) return 'uint32';
  if (pixels instanceof Int32Array) return 'int32';
  return pixels instanceof Float32Array ? 'float32' : 'float64';
}

/**
 * The sample that stands for nodata, as the type stores it: null where there is none, or where the type cannot hold it
 * (no pixel then equals it). Float32 rounds it, integers must have it exactly.
 */
export function storedNodata(dataType: DataType, nodata: number | null): number | null {
  if (nodata === null) return null;
  if (isFloat(dataType)) return dataType === 'float32' ? Math.fround(nodata) : nodata;
  const { min, max } = SAMPLE_TYPES[dataType];
  return Number.isInteger(nodata) && nodata >= min && nodata <= max ? nodata : null;
}

/** Bit patterns of the one NaN that is written, by words of 32 bits, most significant first. */
export const CANONICAL_NAN = { float32: 0x7fc00000, float64: 0x7ff80000 } as const;

/** True where a NaN of `pixels` has other bits than the canonical ones. Never for integers. */
export function hasOddNan(pixels: PixelArray): boolean {
  if (pixels instanceof Float32Array) return anyOddNan(pixels);
  if (pixels instanceof Float64Array) {
    const words = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length * 2);
    for (let i = 0; i < pixels.length; i++) {
      if (!Number.isNaN(pixels[i])) continue;
      if (words[2 * i] !== 0 || words[2 * i + 1] !== CANONICAL_NAN.float64) return true;
    }
  }
  return false;
}

/** Gives every NaN of `pixels` the one canonical bit pattern, in place. Integers are left alone. */
export function canonicaliseNan(pixels: PixelArray): void {
  if (pixels instanceof Float32Array) {
    if (!anyOddNan(pixels)) return;
    const words = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length);
    for (let i = 0; i < words.length; i++) {
      if (((words[i] ?? 0) & 0x7fffffff) > 0x7f800000) words[i] = CANONICAL_NAN.float32;
    }
  } else if (pixels instanceof Float64Array) {
    const words = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length * 2);
    for (let i = 0; i < pixels.length; i++) {
      if (Number.isNaN(pixels[i])) {
        words[2 * i] = 0;
        words[2 * i + 1] = CANONICAL_NAN.float64;
      }
    }
  }
}
