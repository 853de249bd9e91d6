import { ARENA_START, aligned, arenaOf, kernels } from './arena.ts';
import { PLANES_SCRATCH, planesOf } from './plane-memory.ts';

/** Floats of source that go through the kernels' memory at a time: with the result they stay in a core's second-level cache. */
export const OVERVIEW_BATCH = 32 * 1024;

/** Bytes that the kernel reads behind its source, and writes behind its result. */
const SLACK = 32;

/**
 * Overview pixels of a float32 band, rows x columns, each the mean of those of two by two pixels that are neither NaN nor
 * `nodata`; nodata where none is.
 *
 * @param pixels 2 * rows rows of `stride` px, at least 2 * columns
 * @param nodata a float32; NaN where only NaN is missing
 * @param nudged what a mean that equals nodata is stored as
 */
export const halveFloats = (
  pixels: Float32Array<ArrayBuffer>,
  stride: number,
  out: Float32Array<ArrayBuffer>,
  columns: number,
  rows: number,
  { nodata, nudged }: { readonly nodata: number; readonly nudged: number },
): void => {
  const atATime = Math.max(1, Math.floor(OVERVIEW_BATCH / (2 * stride)));
  const planes = atATime * columns * 4 + SLACK > PLANES_SCRATCH ? null : planesOf([pixels]);
  for (let row = 0; row < rows; row += atATime) {
    const count = Math.min(atATime, rows - row);
    const source = pixels.subarray(2 * row * stride, 2 * (row + count) * stride);
    const from = planes === null ? ARENA_START : source.byteOffset;
    const target = planes === null ? aligned(ARENA_START + source.byteLength + SLACK) : ARENA_START;
    const { floats } = planes ?? arenaOf(target + count * columns * 4 + SLACK);
    if (planes === null) floats.set(source, ARENA_START / 4);
    (planes?.kernels ?? kernels).halveFloats32(from, stride, columns, count, target, nodata, nudged);
    out.set(floats.subarray(target / 4, target / 4 + count * columns), row * columns);
  }
};
