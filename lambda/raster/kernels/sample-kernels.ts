import { ARENA_START, type Kernels, aligned, arenaOf, kernels } from './arena.ts';
import { PLANES_SCRATCH, planesOf } from './plane-memory.ts';

/** A rectangle in samples of the block it is taken from and of the windows it goes to. */
export interface SampleRect {
  readonly width: number;
  readonly height: number;
  /** Where the first sample of its first pixel stands, how far apart pixels are, and rows. */
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

/** Where the samples of one of a block's interleaved bands go. */
export interface SampleTarget {
  readonly pixels: Float32Array<ArrayBuffer>;
  /** The sample of each pixel that is this band's, from 0. */
  readonly sample: number;
  /** The raw value that becomes NaN; null: none does. */
  readonly nodata: number | null;
}

/** Converts a rectangle of samples to floats, nodata to NaN, for all bands while its rows are at hand. */
export const convertRect = (source: VectorSamples, rect: SampleRect, targets: readonly SampleTarget[]): void => {
  const { width, height, from, step, fromRow, to, toRow } = rect;
  const size = source.BYTES_PER_ELEMENT;
  const atATime = Math.max(1, Math.floor(BATCH_BYTES / (fromRow * size)));
  const planes = atATime * fromRow * size > PLANES_SCRATCH ? null : planesOf(targets.map(({ pixels }) => pixels));
  const convert = kernelOf(source, planes?.kernels ?? kernels);
  for (let row = 0; row < height; row += atATime) {
    const rows = Math.min(atATime, height - row);
    const first = from + row * fromRow;
    const samples = source.subarray(first, first + (rows - 1) * fromRow + width * step);
    const out = aligned(ARENA_START + samples.byteLength);
    const { bytes, floats } = planes ?? arenaOf(out + rows * width * 4);
    bytes.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), ARENA_START);
    for (const { pixels, sample, nodata } of targets) {
      const at = ARENA_START + sample * size;
      const missing = missingSample(nodata);
      if (planes === null) {
        convert(at, out, rows, width, step, fromRow, missing, width);
        copyRows(floats, out / 4, pixels, rect, row, rows);
      } else {
        convert(at, pixels.byteOffset + (to + row * toRow) * 4, rows, width, step, fromRow, missing, toRow);
      }
    }
  }
};

const copyRows = (
  floats: Float32Array<ArrayBuffer>,
  begin: number,
  pixels: Float32Array<ArrayBuffer>,
  { width, to, toRow }: SampleRect,
  row: number,
  rows: number,
): void => {
  if (width === toRow) {
    pixels.set(floats.subarray(begin, begin + rows * width), to + row * toRow);
    return;
  }
  for (let line = 0; line < rows; line++) {
    const at = begin + line * width;
    pixels.set(floats.subarray(at, at + width), to + (row + line) * toRow);
  }
};

/** Beyond every type's range. */
const NO_SAMPLE = 0x10000;

const missingSample = (nodata: number | null): number =>
  nodata !== null && Number.isInteger(nodata) && Math.abs(nodata) < NO_SAMPLE ? nodata : NO_SAMPLE;

const kernelOf = (source: VectorSamples, { convertUint8, convertUint16, convertInt16 }: Kernels) => {
  if (source instanceof Uint8Array) return convertUint8;
  return source instanceof Uint16Array ? convertUint16 : convertInt16;
};
