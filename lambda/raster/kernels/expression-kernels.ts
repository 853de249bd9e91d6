import type { FloatPixels } from '../types.ts';
import { planesOf } from './plane-memory.ts';

type Chunk = Float64Array<ArrayBuffer>;
type BinaryLoop = (a: Chunk, b: Chunk, out: Chunk, n: number) => void;

/** Operations that assembly/expression.ts has. */
type Operation = 'add64' | 'subtract64' | 'multiply64' | 'divide64' | 'normalizedDifference64';

/** A loop that is the kernels' where all that it works on stands in planes, to the same bits; of an odd n it writes one value more. */
export const vectorised =
  (operation: Operation, loop: BinaryLoop): BinaryLoop =>
  (a, b, out, n) => {
    const planes = planesOf([a, b, out]);
    if (planes === null) loop(a, b, out, n);
    else planes.kernels[operation](a.byteOffset, b.byteOffset, out.byteOffset, n);
  };

/** Values of n pixels from `start` on as float64, into the first n of a chunk. */
export const widen = (pixels: FloatPixels, start: number, n: number, chunk: Chunk): void => {
  const planes = pixels instanceof Float32Array ? planesOf([pixels, chunk]) : null;
  if (planes === null) chunk.set(pixels.subarray(start, start + n));
  else planes.kernels.widenFloats(pixels.byteOffset + start * 4, chunk.byteOffset, n);
};
