import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { errnoOf } from '../lambda/engines/embedded/errno.ts';
import { TileonceError } from '../lambda/errors.ts';
import { builtinPipeline, isBuiltinName } from '../lambda/pipeline/definition/builtin.ts';
import { parsePipeline } from '../lambda/pipeline/definition/parse-pipeline.ts';
import type { Pipeline } from '../lambda/pipeline/definition/pipeline.ts';
import { quickPipeline } from '../lambda/pipeline/definition/quick-pipeline.ts';
import { UsageError } from './exit-code.ts';

export interface PipelineOptions {
  readonly pipeline?: string;
  readonly expression?: string;
  readonly band?: readonly string[];
}

const collect = (value: string, previous: readonly string[] = []): string[] => [...previous, value];

/** The options that say which pipeline is meant. */
export const addPipelineOptions = (command: Command): Command =>
  command
    .option('-p, --pipeline <file|name>', 'a pipeline file, or a built-in pipeline (tileonce pipelines lists them)')
    .option('-e, --expression <text>', 'instead of a pipeline: one expression over the bands named with --band')
    .option(
      '-b, --band <name=where>',
      'red=3 (a band of the file) or nir=B08.tif (a suffix) or nir=B08.tif:1',
      collect,
    );

/**
 * The pipeline that the options mean.
 *
 * @throws UsageError where the options name none, contradict each other, or hold something wrong; TileonceError where a
 *   file is not valid.
 */
export const choosePipeline = async (options: PipelineOptions): Promise<Pipeline> => {
  const { pipeline, expression, band = [] } = options;
  if (pipeline === undefined && expression === undefined) {
    throw new UsageError('no pipeline is named', {
      remedy:
        "use --pipeline FILE, --pipeline NAME (tileonce pipelines lists them), or --expression '...' --band red=3",
    });
  }
  if (pipeline === undefined || isBuiltinName(pipeline)) {
    return asUsage(async () =>
      pipeline === undefined
        ? quickPipeline({ expression: expression ?? '', bands: band })
        : builtinPipeline(pipeline, { expression, bands: band }),
    );
  }
  if (expression !== undefined || band.length > 0) {
    throw new UsageError('--expression and --band do not go with a pipeline file', {
      remedy: `write them into ${pipeline}`,
    });
  }
  return parsePipeline(await readPipelineFile(pipeline), pipeline);
};

/** What is wrong with a pipeline that the options make up is wrong with the options. */
const asUsage = async (make: () => Promise<Pipeline>): Promise<Pipeline> => {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof TileonceError)) throw error;
    const { message, remedy } = error;
    throw new UsageError(message, { cause: error, ...(remedy === undefined ? {} : { remedy }) });
  }
};

const readPipelineFile = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    // No file, and nothing that looks like one's name: a built-in pipeline was meant, which this refuses with its names.
    if (errnoOf(cause) === 'ENOENT' && /^[\w-]+$/.test(path)) await builtinPipeline(path);
    throw new TileonceError(`the pipeline ${path} cannot be read`, {
      remedy: 'name a file, or a built-in pipeline (tileonce pipelines lists them)',
      cause,
    });
  }
};
