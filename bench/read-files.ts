import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DATA, REAL_SCENE, demoScene } from './data.ts';
import { measureCommand } from './measured.ts';

/** A kind of file that windows are read from. */
export interface ReadFile {
  readonly what: string;
  readonly path: string;
}

/** Side of the files, px: a quarter of a scene. */
export const READ_SIZE = REAL_SCENE / 2;

const KINDS: readonly (readonly [what: string, name: string, bands: readonly ('red' | 'nir')[], options: string[]])[] =
  [
    ['uint16, predictor 2', 'uint16', ['red'], ['-co', 'PREDICTOR=2']],
    [
      'float32, predictor 3',
      'float32',
      ['nir'],
      ['-ot', 'Float32', '-scale', '0', '10000', '0', '1', '-co', 'PREDICTOR=3'],
    ],
    ['uint8', 'uint8', ['red'], ['-ot', 'Byte', '-scale', '0', '5000', '0', '255']],
    ['4 bands of uint16 interleaved', 'interleaved', ['red', 'nir', 'red', 'nir'], ['-co', 'PREDICTOR=2']],
  ];

/** DEFLATE COGs of blocks of 512 px, made by GDAL from the demo scene's middle. */
export const readFiles = async (): Promise<ReadFile[]> => {
  const scene = await demoScene(REAL_SCENE);
  const files: ReadFile[] = [];
  for (const [what, name, bands, options] of KINDS) {
    const path = join(DATA, `read-${name}.tif`);
    files.push({ what, path });
    if (existsSync(path)) continue;
    const vrt = join(DATA, `read-${name}.vrt`);
    const unfinished = join(DATA, `read-${name}.part.tif`);
    await measureCommand('gdalbuildvrt', ['-q', '-separate', vrt, ...bands.map((band) => scene[band])]);
    const window = ['-srcwin', String(READ_SIZE / 2), String(READ_SIZE / 4), String(READ_SIZE), String(READ_SIZE)];
    const cog = ['-q', '-of', 'COG', '-co', 'COMPRESS=DEFLATE', '-co', 'BLOCKSIZE=512', '-co', 'OVERVIEWS=NONE'];
    await measureCommand('gdal_translate', [...cog, ...options, ...window, vrt, unfinished]);
    await rename(unfinished, path);
    await rm(vrt);
  }
  return files;
};
