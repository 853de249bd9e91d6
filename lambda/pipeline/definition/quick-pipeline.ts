import { pipelineOf } from './parse-pipeline.ts';
import { changedBands } from './pipeline-change.ts';
import type { PipelineChange } from './pipeline-change.ts';
import type { Pipeline } from './pipeline.ts';

/** Name and version of a pipeline that has no file. */
const QUICK = { pipeline: 'quick', version: '1' };

const START = { line: 1, column: 1 };

/**
 * The pipeline that a value means whose faults come from a command line's options.
 *
 * @throws PipelineFileError with every fault; columns count in the expression.
 */
export const commandLinePipeline = (file: unknown): Pipeline => {
  const locate = (_path: unknown, index = 0): typeof START => ({ line: 1, column: index + 1 });
  return pipelineOf(file, 'command line', { locate, locateName: () => START });
};

/**
 * The pipeline of one expression over bands, without a file.
 *
 * @param bands `red=3`, `nir=B08.tif` or `nir=S2.tif:4`, one for each name of the expression.
 * @param fields other fields, as a pipeline file has them.
 * @throws PipelineFileError with every fault; columns count in the expression.
 * @throws TileonceError where a band is not given in one of these forms.
 */
export const quickPipeline = ({
  expression,
  bands = [],
  fields = {},
}: PipelineChange & { readonly expression: string }): Pipeline => {
  const file = { ...QUICK, bands: changedBands({}, bands), expression, ...fields };
  return commandLinePipeline(file);
};
