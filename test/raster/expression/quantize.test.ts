import { describe, expect, it } from '@jest/globals';
import { toOutput } from '../../../lambda/raster/expression/quantize.ts';
import { nextFloat, storedValue } from '../../../lambda/raster/expression/sample-types.ts';
import type { DataType } from '../../../lambda/raster/types.ts';

const stored = (values: readonly number[], dtype: DataType, nodata: number | null): number[] => [
  ...toOutput(Float64Array.from(values), dtype, nodata).pixels,
];

describe('integer outputs', () => {
  it('round halves away from zero', () => {
    expect(stored([0.5, 1.5, 2.49, -0.5, -2.5, -2.4], 'int16', -32768)).toEqual([1, 2, 2, -1, -3, -2]);
  });

  it.each([
    ['uint8', 0, 255],
    ['int8', -128, 127],
    ['uint16', 0, 65535],
    ['int16', -32768, 32767],
    ['uint32', 0, 4294967295],
    ['int32', -2147483648, 2147483647],
  ] as const)('clamp to the range of %s', (dtype, least, most) => {
    expect(stored([-1e12, 1e12], dtype, null)).toEqual([least, most]);
  });

  it('store nodata where there is no data or no finite value', () => {
    expect(stored([NaN, 5, Infinity, -Infinity], 'uint8', 255)).toEqual([255, 5, 255, 255]);
    expect(stored([NaN, 5], 'uint8', null)).toEqual([0, 5]);
  });

  it('never store a valid value as nodata: it moves to the neighbour', () => {
    expect(stored([0, 0.2, -9, 1], 'uint8', 0)).toEqual([1, 1, 1, 1]);
    expect(stored([255, 300, 254], 'uint8', 255)).toEqual([254, 254, 254]);
    expect(stored([-32768], 'int16', -32768)).toEqual([-32767]);
  });
});

describe('float outputs', () => {
  it('write NaN as one bit pattern', () => {
    const odd = new Float64Array(new BigUint64Array([0xfff8000000000001n, 0x3ff0000000000000n]).buffer);
    const single = toOutput(odd, 'float32', NaN).pixels;
    const double = toOutput(odd, 'float64', null).pixels;
    expect([...new Uint32Array(single.buffer)]).toEqual([0x7fc00000, 0x3f800000]);
    expect([...new BigUint64Array(double.buffer)]).toEqual([0x7ff8000000000000n, 0x3ff0000000000000n]);
  });

  it('store a numeric nodata, and move a valid value that equals it to the next larger one', () => {
    expect(stored([NaN, -9999, 1], 'float32', -9999)).toEqual([-9999, -9998.9990234375, 1]);
    expect(stored([NaN, 0], 'float64', 0)).toEqual([0, Number.MIN_VALUE]);
  });

  it('drop what is not finite in the output type', () => {
    const { pixels, valid } = toOutput(Float64Array.of(1e300, 1), 'float32', NaN);
    expect([...pixels]).toEqual([NaN, 1]);
    expect(valid).toBe(1);
  });
});

describe('statistics', () => {
  it('are those of the stored values of valid pixels', () => {
    const { valid, statistics } = toOutput(Float32Array.of(1.4, 2.6, NaN, 300), 'uint8', 255);
    expect(valid).toBe(3);
    expect(statistics).toMatchObject({ count: 3, min: 1, max: 254 });
    expect(statistics?.mean).toBeCloseTo(258 / 3, 12);
    expect(statistics?.m2).toBeCloseTo(85 ** 2 + 83 ** 2 + 168 ** 2, 9);
  });

  it('stay exact over many pixels of a large mean', () => {
    const values = Float64Array.from({ length: 100_000 }, (_, i) => 1e9 + (i % 2));
    const { statistics } = toOutput(values, 'float64', NaN);
    expect(statistics?.mean).toBe(1e9 + 0.5);
    expect(statistics?.m2).toBeCloseTo(25_000, 6);
  });

  it.each([
    ['of 1e199 to 1e200', [1e199, 1e200, 1e199, 1e200], 5.5e199, null],
    ['of the largest number alone', Array.from({ length: 9000 }, () => Number.MAX_VALUE), Number.MAX_VALUE, 0],
    ['of 1.7e308 alone', Array.from({ length: 9000 }, () => 1.7e308), 1.7e308, 0],
    ['of 1.7e308 with a hole', [1.7e308, NaN, 1.7e308, 1.7e308], 1.7e308, 0],
    ['of both ends', [-Number.MAX_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MAX_VALUE], 0, null],
    ['of sums that overflow both ways', [1.7e308, 1.7e308, -1.7e308, -1.7e308, NaN], 0, null],
    ['whose squares just fit', [1e153, -1e153], 0, 2e306],
  ])('are finite or not known where sums overflow: %s', (_, values, mean, m2) => {
    const { valid, statistics } = toOutput(Float64Array.from(values), 'float64', NaN);
    const numbers = values.filter((value) => !Number.isNaN(value));
    expect(valid).toBe(numbers.length);
    expect(statistics).toMatchObject({ count: valid, min: Math.min(...numbers), max: Math.max(...numbers) });
    const largest = Math.max(...numbers);
    expect(Math.abs((statistics?.mean ?? NaN) - mean)).toBeLessThanOrEqual(1e-12 * largest);
    expect(statistics?.m2).toBe(m2);
  });

  it('are null where nothing is valid', () => {
    expect(toOutput(new Float32Array(9).fill(NaN), 'int16', -1)).toMatchObject({ valid: 0, statistics: null });
    expect(toOutput(new Float32Array(0), 'float32', NaN)).toMatchObject({ valid: 0, statistics: null });
  });
});

describe('what a type can hold', () => {
  it.each([
    ['uint8', 255, 255],
    ['uint8', 256, null],
    ['uint8', -1, null],
    ['int16', 0.5, null],
    ['int16', NaN, null],
    ['float32', NaN, NaN],
    ['float32', 0.1, Math.fround(0.1)],
    ['float32', 1e39, null],
    ['float32', Infinity, null],
    ['float64', -Infinity, null],
    ['float64', 1e39, 1e39],
  ] as const)('%s: %d is stored as %s', (dtype, value, expected) => {
    expect(storedValue(value, dtype)).toEqual(expected);
  });

  it('names the next float on either side of zero and at the end of the range', () => {
    expect(nextFloat(1, 'float64')).toBe(1 + Number.EPSILON);
    expect(nextFloat(-1, 'float64')).toBe(-1 + Number.EPSILON / 2);
    expect(nextFloat(Number.MAX_VALUE, 'float64')).toBeLessThan(Number.MAX_VALUE);
    expect(nextFloat(-3.4028234663852886e38, 'float32')).toBe(-3.4028232635611926e38);
  });
});
