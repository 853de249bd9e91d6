import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fromArrayBuffer } from 'geotiff';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { makeDemoScene } from '../../bin/demo/scene.ts';
import { writeDemoScene } from '../../bin/demo/scene-files.ts';

const SCENE = { size: 96, seed: 7 };
let parent = '';
let folder = '';

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'demo-'));
  folder = join(parent, 'scene');
});

afterEach(async () => {
  await rm(parent, { recursive: true, force: true });
});

describe('the files of the demo scene', () => {
  it('are two GeoTIFFs named after their bands, with the scene’s pixels and place', async () => {
    const { red, nir } = await writeDemoScene(folder, SCENE);
    expect([red, nir].map((path) => basename(path))).toEqual([
      'T31UDQ_20260621T105031_B04.tif',
      'T31UDQ_20260621T105031_B08.tif',
    ]);
    const scene = makeDemoScene(SCENE);
    for (const [path, band] of [
      [red, scene.red],
      [nir, scene.nir],
    ] as const) {
      const bytes = new Uint8Array(await readFile(path));
      const image = await (await fromArrayBuffer(bytes.buffer)).getImage();
      expect([image.getWidth(), image.getHeight()]).toEqual([96, 96]);
      expect(image.getOrigin().slice(0, 2)).toEqual([399_960, 5_500_020]);
      expect(image.getResolution().slice(0, 2)).toEqual([10, -10]);
      expect(image.getGeoKeys()).toMatchObject({ ProjectedCSTypeGeoKey: 32631 });
      expect(image.getGDALNoData()).toBe(0);
      const [pixels] = await image.readRasters();
      expect(pixels).toEqual(band);
    }
  });

  it('are left alone by a second demo', async () => {
    const { red, nir } = await writeDemoScene(folder, SCENE);
    const before = await Promise.all([stat(red), stat(nir)]);
    await writeDemoScene(folder, SCENE);
    const after = await Promise.all([stat(red), stat(nir)]);
    const identity = after.map(({ ino, mtimeMs, size }) => ({ ino, mtimeMs, size }));
    expect(identity).toEqual(before.map(({ ino, mtimeMs, size }) => ({ ino, mtimeMs, size })));
  });

  it('are not made a second time where they are there and whole, and are for another size or seed', async () => {
    const made: string[] = [];
    const note = join(parent, 'scene.json');
    const make = async (scene: { size: number; seed: number }): Promise<number> => {
      await writeDemoScene(folder, { ...scene, note, onMaking: () => void made.push('made') });
      return made.length;
    };
    expect([await make(SCENE), await make(SCENE)]).toEqual([1, 1]);
    expect([await make({ size: 96, seed: 8 }), await make({ size: 64, seed: 8 })]).toEqual([2, 3]);
    await writeFile(note, '{');
    expect([await make({ size: 64, seed: 8 }), await make({ size: 64, seed: 8 })]).toEqual([4, 4]);
    const { nir } = await writeDemoScene(folder, { size: 64, seed: 8 });
    const right = await readFile(nir);
    await writeFile(nir, right.subarray(1));
    expect([await make({ size: 64, seed: 8 }), (await readFile(nir)).equals(right)]).toEqual([5, true]);
  });

  it('are made again where their bytes are not right', async () => {
    const { red } = await writeDemoScene(folder, SCENE);
    const right = await readFile(red);
    await writeFile(red, right.subarray(0, 1000));
    await writeDemoScene(folder, SCENE);
    expect((await readFile(red)).equals(right)).toBe(true);
    expect(await readdir(folder)).toHaveLength(2);
  });

  it('are refused in one line where the folder is a file', async () => {
    const file = join(parent, 'taken');
    await writeFile(file, '');
    await expect(writeDemoScene(file, SCENE)).rejects.toThrow(/cannot be written to .*taken/);
  });
});
