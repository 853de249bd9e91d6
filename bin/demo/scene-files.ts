import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf } from '../../lambda/engines/embedded/errno.ts';
import { TileonceError } from '../../lambda/errors.ts';
import { pixelDigest } from '../../lambda/raster/cog/digest.ts';
import { encodeCog } from '../../lambda/raster/cog/encode-cog.ts';
import { crsFromCode } from '../../lambda/raster/crs/from-text.ts';
import type { PixelArray } from '../../lambda/raster/types.ts';
import { type DemoScene, makeDemoScene } from './scene.ts';

/** What the files of the scene's bands are called, as the satellite's own would be. */
const SCENE = 'T31UDQ_20260621T105031';
const BLOCK = 512;

/** The demo scene's two files. */
export interface DemoFiles {
  readonly red: string;
  readonly nir: string;
}

/**
 * Puts the demo scene's red and near-infrared bands into a folder, one Cloud Optimized GeoTIFF each (uint16, nodata 0). The
 * same size and seed give the same bytes; a file that already holds them is not touched, so a second demo is a
 * second run over unchanged sources.
 *
 * @param size side of the scene, px of 10 m.
 * @throws TileonceError where the folder cannot be written to.
 */
export async function writeDemoScene(
  folder: string,
  { size, seed }: { size: number; seed: number },
): Promise<DemoFiles> {
  const files = { red: join(folder, `${SCENE}_B04.tif`), nir: join(folder, `${SCENE}_B08.tif`) };
  const scene = makeDemoScene({ size, seed });
  try {
    await mkdir(folder, { recursive: true });
    await putFile(files.red, bandFile(scene, scene.red));
    await putFile(files.nir, bandFile(scene, scene.nir));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TileonceError(`the demo scene cannot be written to ${folder}: ${reason}`, {
      remedy: 'choose a folder that can be written to',
      cause,
    });
  }
  return files;
}

function bandFile(scene: DemoScene, band: PixelArray): Uint8Array<ArrayBuffer> {
  const { size, nodata, geotransform } = scene;
  const image = {
    width: size,
    height: size,
    dataType: 'uint16',
    nodata,
    grid: { crs: crsFromCode(`EPSG:${scene.epsg}`), geotransform },
    bands: [band],
  } as const;
  return encodeCog({
    ...image,
    blockSize: BLOCK,
    compression: 'deflate',
    overviews: 'average',
    color: null,
    alpha: false,
    bandTags: [{ name: null, scale: null, offset: null, unit: null, statistics: null }],
    digest: pixelDigest(image),
  });
}

/** Writes a file under another name first, so that a demo that is stopped leaves no half of one; the same bytes stay. */
async function putFile(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  if (await holds(path, bytes)) return;
  const unfinished = `${path}.${process.pid}.part`;
  try {
    await writeFile(unfinished, bytes);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function holds(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  try {
    return (await readFile(path)).equals(bytes);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}
