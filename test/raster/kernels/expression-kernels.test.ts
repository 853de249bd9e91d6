import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as loops from '../../../lambda/raster/expression/kernels.ts';
import { widen } from '../../../lambda/raster/kernels/expression-kernels.ts';
import { lendPlanes } from '../../../lambda/raster/kernels/plane-memory.ts';
import { altered, firstOther, randomFloats, seeds } from './bits.ts';
import { MEMORIES, inMemory } from './in-planes.ts';

type Chunk = Float64Array<ArrayBuffer>;

/** What each operation is by its definition. */
const OPERATIONS: readonly (readonly [string, loops.BinaryKernel, (x: number, y: number) => number])[] = [
  ['a + b', loops.add, (x, y) => x + y],
  ['a - b', loops.subtract, (x, y) => x - y],
  ['a * b', loops.multiply, (x, y) => x * y],
  ['a / b', loops.divide, (x, y) => x / y],
  ['(a - b) / (a + b)', loops.normalizedDifference, (x, y) => (x - y) / (x + y)],
];

const lengths = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(4095, 4096));
const memories = fc.constantFrom(...MEMORIES);
/** Which operand the result takes the place of, if any. */
const places = fc.constantFrom('a', 'b', null);

/** Operands of any bits; every third of them is a zero, an infinity, a NaN or the like. */
const operandsOf = (n: number, seed: number): readonly [Chunk, Chunk] => [
  Float64Array.from(randomFloats(n, seed)),
  Float64Array.from(randomFloats(n, seed + 1), (value, i) => (i % 4 === 0 ? value * 1e-30 : value)),
];

const computed = (
  kernel: loops.BinaryKernel,
  [a, b]: readonly [Chunk, Chunk],
  memory: (typeof MEMORIES)[number],
  place: 'a' | 'b' | null,
): Chunk => {
  using lease = lendPlanes();
  const chunk = (values: Chunk): Chunk => {
    const taken = memory === 'planes' ? lease.take(true, values.length + 1) : null;
    const own = taken instanceof Float64Array ? taken.subarray(0, values.length) : new Float64Array(values.length);
    own.set(values);
    return own;
  };
  const [left, right] = [chunk(a), chunk(b)];
  const out = place === null ? chunk(new Float64Array(a.length)) : place === 'a' ? left : right;
  kernel(left, right, out, a.length);
  return out.slice();
};

describe('Operations over chunks', () => {
  it.each(OPERATIONS)(
    '%s is that of each pair of values, to the bit, in either memory and in place',
    (_, kernel, of) => {
      fc.assert(
        fc.property(lengths, memories, places, seeds, (n, memory, place, seed) => {
          const operands = operandsOf(n, seed);
          const wanted = operands[0].map((x, i) => of(x, operands[1][i] ?? NaN));
          expect(firstOther(computed(kernel, operands, memory, place), wanted)).toBe(-1);
        }),
        { numRuns: 300 },
      );
    },
  );

  it('would be found wrong with one operand altered, or the other operation', () => {
    const operands = [Float64Array.from({ length: 9 }, (_, i) => i + 1.5), new Float64Array(9).fill(3)] as const;
    const wanted = computed(loops.divide, operands, 'arrays', null);
    expect(firstOther(computed(loops.multiply, operands, 'planes', null), wanted)).toBe(0);
    const other = [altered(operands[0].slice(), 7), operands[1]] as const;
    expect(firstOther(computed(loops.divide, other, 'planes', null), wanted)).toBe(7);
  });
});

describe('Bands as float64', () => {
  it('are the same numbers, from any pixel on, in either memory; nothing else changes', () => {
    fc.assert(
      fc.property(lengths, fc.nat(7), memories, seeds, (n, start, memory, seed) => {
        const pixels = randomFloats(start + n + 3, seed);
        using lease = lendPlanes();
        const chunk = (memory === 'planes' ? lease.take(true, n + 8) : null) ?? new Float64Array(n + 8);
        if (!(chunk instanceof Float64Array)) throw new RangeError('float32');
        chunk.fill(-0.25);
        inMemory(memory, [pixels], ([band = pixels]) => widen(band, start, n, chunk));
        expect(firstOther(chunk.subarray(0, n), Float64Array.from(pixels.subarray(start, start + n)))).toBe(-1);
        expect(chunk.subarray(n + (n % 2)).every((value) => value === -0.25)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
