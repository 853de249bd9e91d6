import type { AxisSpans } from '../cog/overview.ts';
import { ARENA_START, aligned, arenaOf, kernels } from './arena.ts';
import { OVERVIEW_BATCH } from './overview-kernels.ts';
import type { FloatStore } from './store-kernels.ts';

/** Bytes that the kernel reads behind its source, and writes behind its result. */
const SLACK = 16;

/** Pixels of the longest span that the kernel knows. */
const MOST = 3;

/** Of four columns' spans and of a row's, as assembly/overview-weighted.ts has them, bytes. */
const FOUR_SPANS = 176;
const ROW_SPAN = 32;

/** Whether `averageFloats` can: each overview pixel covers at most three pixels of a line. */
export const areShort = ({ start, end, count }: AxisSpans): boolean => {
  for (let i = 0; i < count; i++) if ((end[i] ?? 0) - (start[i] ?? 0) > MOST) return false;
  return true;
};

/**
 * Overview pixels of a float32 band, rows x columns, each the mean of the pixels under it that are neither NaN nor nodata,
 * weighted by the part of them that it covers.
 *
 * @param pixels rows of `stride` px, counted by `rows`, whose spans end in their order
 */
export const averageFloats = (
  pixels: Float32Array<ArrayBuffer>,
  stride: number,
  out: Float32Array<ArrayBuffer>,
  columns: AxisSpans,
  rows: AxisSpans,
  { nodata, nudged, hole }: FloatStore,
): void => {
  const spans = columnSpans(columns);
  const atATime = Math.max(1, Math.floor(OVERVIEW_BATCH / (2 * stride)));
  for (let row = 0; row < rows.count; row += atATime) {
    const count = Math.min(atATime, rows.count - row);
    const top = rows.start[row] ?? 0;
    const source = pixels.subarray(top * stride, (rows.end[row + count - 1] ?? 0) * stride);
    const lines = rowSpans(rows, row, count);
    const linesAt = aligned(ARENA_START + spans.length);
    const sourceAt = aligned(linesAt + lines.length);
    const outAt = aligned(sourceAt + source.byteLength + SLACK);
    const { bytes, floats } = arenaOf(outAt + count * columns.count * 4 + SLACK);
    bytes.set(spans, ARENA_START);
    bytes.set(lines, linesAt);
    floats.set(source, sourceAt / 4);
    const place: readonly number[] = [sourceAt, stride, ARENA_START, columns.count, linesAt, count, outAt];
    kernels.averageFloats32(...place, nodata, nudged, hole);
    out.set(floats.subarray(outAt / 4, outAt / 4 + count * columns.count), row * columns.count);
  }
};

/** Spans of columns as the kernel reads them; the last is repeated to make fours. */
const columnSpans = ({ start, end, startWeight, endWeight, count }: AxisSpans): Uint8Array<ArrayBuffer> => {
  const fours = Math.ceil(count / 4);
  const buffer = new ArrayBuffer(fours * FOUR_SPANS);
  const integers = new Int32Array(buffer);
  const doubles = new Float64Array(buffer);
  for (let i = 0; i < 4 * fours; i++) {
    const column = Math.min(i, count - 1);
    const first = start[column] ?? 0;
    const length = (end[column] ?? 0) - first;
    const weights = spanWeights(length, startWeight[column] ?? 0, endWeight[column] ?? 0);
    const lane = i % 4;
    const at = ((i - lane) / 4) * FOUR_SPANS;
    integers[at / 4 + lane] = first;
    integers[at / 4 + 4 + lane] = length > 1 ? -1 : 0;
    integers[at / 4 + 8 + lane] = length > 2 ? -1 : 0;
    for (const [pixel, weight] of weights.entries()) doubles[at / 8 + 6 + 4 * pixel + lane] = weight;
    doubles[at / 8 + 18 + lane] = weights[0] + weights[1] + weights[2];
  }
  return new Uint8Array(buffer);
};

/** Spans of `count` rows as the kernel reads them, counted from the first row's first line. */
const rowSpans = (
  { start, end, startWeight, endWeight }: AxisSpans,
  row: number,
  count: number,
): Uint8Array<ArrayBuffer> => {
  const buffer = new ArrayBuffer(count * ROW_SPAN);
  const integers = new Int32Array(buffer);
  const doubles = new Float64Array(buffer);
  for (let i = 0; i < count; i++) {
    const first = start[row + i] ?? 0;
    const length = (end[row + i] ?? 0) - first;
    integers[i * 8] = first - (start[row] ?? 0);
    integers[i * 8 + 1] = length;
    doubles.set(spanWeights(length, startWeight[row + i] ?? 0, endWeight[row + i] ?? 0), i * 4 + 1);
  }
  return new Uint8Array(buffer);
};

/** Weights of a span's three pixels, 0 of those that it does not have. */
const spanWeights = (length: number, first: number, last: number): readonly [number, number, number] => {
  if (length === 1) return [first, 0, 0];
  return length === 2 ? [first, last, 0] : [first, 1, last];
};
