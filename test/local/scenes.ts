import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DemoFiles, writeDemoScene } from '../../bin/demo/scene-files.ts';

/** NDVI of the demo scene on its own grid, in windows of 32 px: 320 px make 100 windows, 640 px make 400. */
export const NDVI = {
  pipeline: 'process-test',
  version: '1.0.0',
  bands: { B04: { suffix: '_B04.tif' }, B08: { suffix: '_B08.tif' } },
  expression: '(B08 - B04) / (B08 + B04)',
  dst_crs: 'source',
  tile_px: 32,
} as const;

/** Writes a pipeline file: fields, or the text itself. @returns its path. */
export const pipelineFile = (folder: string, fields: object | string = NDVI, name = 'pipeline.json'): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof fields === 'string' ? fields : JSON.stringify(fields, null, 2));
  return path;
};

/** A two-band scene with clouds; another seed gives other pixels of the same grid. */
export const demoScene = (folder: string, { size, seed = 1 }: { size: number; seed?: number }): Promise<DemoFiles> =>
  writeDemoScene(folder, { size, seed });
