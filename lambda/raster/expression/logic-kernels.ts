/* oxlint-disable typescript/no-unsafe-type-assertion -- index reads: see kernels.ts. */
import type { BinaryKernel } from './kernels.ts';

// Comparisons and logic: 1 for true, 0 for false, nodata where a side that counts has no data.

export const equal: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    const y = b[i] as number;
    out[i] = Number.isNaN(x) || Number.isNaN(y) ? NaN : x === y ? 1 : 0;
  }
};

export const unequal: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    const y = b[i] as number;
    out[i] = Number.isNaN(x) || Number.isNaN(y) ? NaN : x !== y ? 1 : 0;
  }
};

export const less: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    const y = b[i] as number;
    out[i] = Number.isNaN(x) || Number.isNaN(y) ? NaN : x < y ? 1 : 0;
  }
};

export const lessOrEqual: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    const y = b[i] as number;
    out[i] = Number.isNaN(x) || Number.isNaN(y) ? NaN : x <= y ? 1 : 0;
  }
};

export const greater: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    const y = b[i] as number;
    out[i] = Number.isNaN(x) || Number.isNaN(y) ? NaN : x > y ? 1 : 0;
  }
};

export const greaterOrEqual: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    const y = b[i] as number;
    out[i] = Number.isNaN(x) || Number.isNaN(y) ? NaN : x >= y ? 1 : 0;
  }
};

/** a && b: 0 where a is 0, whatever b is; nodata where a is, or where b is needed and is nodata. */
export const and: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    const y = b[i] as number;
    out[i] = x === 0 ? 0 : Number.isNaN(x) || Number.isNaN(y) ? NaN : y === 0 ? 0 : 1;
  }
};

/** a || b: 1 where a is true, whatever b is; nodata where a is, or where b is needed and is nodata. */
export const or: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    const y = b[i] as number;
    out[i] = Number.isNaN(x) ? NaN : x !== 0 ? 1 : Number.isNaN(y) ? NaN : y === 0 ? 0 : 1;
  }
};
