/* oxlint-disable typescript/no-unsafe-type-assertion -- index reads: see kernels.ts. */
import type { PlaneLease } from '../kernels/plane-memory.ts';
import { storeFloats } from '../kernels/store-kernels.ts';
import { mergeStatistics } from '../statistics.ts';
import { integerRange, pixelArray } from '../data-type.ts';
import type { BandStatistics, DataType, FloatPixels, PixelArray } from '../types.ts';
import { chunkStatistics } from './chunk-statistics.ts';
import { roundHalfAway } from './kernels.ts';
import type { Chunk } from './kernels.ts';
import { isIntegerType, nextFloat } from './sample-types.ts';

/** Pixels worked on at a time: every pass over them finds them in a core's cache. */
const CHUNK_PX = 4096;
/** NaN by its bits: arithmetic makes NaNs of other bits, and those would change the pixels' digest. */
const FLOAT64_NAN = 0x7ff8000000000000n;

/** Output pixels in their own type, with what is known of them. */
export interface QuantizedPixels {
  /** Rows x columns, as the values were. */
  readonly pixels: PixelArray;
  /** Number of pixels with data. */
  readonly valid: number;
  /** Of the stored values of the valid pixels; null where none is. */
  readonly statistics: BandStatistics | null;
}

/**
 * Turns values into an output's pixels.
 * - Integers: rounded, halves away from zero, then clamped to the type's range.
 * - A valid value that would be stored as the nodata value is stored as its neighbour, as GDAL does: one more, or one less
 *   at the top of the type's range; for floats the next larger number.
 * - Nodata (NaN or not finite, also where it is not finite only in the output's type): the nodata value; with none, 0 in
 *   integers and NaN in floats. NaN is stored as one bit pattern, 0x7fc00000 (0x7ff8000000000000 in float64).
 *
 * @param values rows x columns, NaN where there is no data.
 * @param nodata the output's nodata value, one that its type holds; NaN for NaN, null for none.
 */
export const toOutput = (values: FloatPixels, dtype: DataType, nodata: number | null): QuantizedPixels => {
  const band = new OutputBand(dtype, nodata, values.length);
  const chunk = new Float64Array(CHUNK_PX);
  for (let start = 0; start < values.length; start += CHUNK_PX) {
    const n = Math.min(CHUNK_PX, values.length - start);
    chunk.set(values.subarray(start, start + n));
    band.store(chunk, n, start);
  }
  return band.quantized();
};

/** An output's pixels on their way from values, chunk by chunk in their order; `toOutput` says by what rules. */
export class OutputBand {
  readonly #pixels: PixelArray;
  readonly #storeChunk: ChunkStore;
  #statistics: BandStatistics | null = null;

  /**
   * @param length pixels of the whole band
   * @param planes where float32 pixels stand, if there is room; by default in an array of their own
   */
  constructor(dtype: DataType, nodata: number | null, length: number, planes: PlaneLease | null = null) {
    this.#pixels = (dtype === 'float32' ? planes?.take(false, length) : null) ?? pixelArray(dtype, length);
    this.#storeChunk = chunkStore(this.#pixels, dtype, nodata);
  }

  /**
   * Stores a chunk's first n values, and leaves in it what was stored, NaN where there is no data.
   *
   * @param start of its first pixel in the band
   */
  store(chunk: Chunk, n: number, start: number): void {
    this.#statistics = mergeStatistics(this.#statistics, this.#storeChunk(chunk, n, start));
  }

  quantized(): QuantizedPixels {
    return { pixels: this.#pixels, valid: this.#statistics?.count ?? 0, statistics: this.#statistics };
  }
}

/** What `OutputBand.store` does, but for what it counts up: the statistics of the chunk's stored values. */
type ChunkStore = (chunk: Chunk, n: number, start: number) => BandStatistics | null;

const chunkStore = (pixels: PixelArray, dtype: DataType, nodata: number | null): ChunkStore => {
  const hole = nodata ?? (isIntegerType(dtype) ? 0 : NaN);
  if (pixels instanceof Float32Array) {
    const rules = { nodata: nodata ?? NaN, nudged: nudgedFloat(nodata, 'float32'), hole };
    return (chunk, n, start) => storeFloats(chunk, n, pixels, start, rules);
  }
  const quantize = quantizer(dtype, nodata);
  return (chunk, n, start) => {
    quantize(chunk, n);
    const statistics = chunkStatistics(chunk, n);
    pixels.set(n === chunk.length ? chunk : chunk.subarray(0, n), start);
    if (statistics?.count !== n) fillHoles(chunk, n, pixels, start, hole);
    return statistics;
  };
};

/** What turns a chunk's values, in place, into the values that will be stored, NaN where there is no data. */
type Quantizer = (chunk: Chunk, n: number) => void;

/** Of integers and of float64. */
const quantizer = (dtype: DataType, nodata: number | null): Quantizer => {
  if (isIntegerType(dtype)) {
    const { min, max } = integerRange(dtype);
    const nudged = nodata === max ? max - 1 : (nodata ?? 0) + 1;
    return (chunk, n) => quantizeIntegers(chunk, n, { min, max, nodata: nodata ?? NaN, nudged });
  }
  const nudged = nudgedFloat(nodata, dtype);
  return (chunk, n) => quantizeDoubles(chunk, n, { nodata: nodata ?? NaN, nudged });
};

const nudgedFloat = (nodata: number | null, dtype: 'float32' | 'float64'): number =>
  nodata === null ? NaN : nextFloat(nodata, dtype);

const quantizeIntegers = (
  chunk: Chunk,
  n: number,
  { min, max, nodata, nudged }: { min: number; max: number; nodata: number; nudged: number },
): void => {
  for (let i = 0; i < n; i += 1) {
    const value = chunk[i] as number;
    // value - value is NaN where the value is not finite, else 0: no branch.
    const stored = Math.min(max, Math.max(min, roundHalfAway(value))) + (value - value);
    chunk[i] = stored === nodata ? nudged : stored;
  }
};

const quantizeDoubles = (chunk: Chunk, n: number, { nodata, nudged }: { nodata: number; nudged: number }): void => {
  for (let i = 0; i < n; i += 1) {
    const value = chunk[i] as number;
    // value - value is NaN where the value is not finite, else 0: no branch.
    chunk[i] = (value === nodata ? nudged : value) + (value - value);
  }
};

const fillHoles = (chunk: Chunk, n: number, pixels: PixelArray, start: number, hole: number): void => {
  const doubles = pixels instanceof Float64Array && Number.isNaN(hole) ? new BigUint64Array(pixels.buffer) : null;
  for (let i = 0; i < n; i += 1) {
    if (!Number.isNaN(chunk[i])) continue;
    if (doubles === null) pixels[start + i] = hole;
    else doubles[start + i] = FLOAT64_NAN;
  }
};
