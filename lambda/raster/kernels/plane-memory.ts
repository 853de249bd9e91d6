import type { FloatPixels } from '../types.ts';
import { ARENA_START, type Arena, type Kernels, newKernels, viewsOf } from './arena.ts';

/**
 * Memory of the kernels' that windows' pixels stand in from block to block, so that kernels find them where they are: a
 * second instance of the module, whose memory never grows, for growth would take all arrays over it away. Its pages are
 * the machine's once they are written to, from the lowest on, and stay so: hence a bound.
 */
export interface Planes extends Arena {
  readonly kernels: Kernels;
}

const PLANES_BYTES = 64 * 1024 * 1024;
const PAGE = 65_536;
/** What kernels over planes have for themselves, as they have an arena: from ARENA_START on. Bytes. */
export const PLANES_SCRATCH = 512 * 1024;
const FIRST = ARENA_START + PLANES_SCRATCH;
/** Bytes: a processor's cache line. */
const ALIGNED = 64;
/** Behind each array: kernels work in vectors. Bytes. */
const SLACK = 64;

let made: Planes | null = null;

const planes = (): Planes => {
  if (made !== null) return made;
  const kernels = newKernels();
  kernels.memory.grow(PLANES_BYTES / PAGE - kernels.memory.buffer.byteLength / PAGE);
  made = { kernels, ...viewsOf(kernels) };
  return made;
};

/** What is lent, by position. */
const lent: { readonly start: number; readonly end: number }[] = [];

/** Arrays in the kernels' memory that are given back together. */
export interface PlaneLease extends Disposable {
  /** An array of `length` samples with whatever stands in it; null where there is no room for it. */
  take(wide: boolean, length: number): FloatPixels | null;
}

/** Lends planes until the lease is disposed of; what was taken must not be used after that. */
export const lendPlanes = (): PlaneLease => {
  const own = new Set<object>();
  return {
    take: (wide, length) => {
      const range = claim(length * (wide ? 8 : 4) + SLACK);
      if (range === null) return null;
      own.add(range);
      const { buffer } = planes().bytes;
      return wide ? new Float64Array(buffer, range.start, length) : new Float32Array(buffer, range.start, length);
    },
    [Symbol.dispose]: () => {
      for (let i = lent.length - 1; i >= 0; i--) if (own.has(lent[i] ?? own)) lent.splice(i, 1);
      own.clear();
    },
  };
};

/** The lowest place that is free: what was written to before is written to again. */
const claim = (bytes: number): { readonly start: number; readonly end: number } | null => {
  const size = Math.ceil(bytes / ALIGNED) * ALIGNED;
  let start = FIRST;
  let index = 0;
  for (const { start: next, end } of lent) {
    if (next - start >= size) break;
    start = end;
    index++;
  }
  if (start + size > PLANES_BYTES) return null;
  const range = { start, end: start + size };
  lent.splice(index, 0, range);
  return range;
};

/** The planes' memory, where all of these arrays stand in it: their `byteOffset` is their position. */
export const planesOf = (arrays: readonly { readonly buffer: ArrayBuffer }[]): Planes | null =>
  made !== null && arrays.every(({ buffer }) => buffer === made?.bytes.buffer) ? made : null;
