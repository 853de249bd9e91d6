import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findScenes, sceneOf } from '../../lambda/local/find-scenes.ts';
import { quickPipeline } from '../../lambda/pipeline/definition/quick-pipeline.ts';
import { parsePipeline } from '../../lambda/pipeline/definition/parse-pipeline.ts';
import type { Pipeline } from '../../lambda/pipeline/definition/pipeline.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';

const twoBands = (red: object, nir: object): Pipeline =>
  parsePipeline(
    JSON.stringify({ pipeline: 'ndvi', version: '1', bands: { red, nir }, expression: 'nir - red' }),
    'ndvi.json',
  );
const bySuffix = twoBands({ suffix: '_B04.tif' }, { suffix: '_B08.tif' });
const byFolder = twoBands({ path: '{scene}/R10m/{id}_B04.tif' }, { path: '{scene}/R10m/{id}_B08.tif' });
const ofOneFile = quickPipeline({ expression: 'a', bands: ['a=1'] });

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const at = (...names: readonly string[]): string => join(folder.path, ...names);
const files = (...names: readonly string[]): void => {
  for (const name of names) {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), '');
  }
};
/** Files need no bucket's listing. */
const noListing = (): Promise<string[]> => Promise.reject(new Error('a bucket was listed'));
const labels = async (pipeline: Pipeline, ...paths: readonly string[]): Promise<string[]> =>
  (await findScenes(pipeline, paths, noListing)).map(({ label }) => label);

describe('the scene of a file', () => {
  it('has the file for its band, and looks for the siblings beside it', () => {
    const scene = sceneOf(bySuffix, '/data/T31UDQ_B08.tif');
    expect(scene).toMatchObject({ label: 'T31UDQ', location: '/data' });
    expect([...(scene?.candidates.bandKeys ?? [])]).toEqual([
      ['nir', ['T31UDQ_B08.tif']],
      ['red', ['T31UDQ_B04.tif', 'T31UDQ_B04.TIF']],
    ]);
  });

  it('is the same for every file of the scene, and another for any other', () => {
    const identity = (file: string): string | undefined => sceneOf(bySuffix, file)?.identity;
    expect(identity('/data/T31UDQ_B08.tif')).toBe(identity('/data/T31UDQ_B04.tif'));
    expect(identity('/data/T31UDQ_B08.TIF')).toBe(identity('/data/T31UDQ_B04.tif'));
    expect(identity('/other/T31UDQ_B04.tif')).not.toBe(identity('/data/T31UDQ_B04.tif'));
    expect(identity('/data/T31UDR_B04.tif')).not.toBe(identity('/data/T31UDQ_B04.tif'));
  });

  it('is the file alone where the bands are bands of one file', () => {
    expect(sceneOf(ofOneFile, '/data/a.tif')?.identity).not.toBe(sceneOf(ofOneFile, '/data/a.tiff')?.identity);
    expect(sceneOf(ofOneFile, '/data/a.tif')).toMatchObject({ label: 'a', location: '/data' });
    expect(sceneOf(ofOneFile, '/data/a.png')).toBeNull();
  });

  it('begins where the path template begins', () => {
    const scene = sceneOf(byFolder, '/data/S2A/R10m/T31UDQ_B04.tif');
    expect(scene).toMatchObject({ label: 'S2A', location: '/data' });
    expect(scene?.candidates.bandKeys.get('nir')?.[0]).toBe('S2A/R10m/T31UDQ_B08.tif');
  });

  it('is called by its folder where the name is the band alone', () => {
    const bands = twoBands({ suffix: 'B04.tif' }, { suffix: 'B08.tif' });
    expect(sceneOf(bands, '/data/T31UDQ/B04.tif')).toMatchObject({ label: 'T31UDQ', location: '/data/T31UDQ' });
  });

  it('is none where no band matches', () => {
    expect(sceneOf(bySuffix, '/data/T31UDQ_B02.tif')).toBeNull();
  });
});

describe('the scenes of files and folders', () => {
  it('ring once, however many of their files are named or found', async () => {
    files('a_B04.tif', 'a_B08.tif');
    expect(await labels(bySuffix, at('a_B04.tif'), at('a_B08.tif'), folder.path)).toEqual(['a']);
  });

  it('are found below a folder in order of path, in any case of the extension', async () => {
    files('c/c_B04.tif', 'a_B04.tif', 'b/deep/b_B08.TIF', 'notes.txt');
    expect(await labels(bySuffix, folder.path)).toEqual(['a', 'b', 'c']);
  });

  it('are found through links to files', async () => {
    files('real/a_B04.tif');
    mkdirSync(at('linked'));
    symlinkSync(at('real/a_B04.tif'), at('linked/b_B04.tif'));
    symlinkSync(at('gone'), at('linked/c_B04.tif'));
    expect(await labels(bySuffix, at('linked'))).toEqual(['b']);
  });

  it('are not outputs, and nothing hidden', async () => {
    const job = 'ab'.repeat(32);
    files('a.tif', `out/tiles/${job}/0000_0000.tif`, `out/scenes/${job}/scene.tif`, '.cache/b.tif', '.c.tif');
    expect(await labels(ofOneFile, folder.path)).toEqual(['a']);
  });

  it('are in the order in which they were named', async () => {
    files('b_B04.tif', 'a_B04.tif');
    expect(await labels(bySuffix, at('b_B04.tif'), at('a_B04.tif'))).toEqual(['b', 'a']);
  });
});

describe('what is no scene', () => {
  const refusal = async (pipeline: Pipeline, path: string): Promise<unknown> =>
    findScenes(pipeline, [path], noListing).catch((error: unknown) => error);

  it('because it is not there, or lies below a file, is refused by name', async () => {
    files('a.tif');
    for (const path of [at('gone.tif'), at('a.tif/b.tif')]) {
      expect(await refusal(ofOneFile, path)).toMatchObject({
        message: `${path}: no such file or folder`,
        remedy: 'check the path',
      });
    }
  });

  it('because it is no band is refused with the bands that are', async () => {
    files('a_B02.tif');
    const remedy = 'its bands are nir: {scene}_B08.tif, red: {scene}_B04.tif';
    expect(await refusal(bySuffix, at('a_B02.tif'))).toMatchObject({
      message: `${at('a_B02.tif')} is no band of pipeline ndvi`,
      remedy,
    });
    expect(await refusal(bySuffix, folder.path)).toMatchObject({
      message: `no band of pipeline ndvi lies in ${folder.path}`,
      remedy,
    });
  });

  it('because it is JPEG 2000 is refused with the line that converts it', async () => {
    files('IMG_DATA/a_B04.jp2');
    const remedy = expect.stringContaining('gdal_translate -of COG -co COMPRESS=DEFLATE a_B04.jp2 a_B04.tif');
    expect(await refusal(bySuffix, at('IMG_DATA/a_B04.jp2'))).toMatchObject({ remedy });
    expect(await refusal(bySuffix, folder.path)).toMatchObject({ remedy });
  });
});
