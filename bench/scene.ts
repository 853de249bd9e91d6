import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { REAL_SCENE, demoScene, ndviPipelineFile, workFolder } from './data.ts';
import { type CodecOptions, FLOAT_CODECS, cogArguments } from './gdal-commands.ts';
import { type Cost, measureCommand, sumOfCosts } from './measured.ts';
import { type Row, compare } from './ratio.ts';

export const CRS = 'EPSG:3857';
/** The command. */
export const TILEONCE = fileURLToPath(new URL('../bin/tileonce.ts', import.meta.url));

/** Our time may be GDAL's divided by these. */
const BARS: Readonly<Record<CodecOptions['compression'], number>> = { deflate: 2, zstd: 3 };

/**
 * A whole scene, from two bands to tiles, mosaic, preview and item, with the command that a user runs, against the three
 * commands that make the same mosaic (and no tiles) with GDAL. Both write to new folders and use both cores.
 */
export const benchScene = async ({ rounds }: { rounds: number }): Promise<Row[]> => {
  const rows: Row[] = [];
  for (const codec of FLOAT_CODECS) {
    const comparison = {
      bench: 'scene',
      what: `two bands of ${REAL_SCENE} px to NDVI in ${CRS}, ${codec.compression.toUpperCase()}`,
      bar: BARS[codec.compression],
      peerName: 'gdalwarp, gdal_calc, gdal_translate',
      ours: () => ourScene(REAL_SCENE, codec),
      peer: () => gdalScene(REAL_SCENE, codec),
    };
    rows.push(await compare(comparison, { rounds }));
  }
  return rows;
};

const reportSchema = z.object({ mosaic: z.string() });

/** `tileonce run` on the demo scene of a size, px. */
export const ourScene = async (size: number, { compression }: CodecOptions, crs = CRS): Promise<Cost> => {
  const { red } = await demoScene(size);
  await using work = await workFolder();
  const pipeline = await ndviPipelineFile(work.path, { crs, compression });
  const args = [TILEONCE, 'run', red, '--pipeline', pipeline, '--out', join(work.path, 'out'), '--json'];
  const { wall, cpu, stdout } = await measureCommand(process.execPath, args);
  const { mosaic } = reportSchema.parse(JSON.parse(stdout));
  return { wall, cpu, bytes: (await stat(mosaic)).size };
};

/**
 * The same with GDAL's commands. NaN as `--NoDataValue` would make every pixel NaN (each equals its own nodata), so a
 * number stands for no data there.
 */
const gdalScene = async (size: number, codec: CodecOptions): Promise<Cost> => {
  const { red, nir } = await demoScene(size);
  await using work = await workFolder();
  const at = (name: string): string => join(work.path, name);
  const costs: Cost[] = [];
  const run = async (command: string, ...args: string[]): Promise<void> => {
    costs.push(await measureCommand(command, args));
  };
  const tiled = ['-co', 'TILED=YES', '-co', 'BLOCKXSIZE=512', '-co', 'BLOCKYSIZE=512'];
  const warp = ['-q', '-multi', '-wo', 'NUM_THREADS=2', '-r', 'bilinear', '-t_srs', CRS, ...tiled];
  await run('gdalwarp', ...warp, red, at('red.tif'));
  await run('gdalwarp', ...warp, nir, at('nir.tif'));
  const calc = '(B.astype(float32)-A.astype(float32))/(B.astype(float32)+A.astype(float32))';
  const calcTiled = ['--co', 'TILED=YES', '--co', 'BLOCKXSIZE=512', '--co', 'BLOCKYSIZE=512'];
  const inputs = ['-A', at('red.tif'), '-B', at('nir.tif'), '--outfile', at('ndvi.tif')];
  await run(
    'gdal_calc.py',
    ...inputs,
    '--calc',
    calc,
    '--type=Float32',
    '--NoDataValue=-9999',
    '--quiet',
    ...calcTiled,
  );
  await run('gdal_translate', ...cogArguments(codec), at('ndvi.tif'), at('scene.tif'));
  return { ...sumOfCosts(costs), bytes: (await stat(at('scene.tif'))).size };
};
