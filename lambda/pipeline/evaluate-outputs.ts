import { CHUNK_PX, type CompiledExpression, compileExpression } from '../raster/expression/compile.ts';
import { alphaOf, applyMask } from '../raster/expression/mask.ts';
import { parseExpression } from '../raster/expression/parse.ts';
import { OutputBand } from '../raster/expression/quantize.ts';
import { bandsOf } from '../raster/expression/tree.ts';
import type { PlaneLease } from '../raster/kernels/plane-memory.ts';
import { type PixelMemory, newMemory } from '../raster/pixel-memory.ts';
import type { BandStatistics, FloatPixels, PixelArray } from '../raster/types.ts';
import type { Pipeline } from './definition/pipeline.ts';

/** Alpha of a visible pixel, by the types that a colour output may have. */
const OPAQUE: Partial<Record<Pipeline['dtype'], number>> = { uint8: 255, uint16: 65_535 };

export interface EvaluatedOutputs {
  /** One array per band of the output file (a colour output's alpha is the last), rows x cols. */
  readonly bands: readonly PixelArray[];
  /** One entry per output of the pipeline; null: no valid pixel. */
  readonly statistics: readonly (BandStatistics | null)[];
  /** Pixels that are valid in at least one output. */
  readonly validPixels: number;
}

/** Names of the bands that the pipeline's expressions evaluate; the others are not read at all. */
export const bandsInUse = (pipeline: Pipeline): ReadonlySet<string> => {
  const names = pipeline.bands.map(({ name }) => name);
  const texts = pipeline.outputs.map(({ expression }) => expression);
  if (pipeline.mask !== null) texts.push(pipeline.mask);
  return new Set(texts.flatMap((text) => [...bandsOf(parseExpression(text, names))]));
};

/**
 * A window's outputs on their way from its bands, strip by strip: the pipeline's expressions and its mask run chunk by
 * chunk from the bands to the stored pixels, so that values stay in the processor's cache. Chunks are cut the same
 * however the strips are, and so are the statistics' last bits.
 */
export class WindowOutputs {
  readonly #length: number;
  readonly #opaque: number;
  readonly #expressions: readonly CompiledExpression[];
  readonly #mask: CompiledExpression | null;
  readonly #outputs: readonly OutputBand[];
  readonly #alpha: OutputBand | null;
  /** Pixels that are stored. */
  #stored = 0;
  #validPixels = 0;
  /** What a strip left that is less than a chunk, by band name. */
  readonly #seam = new Map<string, Float64Array<ArrayBuffer>>();
  #seamPx = 0;

  /**
   * @param length pixels of the window
   * @param scratch where values stand on their way
   * @param planes where the outputs' pixels stand, as far as they can; by default in arrays of their own
   */
  constructor(
    { bands, outputs, mask, dtype, nodata, color }: Pipeline,
    length: number,
    scratch: PixelMemory = newMemory,
    planes: PlaneLease | null = null,
  ) {
    const newChunk = (): Float64Array<ArrayBuffer> => chunkIn(scratch);
    const names = bands.map(({ name }) => name);
    this.#length = length;
    this.#opaque = OPAQUE[dtype] ?? 1;
    this.#expressions = outputs.map(({ expression }) => compileExpression(expression, names, newChunk));
    this.#mask = mask === null ? null : compileExpression(mask, names, newChunk);
    this.#outputs = outputs.map(() => new OutputBand(dtype, nodata, length, planes));
    this.#alpha = color === 'rgb' ? new OutputBand(dtype, null, length) : null;
  }

