import { integerRange, isFloat } from '../data-type.ts';
import type { DataType } from '../types.ts';

/** Types that hold whole numbers only. */
export type IntegerType = Exclude<DataType, 'float32' | 'float64'>;

export const isIntegerType = (dtype: DataType): dtype is IntegerType => !isFloat(dtype);

/**
 * The value as the type stores it, or null where the type cannot hold it. The float types hold NaN; infinities are none's,
 * for what is not finite has no data.
 */
export const storedValue = (value: number, dtype: DataType): number | null => {
  if (isIntegerType(dtype)) {
    const { min, max } = integerRange(dtype);
    return Number.isInteger(value) && value >= min && value <= max ? value : null;
  }
  const stored = dtype === 'float32' ? Math.fround(value) : value;
  return Number.isFinite(stored) || Number.isNaN(stored) ? stored : null;
};

/** The next larger number of a float type; the next smaller one above the type's largest. */
export const nextFloat = (value: number, dtype: 'float32' | 'float64'): number => {
  const pixels = dtype === 'float32' ? new Float32Array([value]) : new Float64Array([value]);
  // Floats of one sign are ordered as their bits are, read as a whole number.
  const bits = dtype === 'float32' ? new Int32Array(pixels.buffer) : new BigInt64Array(pixels.buffer);
  const step = (by: 1 | -1): number => {
    if (bits instanceof Int32Array) bits[0] = (bits[0] ?? 0) + by;
    else bits[0] = (bits[0] ?? 0n) + BigInt(by);
    return pixels[0] ?? NaN;
  };
  if (value === 0) {
    pixels[0] = 0;
    return step(1);
  }
  const next = step(value > 0 ? 1 : -1);
  if (Number.isFinite(next)) return next;
  step(-1);
  return step(-1);
};
