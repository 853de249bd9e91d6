import { ARENA_START, aligned, arenaOf, kernels } from './arena.ts';

/** A rectangle of one band, in samples of the block it is taken from and of the window it goes to. */
export interface SampleRect {
  readonly width: number;
  readonly height: number;
  /** Where its first sample stands, how far apart the samples of a row are, and rows. */
  readonly from: number;
  readonly step: number;
  readonly fromRow: number;
  /** Where its first pixel goes in the window, and how far apart rows are there. */
  readonly to: number;
  readonly toRow: number;
}

/** Samples whose conversion has a kernel. */
export type VectorSamples = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Int16Array<ArrayBuffer>;

/** Bytes of a block that go through the kernels' memory at a time. */
const BATCH_BYTES = 32 * 1024;

/** Converts a rectangle of samples to floats, those that equal `nodata` (null: none) to NaN. */
export const convertRect = (
  source: VectorSamples,
  target: Float32Array<ArrayBuffer>,
  rect: SampleRect,
  nodata: number | null,
): void => {
  const { width, height, from, step, fromRow, to, toRow } = rect;
  const convert = kernelOf(source);
  const missing = nodata !== null && Number.isInteger(nodata) && Math.abs(nodata) < NO_SAMPLE ? nodata : NO_SAMPLE;
  const size = source.BYTES_PER_ELEMENT;
  const atATime = Math.max(1, Math.floor(BATCH_BYTES / (fromRow * size)));
  for (let row = 0; row < height; row += atATime) {
    const rows = Math.min(atATime, height - row);
    const first = from + row * fromRow;
    const samples = source.subarray(first, first + (rows - 1) * fromRow + (width - 1) * step + 1);
    const out = aligned(ARENA_START + samples.byteLength);
    const { bytes, floats } = arenaOf(out + rows * width * 4);
    bytes.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), ARENA_START);
    convert(ARENA_START, out, rows, width, step, fromRow, missing);
    const begin = out / 4;
    if (width === toRow) target.set(floats.subarray(begin, begin + rows * width), to + row * toRow);
    else {
      for (let line = 0; line < rows; line++) {
        const at = begin + line * width;
        target.set(floats.subarray(at, at + width), to + (row + line) * toRow);
      }
    }
  }
};

/** Beyond every type's range. */
const NO_SAMPLE = 0x10000;

const kernelOf = (source: VectorSamples) => {
  if (source instanceof Uint8Array) return kernels.convertUint8;
  return source instanceof Uint16Array ? kernels.convertUint16 : kernels.convertInt16;
};
