import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DemoFiles, writeDemoScene } from '../bin/demo/scene-files.ts';
import { parsePipeline } from '../lambda/pipeline/definition/parse-pipeline.ts';
import type { Pipeline } from '../lambda/pipeline/definition/pipeline.ts';
import type { Compression } from '../lambda/raster/types.ts';

/** Where scenes are kept between runs, and work folders are made: `BENCH_DATA`, or a folder of the system's temporary one. */
export const DATA = process.env['BENCH_DATA'] ?? join(tmpdir(), 'tileonce-bench');

/** Side of a Sentinel-2 tile's 10 m bands, px. */
export const REAL_SCENE = 10_980;

const SEED = 7;
const SCENE = 'T31UDQ_20260621T105031';

/** The demo's two bands at a size, px: uint16 COGs, DEFLATE, blocks of 512 px. Made once. */
export const demoScene = async (size: number): Promise<DemoFiles> => {
  const folder = join(DATA, `scene-${size}`);
  const files = { red: join(folder, `${SCENE}_B04.tif`), nir: join(folder, `${SCENE}_B08.tif`) };
  if (existsSync(files.red) && existsSync(files.nir)) return files;
  console.error(`making a scene of ${size} x ${size} px in ${folder}`);
  await mkdir(DATA, { recursive: true });
  return writeDemoScene(folder, { size, seed: SEED });
};

export interface NdviOptions {
  /** `source`: the scene's own grid. */
  readonly crs?: string;
  readonly compression?: Compression;
  /** Windows: rows x columns. */
  readonly grid?: string;
}

/** The pipeline that is measured, as its file says it. */
const ndviFile = ({ crs = 'source', compression = 'deflate', grid = '20x20' }: NdviOptions): string =>
  JSON.stringify({
    pipeline: 'bench-ndvi',
    version: '1',
    bands: { B04: { suffix: 'B04.tif', nodata: 0 }, B08: { suffix: 'B08.tif', nodata: 0 } },
    expression: '(B08 - B04) / (B08 + B04)',
    dst_crs: crs,
    resampling: 'bilinear',
    tile_px: 512,
    grid,
    compression,
  });

/** NDVI of the demo scene: float32, blocks of 512 px, bilinear. */
export const ndviPipeline = (options: NdviOptions): Pipeline => parsePipeline(ndviFile(options), 'bench-ndvi.json');

/** The same as a file for the command. */
export const ndviPipelineFile = async (folder: string, options: NdviOptions): Promise<string> => {
  const path = join(folder, 'bench-ndvi.json');
  await writeFile(path, ndviFile(options));
  return path;
};

/** A new folder beside the scenes, so that both sides write to one file system; gone with its scope. */
export const workFolder = async (): Promise<AsyncDisposable & { readonly path: string }> => {
  await mkdir(DATA, { recursive: true });
  const path = await mkdtemp(join(DATA, 'work-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
};
