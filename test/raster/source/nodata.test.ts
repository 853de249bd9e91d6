import { describe, expect, test } from '@jest/globals';
import { comparableNodata, exactInteger, parseNodata, sparseValue } from '../../../lambda/raster/source/nodata.ts';
import type { DataType } from '../../../lambda/raster/types.ts';

test.each<[string | undefined, number | null]>([
  [undefined, null],
  [' ', null],
  ['none', null],
  ['0', 0],
  [' -9999 ', -9999],
  ['1.0e3', 1000],
  ['nan', NaN],
  ['-nan', NaN],
  ['-1.#IND', NaN],
  ['inf', Infinity],
  ['-Inf', -Infinity],
  ['-3.4e+38', -3.4e38],
])('the nodata text %j is %d', (text, expected) => {
  expect(parseNodata(text)).toBe(expected);
});

describe('pixels are compared with', () => {
  test.each<[number | null, DataType, number | null, string]>([
    [null, 'uint8', null, 'nothing where there is no nodata'],
    [255, 'uint8', 255, 'an integer that the type has'],
    [-32_768, 'uint8', null, 'nothing where the value lies outside the type'],
    [0.5, 'int16', null, 'nothing where an integer type cannot be a fraction'],
    [-3.4e38, 'float32', Math.fround(-3.4e38), 'the value rounded as the pixels are'],
    [0.1, 'float64', 0.1, 'the double itself'],
    [-1e308, 'float32', null, 'nothing where float32 would overflow'],
    [-Infinity, 'float32', -Infinity, 'infinity'],
    [NaN, 'float32', null, 'nothing for NaN, which is invalid anyway'],
  ])('%d in %s: %d, %4$s', (nodata, dataType, expected) => {
    expect(comparableNodata(nodata, dataType)).toBe(expected);
  });
});

test.each<[number | null, DataType, number]>([
  [null, 'float32', 0],
  [7, 'uint8', 7],
  [-32_768, 'uint8', 0],
  [300, 'uint8', 255],
  [NaN, 'int16', 0],
  [NaN, 'float32', NaN],
])('with nodata %d a missing block of %s holds %d', (nodata, dataType, expected) => {
  expect(sparseValue(nodata, dataType)).toBe(expected);
});

test('an integer text keeps every digit, anything else has none', () => {
  expect(exactInteger(' -9223372036854775808')).toBe(-9_223_372_036_854_775_808n);
  expect(exactInteger('+7')).toBe(7n);
  expect([exactInteger('1.5'), exactInteger('nan'), exactInteger(undefined)]).toEqual([null, null, null]);
});
