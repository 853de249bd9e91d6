import { ExpressionError } from '../../raster/expression/expression-error.ts';
import { parseExpression } from '../../raster/expression/parse.ts';
import { bandsOf, bitBandsOf } from '../../raster/expression/tree.ts';
import type { MeaningProblem } from './meaning-problem.ts';
import type { JsonPath } from './json-text.ts';
import type { PipelineFile } from './schema.ts';

/** Every expression of a file, the mask last, and where it stands. */
export const expressionsOf = (file: PipelineFile): { path: JsonPath; text: string }[] => [
  ...(file.expression === undefined ? [] : [{ path: ['expression'], text: file.expression }]),
  ...(file.outputs ?? []).map(({ expression }, index) => ({
    path: ['outputs', index, 'expression'],
    text: expression,
  })),
  ...(file.mask === undefined ? [] : [{ path: ['mask'], text: file.mask }]),
];

/**
 * Names of the bands whose bits an expression of the file reads.
 *
 * @throws ExpressionError where an expression of the file is faulty.
 */
export const bitBands = (file: PipelineFile): Set<string> =>
  new Set(expressionsOf(file).flatMap(({ text }) => [...bitBandsOf(parseExpression(text, Object.keys(file.bands)))]));

/**
 * Names of the bands that no expression of the file uses, in the file's order.
 *
 * @throws ExpressionError where an expression of the file is faulty.
 */
export const unusedBands = (file: PipelineFile): string[] => {
  const names = Object.keys(file.bands);
  const used = new Set(expressionsOf(file).flatMap(({ text }) => [...bandsOf(parseExpression(text, names))]));
  return names.filter((name) => !used.has(name));
};

/** Faults inside expressions, bands that none uses, and flags that would be blended. */
export const expressionProblems = (file: PipelineFile): MeaningProblem[] => {
  const names = Object.keys(file.bands);
  const expressions = expressionsOf(file);
  const faults = expressions.flatMap(({ path, text }) => {
    try {
      parseExpression(text, names);
      return [];
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      return error.problems.map(({ column, message }) => ({ path, message, index: column - 1 }));
    }
  });
  if (faults.length > 0 || expressions.length === 0) return faults;
  const unused = new Set(unusedBands(file));
  const flags = bitBands(file);
  return Object.entries(file.bands).flatMap(([name, { resampling }]): MeaningProblem[] => {
    if (unused.has(name)) return [{ path: ['bands', name], message: 'no expression uses this band: take it out' }];
    if (!flags.has(name) || resampling === undefined || resampling === 'nearest') return [];
    const message = `would blend the flags whose bits an expression reads: write "nearest" or leave it out`;
    return [{ path: ['bands', name, 'resampling'], message }];
  });
};