  /**
   * Takes the pixels that follow those of the strips before; they may be written over afterwards.
   *
   * @param inputs by band name, rows x cols, NaN where there is no data
   * @param length pixels of the strip
   */
  add(inputs: ReadonlyMap<string, FloatPixels>, length: number): void {
    for (const [name, { length: given }] of inputs) {
      if (given !== length) throw new RangeError(`band ${name} has ${given} px of a strip of ${length}`);
    }
    const missing = this.#length - this.#stored - this.#seamPx - length;
    if (missing < 0) throw new RangeError(`a window of ${this.#length} px was given ${-missing} px too many`);
    let start = this.#seamPx === 0 ? 0 : this.#intoSeam(inputs, 0, Math.min(CHUNK_PX - this.#seamPx, length));
    if (this.#seamPx === CHUNK_PX || (missing === 0 && start === length)) this.#storeSeam();
    while (start < length) {
      const n = Math.min(CHUNK_PX, length - start);
      if (n < CHUNK_PX && missing > 0) start += this.#intoSeam(inputs, start, n);
      else {
        this.#store(inputs, start, n);
        start += n;
      }
    }
  }

  /** @throws RangeError where pixels of the window are missing */
  evaluated(): EvaluatedOutputs {
    if (this.#stored !== this.#length) throw new RangeError(`${this.#stored} of ${this.#length} px were given`);
    const quantized = this.#outputs.map((output) => output.quantized());
    const [only, ...others] = quantized;
    const bands = quantized.map(({ pixels }) => pixels);
    if (this.#alpha !== null) bands.push(this.#alpha.quantized().pixels);
    return {
      bands,
      statistics: quantized.map(({ statistics }) => statistics),
      validPixels: only !== undefined && others.length === 0 ? only.valid : this.#validPixels,
    };
  }

  #store(inputs: ReadonlyMap<string, FloatPixels>, start: number, n: number): void {
    const values = this.#expressions.map((expression) => chunkOf(expression, inputs, start, n));
    if (this.#mask !== null) {
      const masked = chunkOf(this.#mask, inputs, start, n);
      for (const band of values) applyMask(band, masked, n);
    }
    // The alpha first: it takes pixels out of the bands.
    const opaque = this.#alpha === null ? null : Float64Array.from(alphaOf(values, this.#opaque));
    for (const [i, band] of values.entries()) this.#outputs[i]?.store(band, n, this.#stored);
    // One output counts its own.
    if (values.length > 1) this.#validPixels += countValid(values, n);
    if (this.#alpha !== null && opaque !== null) this.#alpha.store(opaque, n, this.#stored);
    this.#stored += n;
  }

  /** @returns n */
  #intoSeam(inputs: ReadonlyMap<string, FloatPixels>, start: number, n: number): number {
    for (const [name, pixels] of inputs) {
      const seam = this.#seam.get(name) ?? new Float64Array(CHUNK_PX);
      seam.set(pixels.subarray(start, start + n), this.#seamPx);
      this.#seam.set(name, seam);
    }
    this.#seamPx += n;
    return n;
  }

  #storeSeam(): void {
    const n = this.#seamPx;
    this.#seamPx = 0;
    if (n > 0) this.#store(this.#seam, 0, n);
  }
}

const chunkIn = (memory: PixelMemory): Float64Array<ArrayBuffer> => {
  const chunk = memory.take(true, CHUNK_PX);
  return chunk instanceof Float64Array ? chunk : new Float64Array(CHUNK_PX);
};

/** An expression's value on n pixels of its bands. */
const chunkOf = (
  expression: CompiledExpression,
  inputs: ReadonlyMap<string, FloatPixels>,
  start: number,
  n: number,
): Float64Array<ArrayBuffer> => {
  const bands = expression.bands.map((name) => {
    const pixels = inputs.get(name);
    if (pixels === undefined) throw new RangeError(`band ${name} was not read`);
    return pixels;
  });
  return expression.chunk(bands, start, n);
};

/** Pixels, of the first n, that are not NaN in at least one band. */
const countValid = (bands: readonly FloatPixels[], n: number): number => {
  let valid = 0;
  for (let i = 0; i < n; i++) if (bands.some((band) => !Number.isNaN(band[i]))) valid++;
  return valid;
};
