/* oxlint-disable typescript/no-unsafe-type-assertion -- index reads: see kernels.ts. */
import type { BinaryKernel } from './kernels.ts';

// Integers are exact up to 2 ** 53, beyond the 32 bits of JavaScript's own operators: where a value is wider, its 32-bit
// halves are worked on, as if negative values were two's complement of unlimited width. What is not an integer gives nodata.

const TWO_32 = 2 ** 32;

const high = (x: number): number => Math.floor(x / TWO_32);
const joined = (highHalf: number, lowHalf: number): number => highHalf * TWO_32 + (lowHalf >>> 0);
const isWord = (x: number): boolean => (x | 0) === x;
const areIntegers = (x: number, y: number): boolean => Number.isSafeInteger(x) && Number.isSafeInteger(y);

/** a & b. */
export const bitAnd: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    const y = b[i] as number;
    if (isWord(x) && isWord(y)) out[i] = x & y;
    else out[i] = areIntegers(x, y) ? joined(high(x) & high(y), x & y) : NaN;
  }
};

/** a | b. */
export const bitOr: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    const y = b[i] as number;
    if (isWord(x) && isWord(y)) out[i] = x | y;
    else out[i] = areIntegers(x, y) ? joined(high(x) | high(y), x | y) : NaN;
  }
};

/** a ^ b. */
export const bitXor: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    const y = b[i] as number;
    if (isWord(x) && isWord(y)) out[i] = x ^ y;
    else out[i] = areIntegers(x, y) ? joined(high(x) ^ high(y), x ^ y) : NaN;
  }
};

/** 2 ** places, or NaN where a value cannot be shifted by that many: not a whole number from 0 to 63. */
const shiftFactor = (places: number): number =>
  isWord(places) && places >= 0 && places < 64 ? (places < 31 ? 1 << places : 2 ** places) : NaN;

/** a << b; nodata where the result is beyond 2 ** 53 too. */
export const shiftLeft: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    const shifted = x * shiftFactor(b[i] as number);
    out[i] = areIntegers(x, shifted) ? shifted : NaN;
  }
};

/** a >> b, rounding down. */
export const shiftRight: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    const shifted = Math.floor(x / shiftFactor(b[i] as number));
    out[i] = areIntegers(x, shifted) ? shifted : NaN;
  }
};

/** Bit b of a, counted from 0 at the lowest. */
export const bitAt: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    const shifted = Math.floor(x / shiftFactor(b[i] as number));
    out[i] = areIntegers(x, shifted) ? shifted - 2 * Math.floor(shifted / 2) : NaN;
  }
};
