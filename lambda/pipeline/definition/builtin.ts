import { readFile } from 'node:fs/promises';
import { TileonceError } from '../../errors.ts';
import { didYouMean } from '../../raster/expression/nearest-name.ts';
import { ExpressionError } from '../../raster/expression/expression-error.ts';
import { unusedBands } from './check-expressions.ts';
import { readJsonText } from './json-text.ts';
import { parsePipeline } from './parse-pipeline.ts';
import { changedFile, changesNothing } from './pipeline-change.ts';
import type { PipelineChange } from './pipeline-change.ts';
import type { Pipeline } from './pipeline.ts';
import { commandLinePipeline } from './quick-pipeline.ts';
import { pipelineSchema } from './schema.ts';

/** A pipeline that needs no file of the user's. */
export interface BuiltinPipeline {
  readonly name: string;
  readonly description: string;
}

/** The pipelines of the folder `pipelines/`, by the names of their files. */
export const BUILTIN_PIPELINES: readonly BuiltinPipeline[] = [
  { name: 'ndvi', description: 'NDVI of one file: red is band 3 and nir band 4 unless --band says otherwise' },
  { name: 'sentinel2-ndvi', description: 'Sentinel-2 L2A, NDVI from B04.tif and B08.tif (before baseline 04.00)' },
  {
    name: 'sentinel2-ndvi-offset',
    description: 'the same from baseline 04.00 on (since January 2022): with its offset',
  },
  { name: 'sentinel2-ndvi-masked', description: 'Sentinel-2 L2A, NDVI without clouds and shadows by SCL.tif' },
  {
    name: 'landsat-c2-ndvi',
    description: 'Landsat Collection 2 Level 2, NDVI of surface reflectance (Landsat 8 and 9)',
  },
  { name: 'true-color', description: 'a picture from bands 1, 2 and 3 of one 8-bit file, with transparency' },
];

const FOLDER = new URL('../../../pipelines/', import.meta.url);

/** Whether a built-in pipeline has this name. */
export const isBuiltinName = (name: string): boolean => BUILTIN_PIPELINES.some((builtin) => builtin.name === name);

/**
 * A built-in pipeline, with changes where the caller wants some.
 *
 * @throws TileonceError where no built-in pipeline has this name, or a change is not understood.
 * @throws TileonceError where the changes leave a band of which no expression makes use.
 * @throws PipelineFileError where the changes do not fit the pipeline otherwise; columns count in the expression.
 */
export const builtinPipeline = async (name: string, change: PipelineChange = {}): Promise<Pipeline> => {
  if (!isBuiltinName(name)) {
    const names = BUILTIN_PIPELINES.map((builtin) => builtin.name);
    throw new TileonceError(`no built-in pipeline is called "${name}"${didYouMean(name, names)}`, {
      remedy: `name a file, or one of ${names.join(', ')}`,
    });
  }
  const text = await readFile(new URL(`${name}.json`, FOLDER), 'utf8');
  const fileName = `pipelines/${name}.json`;
  if (changesNothing(change)) return parsePipeline(text, fileName);
  // The file is ours and sound: what is wrong now comes from the changes, and no line of it is to blame.
  const changed = changedFile(readJsonText(text).value, change);
  refuseUnusedBands(name, changed, change);
  return commandLinePipeline(changed);
};

/** @throws TileonceError naming the bands that neither the new expression nor the pipeline's own uses. */
const refuseUnusedBands = (name: string, changed: unknown, { expression }: PipelineChange): void => {
  const unused = unusedOf(changed);
  if (unused.length === 0) return;
  const which = `${unused.length === 1 ? 'the band' : 'the bands'} ${unused.join(' and ')}`;
  if (expression === undefined) {
    throw new TileonceError(`the pipeline ${name} has no use for ${which}`, {
      remedy: 'leave out that --band, or write an --expression that uses it',
    });
  }
  throw new TileonceError(`the expression given to the pipeline ${name} does not use ${which}`, {
    remedy: 'leave out --pipeline and name each band that it uses with --band',
  });
};

/** None where the file or its expressions have other faults: those are told instead. */
const unusedOf = (changed: unknown): string[] => {
  const { data } = pipelineSchema.safeParse(changed);
  if (data === undefined) return [];
  try {
    return unusedBands(data);
  } catch (error) {
    if (error instanceof ExpressionError) return [];
    throw error;
  }
};
