import type { DataType, PixelArray } from './types.ts';

const BYTES: Readonly<Record<DataType, number>> = {
  uint8: 1,
  int8: 1,
  uint16: 2,
  int16: 2,
  uint32: 4,
  int32: 4,
  float32: 4,
  float64: 8,
};

/** Bytes of one sample of the type. */
export const bytesPerSample = (type: DataType): number => BYTES[type];

export const isFloat = (type: DataType): boolean => type === 'float32' || type === 'float64';

/** A zeroed array of `length` samples of the type. */
export const pixelArray = (type: DataType, length: number): PixelArray => {
  switch (type) {
    case 'uint8':
      return new Uint8Array(length);
    case 'int8':
      return new Int8Array(length);
    case 'uint16':
      return new Uint16Array(length);
    case 'int16':
      return new Int16Array(length);
    case 'uint32':
      return new Uint32Array(length);
    case 'int32':
      return new Int32Array(length);
    case 'float32':
      return new Float32Array(length);
    case 'float64':
      return new Float64Array(length);
  }
};

/** Smallest and largest value of an integer type. */
export const integerRange = (type: Exclude<DataType, 'float32' | 'float64'>): { min: number; max: number } => {
  const bits = BYTES[type] * 8;
  return type.startsWith('u') ? { min: 0, max: 2 ** bits - 1 } : { min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 };
};
