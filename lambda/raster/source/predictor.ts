/* oxlint-disable typescript/no-unsafe-type-assertion --
   index reads that the loop's own bounds prove: `?? 0` in their place costs up to a third of the speed. */
import { joinFloats, undoDifferences } from '../kernels/predictor-kernels.ts';

/**
 * Undoes the horizontal predictor (TIFF 6.0, section 14) in place: every sample was stored as its difference from the
 * one `stride` samples before it in its row. Samples are in the machine's byte order already.
 *
 * @param rows rows of the block
 * @param rowSamples samples a row: columns x stride
 */
export function undoHorizontal(
  bytes: Uint8Array<ArrayBuffer>,
  bits: number,
  rows: number,
  rowSamples: number,
  stride: number,
): void {
  if (bits === 8 || bits === 16 || bits === 32) return undoDifferences(bytes, bits, rows, rowSamples, stride);
  const samples = new BigUint64Array(bytes.buffer, bytes.byteOffset, rows * rowSamples);
  for (let row = 0; row < rows; row++) {
    for (let at = row * rowSamples + stride; at < (row + 1) * rowSamples; at++) {
      samples[at] = (samples[at] as bigint) + (samples[at - stride] as bigint);
    }
  }
}

/**
 * Undoes the floating point predictor (Adobe's TIFF Technical Note 3) in place: a row's bytes were sorted into planes,
 * most significant first whatever the file's byte order, and each stored as its difference from the one `stride` bytes
 * before it. Leaves little-endian samples.
 *
 * @param rowSamples samples a row: columns x stride
 * @param size bytes a sample: 2, 4 or 8
 */
export function undoFloating(
  bytes: Uint8Array<ArrayBuffer>,
  size: number,
  rows: number,
  rowSamples: number,
  stride: number,
): void {
  if (size === 4 && stride === 1) return joinFloats(bytes, rows, rowSamples);
  const rowBytes = rowSamples * size;
  const planes = new Uint8Array(rowBytes);
  for (let row = 0; row < rows; row++) {
    const line = bytes.subarray(row * rowBytes, (row + 1) * rowBytes);
    planes.set(line);
    for (let at = stride; at < rowBytes; at++) planes[at] = (planes[at] as number) + (planes[at - stride] as number);
    joinPlanes(planes, line, size, rowSamples);
  }
}

function joinPlanes(planes: Uint8Array, out: Uint8Array, size: number, rowSamples: number): void {
  for (let plane = 0; plane < size; plane++) {
    for (let at = 0; at < rowSamples; at++) {
      out[at * size + size - 1 - plane] = planes[plane * rowSamples + at] as number;
    }
  }
}
