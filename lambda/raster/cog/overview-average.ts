import type { DataType, PixelArray } from '../types.ts';
import type { BandGrid } from './overview.ts';
import { sampleType } from './sample-type.ts';

/**
 * The mean of each overview pixel's valid source pixels, weighted by the part of them that it covers. NaN never counts. Without a
 * valid pixel: nodata, or 0. A mean of valid pixels that happens to equal nodata is moved to the next value, as GDAL
 * does (for signed types GDAL looks before it rounds and so lets some become nodata; here none does).
 */
export function averageBand(pixels: PixelArray, grid: BandGrid, dataType: DataType, out: PixelArray): void {
  const store = storedMean(dataType, grid.nodata);
  const plain = grid.nodata === null && grid.mask === undefined;
  const inFours = grid.mask === undefined && grid.columns.halved;
  for (let row = 0; row < grid.rows.count; row++) {
    // GDAL takes two whole rows as they are even where the ratio is a little under 2, but only if nothing can be missing.
    const twoRows = (grid.rows.end[row] ?? 0) - (grid.rows.start[row] ?? 0) === 2;
    if (inFours && twoRows && plain) averageFours(pixels, grid, row, dataType, store, out);
    else if (inFours && grid.rows.halved) averageValidFours(pixels, grid, row, store, out);
    else averageWeighted(pixels, grid, row, store, out);
  }
}

type StoredMean = (total: number, weight: number) => number;

/** A row of overview pixels of four pixels each, all valid. */
function averageFours(
  pixels: PixelArray,
  { columns, rows, stride }: BandGrid,
  row: number,
  dataType: DataType,
  store: StoredMean,
  out: PixelArray,
): void {
  const single = dataType === 'float32';
  // GDAL adds float32 columns first, four overview pixels at a time, and the rest of a row in reading order.
  const columnsFirst = columns.length - (columns.length % 4) - columns.first;
  let above = (rows.start[row] ?? 0) * stride;
  let at = row * columns.count;
  for (let column = 0; column < columns.count; column++, above += 2, at++) {
    const a = pixels[above] ?? 0;
    const b = pixels[above + 1] ?? 0;
    const c = pixels[above + stride] ?? 0;
    const d = pixels[above + stride + 1] ?? 0;
    if (!single) {
      const total = a + b + c + d;
      out[at] = Number.isNaN(total) ? meanOfNumbers(a, b, c, d, store) : store(total, 4);
      continue;
    }
    const total =
      column < columnsFirst
        ? Math.fround(Math.fround(a + c) + Math.fround(b + d))
        : Math.fround(Math.fround(Math.fround(a + b) + c) + d);
    out[at] = Number.isNaN(total) ? meanOfNumbers(a, b, c, d, store) : total * 0.25;
  }
}

function meanOfNumbers(a: number, b: number, c: number, d: number, store: StoredMean): number {
  const numbers = [a, b, c, d].filter((value) => !Number.isNaN(value));
  if (numbers.length === 0) return NaN;
  return store(
    numbers.reduce((sum, value) => sum + value, 0),
    numbers.length,
  );
}

/** A row of overview pixels of four pixels each, of which those that are nodata or NaN do not count. */
function averageValidFours(
  pixels: PixelArray,
  { columns, rows, stride, nodata }: BandGrid,
  row: number,
  store: StoredMean,
  out: PixelArray,
): void {
  const missing = nodata ?? NaN;
  let above = (rows.start[row] ?? 0) * stride;
  let at = row * columns.count;
  for (let column = 0; column < columns.count; column++, above += 2, at++) {
    const a = pixels[above] ?? 0;
    const b = pixels[above + 1] ?? 0;
    const c = pixels[above + stride] ?? 0;
    const d = pixels[above + stride + 1] ?? 0;
    let upper = 0;
    let lower = 0;
    let count = 0;
    if (!Number.isNaN(a) && a !== missing) {
      upper = a;
      count++;
    }
    if (!Number.isNaN(b) && b !== missing) {
      upper += b;
      count++;
    }
    if (!Number.isNaN(c) && c !== missing) {
      lower = c;
      count++;
    }
    if (!Number.isNaN(d) && d !== missing) {
      lower += d;
      count++;
    }
    out[at] = count === 0 ? missing : store(upper + lower, count);
  }
}

