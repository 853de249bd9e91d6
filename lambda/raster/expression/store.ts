/* oxlint-disable typescript/no-unsafe-type-assertion -- index reads: see kernels.ts. */
import type { FloatPixels } from '../types.ts';
import type { Chunk } from './kernels.ts';

// The same loop twice: one loop over both array types costs twice the time. value - value is NaN where the value is not
// finite, else 0: no branch.

const storeSingle = (chunk: Chunk, n: number, out: Float32Array, start: number): void => {
  for (let i = 0; i < n; i += 1) {
    const value = chunk[i] as number;
    out[start + i] = value + (value - value);
  }
};

const storeDouble = (chunk: Chunk, n: number, out: Float64Array, start: number): void => {
  for (let i = 0; i < n; i += 1) {
    const value = chunk[i] as number;
    out[start + i] = value + (value - value);
  }
};

/** Writes a chunk's first n values to `out` from `start` on, NaN for what is not finite. */
export const storeFinite = (chunk: Chunk, n: number, out: FloatPixels, start: number): void => {
  if (out instanceof Float32Array) storeSingle(chunk, n, out, start);
  else storeDouble(chunk, n, out, start);
};
