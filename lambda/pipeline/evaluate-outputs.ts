import { compileExpression } from '../raster/expression/compile.ts';
import { alphaOf, applyMask } from '../raster/expression/mask.ts';
import { parseExpression } from '../raster/expression/parse.ts';
import { toOutput } from '../raster/expression/quantize.ts';
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
 * Runs the pipeline's expressions and its mask over one window's bands.
 *
 * @param inputs by band name, rows x cols, NaN where there is no data
 * @param length pixels of the window
 */
export const evaluateOutputs = (
  pipeline: Pipeline,
  inputs: ReadonlyMap<string, FloatPixels>,
  length: number,
): EvaluatedOutputs => {
  const names = pipeline.bands.map(({ name }) => name);
  const evaluate = (text: string): FloatPixels => {
    const compiled = compileExpression(text, names);
    const bands = compiled.bands.map((name) => {
      const pixels = inputs.get(name);
      if (pixels === undefined) throw new RangeError(`band ${name} was not read`);
      return pixels;
    });
    return compiled.evaluate(bands, length);
  };

  const values = pipeline.outputs.map(({ expression }) => evaluate(expression));
  if (pipeline.mask !== null) {
    const mask = evaluate(pipeline.mask);
    for (const band of values) applyMask(band, mask);
  }
  const alpha = pipeline.color === 'rgb' ? alphaOf(values, OPAQUE[pipeline.dtype] ?? 1) : null;
  const quantized = values.map((band) => toOutput(band, pipeline.dtype, pipeline.nodata));
  const bands = quantized.map(({ pixels }) => pixels);
  if (alpha !== null) bands.push(toOutput(alpha, pipeline.dtype, null).pixels);
  return {
    bands,
    statistics: quantized.map(({ statistics }) => statistics),
    validPixels: countValid(
      values,
      quantized.map(({ valid }) => valid),
      length,
    ),
  };
};

/** One output: its own count. Several: a pixel counts where any of them is valid. */
const countValid = (values: readonly FloatPixels[], counts: readonly number[], length: number): number => {
  if (counts.length === 1) return counts[0] ?? 0;
  if (counts.every((count) => count === 0)) return 0;
  if (counts.some((count) => count === length)) return length;
  let valid = 0;
  for (let i = 0; i < length; i++) if (values.some((band) => !Number.isNaN(band[i]))) valid++;
  return valid;
};
