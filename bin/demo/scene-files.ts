import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

import { errnoOf } from '../../lambda/engines/embedded/errno.ts';
import { TileonceError } from '../../lambda/errors.ts';
import { pixelDigest } from '../../lambda/raster/cog/digest.ts';
import { encodeCog } from '../../lambda/raster/cog/encode-cog.ts';
import { crsFromCode } from '../../lambda/raster/crs/from-text.ts';
import type { PixelArray } from '../../lambda/raster/types.ts';
import { sha256Hex } from '../../lambda/identity/sha256.ts';
import { SOFTWARE_VERSION } from '../../lambda/version.ts';
import { type DemoScene, makeDemoScene } from './scene.ts';

/** What the files of the scene's bands are called, as the satellite's own would be. */
const SCENE = 'T31UDQ_20260621T105031';
const BLOCK = 512;

/** What was made: so that a second demo knows a scene that is there and whole. */
const madeSchema = z.object({
  release: z.string(),
  size: z.number(),
  seed: z.number(),
  /** SHA-256 of the files. */
  red: z.string(),
  nir: z.string(),
});
type Made = z.infer<typeof madeSchema>;

/** The demo scene's two files. */
export interface DemoFiles {
  readonly red: string;
  readonly nir: string;
}

export interface DemoRequest {
  readonly size: number;
  readonly seed: number;
  readonly note?: string;
  readonly onMaking?: () => void;
}

/**
 * Puts the demo scene's red and near-infrared bands into a folder, one Cloud Optimized GeoTIFF each (uint16, nodata 0). The
 * same size and seed give the same bytes. Files that this release made of them, and that are still whole, are not made
 * again, so a second demo is a second run over unchanged sources.
 *
 * @param size side of the scene, px of 10 m.
 * @param note the file that says what was made; without one the scene is computed each time, and compared.
 * @param onMaking called before the scene is computed, and not where it is there.
 * @throws TileonceError where the folder cannot be written to.
 */
export async function writeDemoScene(folder: string, { size, seed, note, onMaking }: DemoRequest): Promise<DemoFiles> {
  const files = { red: join(folder, `${SCENE}_B04.tif`), nir: join(folder, `${SCENE}_B08.tif`) };
  try {
    if (note !== undefined && (await isMade(files, note, { release: SOFTWARE_VERSION, size, seed }))) return files;
    onMaking?.();
    await mkdir(folder, { recursive: true });
    const scene = makeDemoScene({ size, seed });
    const [red, nir] = [bandFile(scene, scene.red), bandFile(scene, scene.nir)];
    await putFile(files.red, red);
    await putFile(files.nir, nir);
    const made: Made = { release: SOFTWARE_VERSION, size, seed, red: sha256Hex(red), nir: sha256Hex(nir) };
    if (note !== undefined) await putFile(note, Buffer.from(`${JSON.stringify(made)}\n`));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TileonceError(`the demo scene cannot be written to ${folder}: ${reason}`, {
      remedy: 'choose a folder that can be written to',
      cause,
    });
  }
  return files;
}

/** True where the note says that these files were made so, and they still hold the bytes that it names. */
async function isMade(files: DemoFiles, note: string, how: Pick<Made, 'release' | 'size' | 'seed'>): Promise<boolean> {
  const made = madeOf(await readIfThere(note));
  if (made === null || made.release !== how.release || made.size !== how.size || made.seed !== how.seed) return false;
  const [red, nir] = [await readIfThere(files.red), await readIfThere(files.nir)];
  return red !== null && nir !== null && sha256Hex(red) === made.red && sha256Hex(nir) === made.nir;
}

/** Null for a note that is none: the scene is made again then. */
function madeOf(note: Buffer | null): Made | null {
  try {
    return madeSchema.safeParse(JSON.parse(note?.toString() ?? 'null')).data ?? null;
  } catch {
    return null;
  }
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
  if ((await readIfThere(path))?.equals(bytes) === true) return;
  const unfinished = `${path}.${process.pid}.part`;
  try {
    await writeFile(unfinished, bytes);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}
