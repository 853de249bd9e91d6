/* oxlint-disable typescript/no-unsafe-type-assertion --
   index reads that the loop's own bounds prove: `?? 0` in their place costs up to a third of the speed. */
import type { DataType, PixelArray } from '../types.ts';
import { halveFloats } from '../kernels/overview-kernels.ts';
import { areShort, averageFloats } from '../kernels/weighted-kernels.ts';
import type { BandGrid } from './overview.ts';
import { sampleType } from './sample-type.ts';

/**
 * The mean of each overview pixel's valid source pixels, weighted by the part of them that it covers. NaN never counts. Without a
 * valid pixel: nodata, or 0. A mean of valid pixels that happens to equal nodata is moved to the next value, as GDAL
 * does (for signed types GDAL looks before it rounds and so lets some become nodata; here none does).
 */
export function averageBand(pixels: PixelArray, grid: BandGrid, dataType: DataType, out: PixelArray): void {
  if (floatsInVectors(pixels, grid, out)) return;
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

/** `averageValidFours` or `averageWeighted` for a whole band of float32 in vectors; false where the band is not of that kind. */
function floatsInVectors(pixels: PixelArray, grid: BandGrid, out: PixelArray): boolean {
  if (!(pixels instanceof Float32Array && out instanceof Float32Array) || grid.mask !== undefined) return false;
  const { columns, rows, stride, nodata } = grid;
  // Some rows of it are added up otherwise, see averageFours.
  if (nodata === null && columns.halved) return false;
  const holes = { nodata: nodata ?? NaN, nudged: NaN, hole: nodata ?? 0 };
  if (nodata !== null && !Number.isNaN(nodata)) holes.nudged = besideNodata('float32', nodata);
  if (columns.halved && rows.halved) halveFloats(pixels, stride, out, columns.count, rows.count, holes);
  else if (areShort(columns) && areShort(rows)) averageFloats(pixels, stride, out, columns, rows, holes);
  else return false;
  return true;
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
    const a = pixels[above] as number;
    const b = pixels[above + 1] as number;
    const c = pixels[above + stride] as number;
    const d = pixels[above + stride + 1] as number;
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
    const a = pixels[above] as number;
    const b = pixels[above + 1] as number;
    const c = pixels[above + stride] as number;
    const d = pixels[above + stride + 1] as number;
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
function averageWeighted(pixels: PixelArray, grid: BandGrid, row: number, store: StoredMean, out: PixelArray): void {
  const { columns, rows, stride, nodata, mask } = grid;
  const none = nodata ?? 0;
  // NaN equals nothing: a band without nodata needs no loop of its own.
  const missing = nodata ?? NaN;
  const { start, end, startWeight, endWeight } = columns;
  const top = rows.start[row] as number;
  const bottom = rows.end[row] as number;
  const topWeight = rows.startWeight[row] as number;
  const bottomWeight = rows.endWeight[row] as number;
  const simple = mask === undefined && Number.isNaN(missing) && bottom - top > 1;
  let at = row * columns.count;
  for (let column = 0; column < columns.count; column++, at++) {
    const left = start[column] as number;
    const right = end[column] as number;
    const leftWeight = startWeight[column] as number;
    const rightWeight = endWeight[column] as number;
    if (simple && right - left > 1) {
      const mean = meanOfWhole(pixels, grid, column, row, store);
      if (mean === mean) {
        out[at] = mean;
        continue;
      }
    }
    let total = 0;
    let weight = 0;
    let count = 0;
    for (let y = top; y < bottom; y++) {
      let lineTotal = 0;
      let lineWeight = 0;
      for (let x = left, index = y * stride + left; x < right; x++, index++) {
        const value = pixels[index] as number;
        if (value !== value || value === missing || (mask !== undefined && mask[index] === 0)) continue;
        const share = x === left ? leftWeight : x === right - 1 ? rightWeight : 1;
        lineTotal += value * share;
        lineWeight += share;
        count++;
      }
      const share = y === top ? topWeight : y === bottom - 1 ? bottomWeight : 1;
      total += lineTotal * share;
      weight += lineWeight * share;
    }
    out[at] = count === 0 ? none : store(total, weight);
  }
}

/** The mean of at least two by two pixels as if nothing were missing: NaN where something is. */
function meanOfWhole(
  pixels: PixelArray,
  { columns, rows, stride }: BandGrid,
  column: number,
  row: number,
  store: StoredMean,
): number {
  const left = columns.start[column] as number;
  const last = (columns.end[column] as number) - 1;
  const leftWeight = columns.startWeight[column] as number;
  const rightWeight = columns.endWeight[column] as number;
  const top = rows.start[row] as number;
  const bottom = (rows.end[row] as number) - 1;
  let lineWeight = leftWeight;
  for (let x = left + 1; x < last; x++) lineWeight += 1;
  lineWeight += rightWeight;
  let total = 0;
  let weight = 0;
  for (let y = top; y <= bottom; y++) {
    let index = y * stride + left;
    let line = (pixels[index++] as number) * leftWeight;
    for (let x = left + 1; x < last; x++) line += pixels[index++] as number;
    line += (pixels[index] as number) * rightWeight;
    const share = y === top ? (rows.startWeight[row] as number) : y === bottom ? (rows.endWeight[row] as number) : 1;
    total += line * share;
    weight += lineWeight * share;
  }
  return total === total ? store(total, weight) : NaN;
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
