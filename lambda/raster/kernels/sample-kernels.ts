import { ARENA_START, type Kernels, aligned, arenaOf, kernels } from './arena.ts';
import { PLANES_SCRATCH, type Planes, planesOf } from './plane-memory.ts';

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
  const atATime = Math.max(1, Math.floor(BATCH_BYTES / (rect.fromRow * source.BYTES_PER_ELEMENT)));
  const batch = { source, rect, targets, atATime: Math.min(rect.height, atATime) };
  const fits = samplesIn(rect, batch.atATime) * source.BYTES_PER_ELEMENT <= PLANES_SCRATCH;
  const planes = fits ? planesOf(targets.map(({ pixels }) => pixels)) : null;
  if (planes === null) convertToArrays(batch);
  else convertInPlanes(batch, planes);
};

interface Batches {
  readonly source: VectorSamples;
  readonly rect: SampleRect;
  readonly targets: readonly SampleTarget[];
  /** Rows that are converted at a time. */
  readonly atATime: number;
}

/** Straight to where the pixels belong. */
const convertInPlanes = (batches: Batches, { bytes, kernels: own }: Planes): void => {
  const { source, rect, targets } = batches;
  const { width, step, fromRow, to, toRow } = rect;
  const convert = kernelOf(source, own);
  eachBatch(batches, bytes, (row, rows) => {
    for (const { pixels, sample, nodata } of targets) {
      const at = ARENA_START + sample * source.BYTES_PER_ELEMENT;
      const target = pixels.byteOffset + (to + row * toRow) * 4;
      convert(at, target, rows, width, step, fromRow, missingSample(nodata), toRow);
    }
  });
};

/** By way of the kernels' memory. */
const convertToArrays = (batches: Batches): void => {
  const { source, rect, targets, atATime } = batches;
  const { width, step, fromRow } = rect;
  const size = source.BYTES_PER_ELEMENT;
  const out = aligned(ARENA_START + samplesIn(rect, atATime) * size);
  const outBytes = aligned(atATime * width * 4);
  const together = areOfFour(source, step, targets);
  const { bytes, floats } = arenaOf(out + (together ? 4 : 1) * outBytes);
  const converted = Array.from({ length: together ? 4 : 1 }, (_, band) => {
    const begin = (out + band * outBytes) / 4;
    return piecesOf(floats.subarray(begin, begin + atATime * width), rect);
  });
  const convert = kernelOf(source, kernels);
  eachBatch(batches, bytes, (row, rows) => {
    if (together) {
      const missing = missingSample(targets[0]?.nodata ?? null);
      kernels.convertFourUint16(ARENA_START, out, outBytes, rows, width, fromRow, missing);
    }
    for (const { pixels, sample, nodata } of targets) {
      const at = ARENA_START + sample * size;
      if (!together) convert(at, out, rows, width, step, fromRow, missingSample(nodata), width);
      copyOut(converted[together ? sample : 0] ?? [], pixels, rect, row, rows);
    }
  });
};

/** Brings rows of the source to ARENA_START, batch by batch. */
const eachBatch = (
  { source, rect, atATime }: Batches,
  bytes: Uint8Array<ArrayBuffer>,
  use: (row: number, rows: number) => void,
): void => {
  const size = source.BYTES_PER_ELEMENT;
  const sourceBytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  for (let row = 0; row < rect.height; row += atATime) {
    const rows = Math.min(atATime, rect.height - row);
    const first = rect.from + row * rect.fromRow;
    bytes.set(sourceBytes.subarray(first * size, (first + samplesIn(rect, rows)) * size), ARENA_START);
    use(row, rows);
  }
};

/** Whether the targets are most of four bands and have one nodata: then all four cost less than each by itself. */
const areOfFour = (source: VectorSamples, step: number, targets: readonly SampleTarget[]): boolean =>
  source instanceof Uint16Array &&
  step === 4 &&
  targets.length > 2 &&
  targets.every(({ nodata }) => nodata === targets[0]?.nodata);

/** From the first sample of a rectangle's rows to its last. */
const samplesIn = ({ width, step, fromRow }: SampleRect, rows: number): number => (rows - 1) * fromRow + width * step;

/** What goes to a window in one piece: all rows where they are as wide as it, otherwise each. */
const piecesOf = (
  converted: Float32Array<ArrayBuffer>,
  { width, toRow }: SampleRect,
): readonly Float32Array<ArrayBuffer>[] => {
  if (width === toRow) return [converted];
  return Array.from({ length: converted.length / width }, (_, row) =>
    converted.subarray(row * width, (row + 1) * width),
  );
};

const copyOut = (
  converted: readonly Float32Array<ArrayBuffer>[],
  pixels: Float32Array<ArrayBuffer>,
  { width, to, toRow }: SampleRect,
  row: number,
  rows: number,
): void => {
  const start = to + row * toRow;
  const [whole] = converted;
  if (width === toRow && whole !== undefined) pixels.set(whole.subarray(0, rows * width), start);
  else {
    for (let line = 0; line < rows; line++) {
      const piece = converted[line];
      if (piece !== undefined) pixels.set(piece, start + line * toRow);
    }
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