/** A row of any ratio and validity; sums run line by line as GDAL's do, so that they round alike. */
function averageWeighted(
  pixels: PixelArray,
  { columns, rows, stride, nodata, mask }: BandGrid,
  row: number,
  store: StoredMean,
  out: PixelArray,
): void {
  const none = nodata ?? 0;
  const top = rows.start[row] ?? 0;
  const bottom = rows.end[row] ?? 0;
  let at = row * columns.count;
  for (let column = 0; column < columns.count; column++, at++) {
    const left = columns.start[column] ?? 0;
    const right = columns.end[column] ?? 0;
    let total = 0;
    let weight = 0;
    let count = 0;
    for (let y = top; y < bottom; y++) {
      let lineTotal = 0;
      let lineWeight = 0;
      for (let x = left; x < right; x++) {
        const index = y * stride + x;
        const value = pixels[index] ?? 0;
        if (Number.isNaN(value) || value === nodata || (mask !== undefined && mask[index] === 0)) continue;
        const share = (x === left ? columns.startWeight[column] : x === right - 1 ? columns.endWeight[column] : 1) ?? 0;
        lineTotal += value * share;
        lineWeight += share;
        count++;
      }
      const share = (y === top ? rows.startWeight[row] : y === bottom - 1 ? rows.endWeight[row] : 1) ?? 0;
      total += lineTotal * share;
      weight += lineWeight * share;
    }
    out[at] = count === 0 ? none : store(total, weight);
  }
}

/** Turns a sum and its weight into the sample that is stored: rounded as GDAL rounds for the type, and never nodata. */
function storedMean(dataType: DataType, nodata: number | null): StoredMean {
  const rounded = ROUNDED_MEANS[dataType];
  if (nodata === null || Number.isNaN(nodata)) return rounded;
  const replacement = besideNodata(dataType, nodata);
  return (total, weight) => {
    const mean = rounded(total, weight);
    return mean === nodata ? replacement : mean;
  };
}

const half: StoredMean = (total, weight) => Math.floor(total / weight + 0.5);
const singleHalf: StoredMean = (total, weight) => awayFromZero(Math.fround(total / weight));

const ROUNDED_MEANS: Readonly<Record<DataType, StoredMean>> = {
  uint8: half,
  uint16: half,
  uint32: half,
  int8: singleHalf,
  int16: singleHalf,
  int32: (total, weight) => awayFromZero(total / weight),
  float32: (total, weight) => Math.fround(total / weight),
  float64: (total, weight) => total / weight,
};

/** Halves are rounded away from zero. */
function awayFromZero(value: number): number {
  return Math.trunc(value > 0 ? value + 0.5 : value - 0.5);
}

/** The value that stands in where a mean would read as nodata: the next one up, at the top of the type the next one down. */
function besideNodata(dataType: DataType, nodata: number): number {
  const { max, format } = sampleType(dataType);
  if (format !== 3) return nodata === max ? nodata - 1 : nodata + 1;
  return nextAfter(dataType, nodata, nodata < max);
}

/** The floating-point number next to a finite `value`, upwards or downwards. */
function nextAfter(dataType: DataType, value: number, up: boolean): number {
  if (!Number.isFinite(value)) return value > 0 ? sampleType(dataType).max : sampleType(dataType).min;
  if (dataType === 'float32') {
    const floats = Float32Array.of(value);
    const bits = new Int32Array(floats.buffer);
    bits[0] = value === 0 ? (up ? 1 : 0x80000001 | 0) : (bits[0] ?? 0) + (value > 0 === up ? 1 : -1);
    return floats[0] ?? value;
  }
  const doubles = Float64Array.of(value);
  const bits = new BigInt64Array(doubles.buffer);
  bits[0] = value === 0 ? (up ? 1n : -0x7fffffffffffffffn) : (bits[0] ?? 0n) + (value > 0 === up ? 1n : -1n);
  return doubles[0] ?? value;
}
