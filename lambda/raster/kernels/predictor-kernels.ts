import { ARENA_START, aligned, arenaOf, kernels } from './arena.ts';
import { planesOf } from './plane-memory.ts';

/** Bytes that go through the kernels' memory at a time: with the result they stay in a core's second-level cache. */
const BATCH_BYTES = 64 * 1024;

/** Undoes differences of integers of 8, 16 or 32 bits in place: `rows` rows of `rowSamples`, each to the one `stride` before. */
export const undoDifferences = (
  bytes: Uint8Array<ArrayBuffer>,
  bits: 8 | 16 | 32,
  rows: number,
  rowSamples: number,
  stride: number,
): void => {
  const undo = { 8: kernels.undoDifferences8, 16: kernels.undoDifferences16, 32: kernels.undoDifferences32 }[bits];
  const rowBytes = (rowSamples * bits) / 8;
  forEachBatch(rows, rowBytes, (first, count) => {
    const batch = bytes.subarray(first * rowBytes, (first + count) * rowBytes);
    const { bytes: held } = arenaOf(batch.length);
    held.set(batch, ARENA_START);
    undo(ARENA_START, count, rowSamples, stride);
    batch.set(held.subarray(ARENA_START, ARENA_START + batch.length));
  });
};

/** Undoes the floating point predictor of float32 in place: rows of planes of differences become little-endian floats. */
export const joinFloats = (bytes: Uint8Array<ArrayBuffer>, rows: number, columns: number): void =>
  throughPlanes(bytes, bytes, rows, columns, kernels.joinFloats32);

/** The inverse of `joinFloats`, into `target`. */
export const splitFloats = (
  samples: Float32Array<ArrayBuffer>,
  target: Uint8Array<ArrayBuffer>,
  columns: number,
): void => {
  const planes = planesOf([samples, target]);
  if (planes !== null) {
    planes.kernels.splitFloats32(samples.byteOffset, target.byteOffset, samples.length / columns, columns);
    return;
  }
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  throughPlanes(bytes, target, samples.length / columns, columns, kernels.splitFloats32);
};

const throughPlanes = (
  from: Uint8Array<ArrayBuffer>,
  to: Uint8Array<ArrayBuffer>,
  rows: number,
  columns: number,
  kernel: (source: number, target: number, rows: number, columns: number) => void,
): void => {
  const rowBytes = columns * 4;
  forEachBatch(rows, rowBytes, (first, count) => {
    const length = count * rowBytes;
    const target = aligned(ARENA_START + length);
    const { bytes } = arenaOf(target + length);
    bytes.set(from.subarray(first * rowBytes, first * rowBytes + length), ARENA_START);
    kernel(ARENA_START, target, count, columns);
    to.set(bytes.subarray(target, target + length), first * rowBytes);
  });
};

const forEachBatch = (rows: number, rowBytes: number, use: (first: number, count: number) => void): void => {
  const atATime = Math.max(1, Math.floor(BATCH_BYTES / rowBytes));
  for (let row = 0; row < rows; row += atATime) use(row, Math.min(atATime, rows - row));
};
