/* oxlint-disable typescript/no-unsafe-type-assertion --
   `as number` on an index read: the lengths are the caller's, and a check per pixel costs more than the arithmetic. */

import { vectorised } from '../kernels/expression-kernels.ts';

// One loop per operation over a chunk of pixels; NaN is nodata, in and out. The loops are written out one by one because a
// loop shared by several operations calls them per pixel, three to eight times slower.

/** A chunk of working values, one per pixel. */
export type Chunk = Float64Array<ArrayBuffer>;
/** Writes op(a[i], b[i]) to out[i] for i < n; out may be a or b. */
export type BinaryKernel = (a: Chunk, b: Chunk, out: Chunk, n: number) => void;
/** Writes op(a[i]) to out[i] for i < n; out may be a. */
export type UnaryKernel = (a: Chunk, out: Chunk, n: number) => void;

export const add = vectorised('add64', (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = (a[i] as number) + (b[i] as number);
});
export const subtract = vectorised('subtract64', (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = (a[i] as number) - (b[i] as number);
});
export const multiply = vectorised('multiply64', (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = (a[i] as number) * (b[i] as number);
});
export const divide = vectorised('divide64', (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = (a[i] as number) / (b[i] as number);
});

/** The remainder has the dividend's sign, as in C. */
export const remainder: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = (a[i] as number) % (b[i] as number);
};

/** Nodata in either side stays nodata: IEEE 754's NaN ** 0 = 1 would hide it. */
export const power: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    out[i] = Number.isNaN(x) ? NaN : x ** (b[i] as number);
  }
};

export const minimum: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = Math.min(a[i] as number, b[i] as number);
};
export const maximum: BinaryKernel = (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = Math.max(a[i] as number, b[i] as number);
};

export const negate: UnaryKernel = (a, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = -(a[i] as number);
};
export const square: UnaryKernel = (a, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = (a[i] as number) * (a[i] as number);
};
export const not: UnaryKernel = (a, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    out[i] = Number.isNaN(x) ? NaN : x === 0 ? 1 : 0;
  }
};
export const absolute: UnaryKernel = (a, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = Math.abs(a[i] as number);
};
export const squareRoot: UnaryKernel = (a, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = Math.sqrt(a[i] as number);
};
export const naturalLog: UnaryKernel = (a, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = Math.log(a[i] as number);
};
export const exponential: UnaryKernel = (a, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = Math.exp(a[i] as number);
};
export const floor: UnaryKernel = (a, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = Math.floor(a[i] as number);
};

/** Half away from zero: 2.5 is 3 and -2.5 is -3. */
export const roundHalfAway = (x: number): number => (x < 0 ? -Math.round(-x) : Math.round(x));

export const round: UnaryKernel = (a, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = roundHalfAway(a[i] as number);
};

/** 1 where the value could not be an output: no data, or not finite. */
export const isNodata: UnaryKernel = (a, out, n) => {
  for (let i = 0; i < n; i += 1) out[i] = Number.isFinite(a[i]) ? 0 : 1;
};

/** (a - b) / (a + b), the form of most vegetation and water indices, in one pass. */
export const normalizedDifference = vectorised('normalizedDifference64', (a, b, out, n) => {
  for (let i = 0; i < n; i += 1) {
    const x = a[i] as number;
    const y = b[i] as number;
    out[i] = (x - y) / (x + y);
  }
});
