import { CHUNK_PX, compileExpression } from '../raster/expression/compile.ts';
import { alphaOf, applyMask } from '../raster/expression/mask.ts';
import { parseExpression } from '../raster/expression/parse.ts';
import { OutputBand } from '../raster/expression/quantize.ts';
import { bandsOf } from '../raster/expression/tree.ts';
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
 * Runs the pipeline's expressions and its mask over one window's bands: chunk by chunk from the bands to the stored
 * pixels, so that values stay in the processor's cache.
 *
 * @param inputs by band name, rows x cols, NaN where there is no data
 * @param length pixels of the window
 */
export const evaluateOutputs = (
  pipeline: Pipeline,
  inputs: ReadonlyMap<string, FloatPixels>,
  length: number,
): EvaluatedOutputs => {
  const { dtype, nodata } = pipeline;
  const expressions = pipeline.outputs.map(({ expression }) => overInputs(pipeline, expression, inputs, length));
  const mask = pipeline.mask === null ? null : overInputs(pipeline, pipeline.mask, inputs, length);
  const outputs = expressions.map(() => new OutputBand(dtype, nodata, length));
  const alpha = pipeline.color === 'rgb' ? new OutputBand(dtype, null, length) : null;
  let validPixels = 0;

  for (let start = 0; start < length; start += CHUNK_PX) {
    const n = Math.min(CHUNK_PX, length - start);
    const values = expressions.map((chunk) => chunk(start, n));
    if (mask !== null) {
      const masked = mask(start, n);
      for (const band of values) applyMask(band, masked, n);
    }
    // The alpha first: it takes pixels out of the bands.
    const opaque = alpha === null ? null : Float64Array.from(alphaOf(values, OPAQUE[dtype] ?? 1));
    for (const [i, band] of values.entries()) outputs[i]?.store(band, n, start);
    // One output counts its own.
    if (values.length > 1) validPixels += countValid(values, n);
    if (alpha !== null && opaque !== null) alpha.store(opaque, n, start);
  }

  const quantized = outputs.map((output) => output.quantized());
  const [only, ...others] = quantized;
  if (only !== undefined && others.length === 0) validPixels = only.valid;
  const bands = quantized.map(({ pixels }) => pixels);
  if (alpha !== null) bands.push(alpha.quantized().pixels);
  return { bands, statistics: quantized.map(({ statistics }) => statistics), validPixels };
};

/** An expression compiled, with its bands' pixels at hand. */
const overInputs = (
  pipeline: Pipeline,
  text: string,
  inputs: ReadonlyMap<string, FloatPixels>,
  length: number,
): ((start: number, n: number) => Float64Array<ArrayBuffer>) => {
  const compiled = compileExpression(
    text,
    pipeline.bands.map(({ name }) => name),
  );
  const bands = compiled.bands.map((name) => {
    const pixels = inputs.get(name);
    if (pixels?.length !== length) throw new RangeError(`band ${name} was not read for all ${length} px`);
    return pixels;
  });
  return (start, n) => compiled.chunk(bands, start, n);
};

/** Pixels, of the first n, that are not NaN in at least one band. */
const countValid = (bands: readonly FloatPixels[], n: number): number => {
  let valid = 0;
  for (let i = 0; i < n; i++) if (bands.some((band) => !Number.isNaN(band[i]))) valid++;
  return valid;
};
