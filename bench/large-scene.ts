import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DemoFiles } from '../bin/demo/scene-files.ts';
import { openFile } from '../lambda/engines/embedded/file-ranges.ts';
import { sha256Hex } from '../lambda/identity/sha256.ts';
import { assembleMosaic } from '../lambda/raster/mosaic/assemble-mosaic.ts';
import { memoryScratch } from '../lambda/raster/mosaic/memory-scratch.ts';
import { openSource } from '../lambda/raster/source/open-source.ts';
import { demoScene } from './data.ts';

/** Side of the scene that is repeated, px: a multiple of the block size. */
const PART = 10_240;

/**
 * A scene of `times` x `times` demo scenes side by side, two bands of uint16: blocks are copied, not encoded, so that one
 * of 10 GB is made in minutes. 5 times make 51,200 px.
 */
export const largeScene = async (folder: string, times: number): Promise<DemoFiles> => {
  const part = await demoScene(PART);
  await mkdir(folder, { recursive: true });
  return { red: await repeated(part.red, folder, times), nir: await repeated(part.nir, folder, times) };
};

const repeated = async (path: string, folder: string, times: number): Promise<string> => {
  await using reader = await openFile(path);
  const source = await openSource(reader);
  const grid = source.grid();
  const edges = Array.from({ length: times + 1 }, (_, i) => i * PART);
  const made = join(folder, basename(path));
  const file = await open(made, 'w');
  try {
    await assembleMosaic({
      grid: { ...grid, width: PART * times, height: PART * times },
      bandCount: 1,
      dataType: 'uint16',
      nodata: 0,
      blockSize: 512,
      compression: 'deflate',
      overviews: 'average',
      color: null,
      alpha: false,
      bandTags: [{ name: null, scale: null, offset: null, unit: null, statistics: null }],
      digest: sha256Hex(`${basename(path)} ${times} x ${times}`),
      rowEdges: edges,
      columnEdges: edges,
      openTile: () => openFile(path),
      sink: { write: (bytes) => writeAll(file, bytes) },
      scratch: memoryScratch(),
    });
  } finally {
    await file.close();
  }
  return made;
};

const writeAll = async (file: FileHandle, bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
  await file.writeFile(bytes);
};
