import { describe, expect, it } from '@jest/globals';
import { parsePipeline } from '../../../lambda/pipeline/definition/parse-pipeline.ts';
import type { Pipeline } from '../../../lambda/pipeline/definition/pipeline.ts';
import { rings, siblings } from '../../../lambda/pipeline/definition/scene-siblings.ts';

const pipeline = (fields: Record<string, unknown>): Pipeline =>
  parsePipeline(JSON.stringify({ pipeline: 'p', version: '1', ...fields }), 'p.json');

const ndvi = pipeline({
  bands: { B04: { suffix: 'B04.tif' }, B08: { suffix: 'B08.tif' } },
  expression: 'B08 - B04',
});
const masked = pipeline({
  bands: {
    red: { path: '{scene}/R10m/{id}_B04_10m.tif' },
    scl: { path: '{scene}/R20m/{id}_SCL_20m.tif', resampling: 'nearest' },
  },
  expression: 'scl == 4 ? red : nodata',
  trigger: '{scene}/{id}_MTD.xml',
});
const single = pipeline({ bands: { red: { band: 1 }, nir: { band: 4 } }, expression: 'nir - red' });

const keysOf = (of: Pipeline, key: string): (string | undefined)[] | undefined =>
  siblings(of, key)?.keys.map(({ candidates }) => candidates[0]);

describe('the objects of a scene', () => {
  it('are the same whichever of them rings', () => {
    const keys = ['L2A/T31_B04.tif', 'L2A/T31_B08.tif'];
    for (const key of keys) expect(keysOf(ndvi, key)).toEqual(keys);
  });

  it('are looked for in both cases of the extension, that of the ringing one first', () => {
    expect(siblings(ndvi, 'T31_B04.TIF')?.keys).toEqual([
      { band: 'B04', candidates: ['T31_B04.TIF'] },
      { band: 'B08', candidates: ['T31_B08.TIF', 'T31_B08.tif'] },
    ]);
  });

  it('are found by captures, from the trigger too', () => {
    const keys = ['a/R10m/T31_B04_10m.tif', 'a/R20m/T31_SCL_20m.tif'];
    for (const key of [...keys, 'a/T31_MTD.xml']) expect(keysOf(masked, key)).toEqual(keys);
  });

  it('belong to the band whose path says most where several fit', () => {
    const both = pipeline({ bands: { a: { suffix: '4.tif' }, b: { suffix: 'B04.tif' } }, expression: 'a + b' });
    expect(siblings(both, 'x_B04.tif')?.captures).toEqual({ scene: 'x_' });
  });

  it('are one object where the bands have no path', () => {
    expect(keysOf(single, 'a/naip.TIFF')).toEqual(['a/naip.TIFF', 'a/naip.TIFF']);
  });

  it('are none where the object is none of the pipeline', () => {
    expect(siblings(ndvi, 'L2A/T31_B03.tif')).toBeNull();
    expect(siblings(single, 'a/readme.txt')).toBeNull();
  });
});

describe('the name of a scene', () => {
  it.each([
    [ndvi, 'L2A/T31UDQ_20200219_B04.tif', 'T31UDQ_20200219'],
    [ndvi, 'L2A/T31UDQ/B04.tif', 'T31UDQ'],
    [ndvi, 'B04.tif', 'scene'],
    [masked, 'a/b/R10m/T31_B04_10m.tif', 'b'],
    [single, 'x/naip_2016.tif', 'naip_2016'],
  ])('is read from the key (%#)', (of, key, name) => {
    expect(siblings(of, key)?.scene).toBe(name);
  });
});

describe('what rings', () => {
  it('is every band, or the trigger alone', () => {
    expect(rings(ndvi, 'T31_B04.tif')).toBe(true);
    expect(rings(ndvi, 'T31_B03.tif')).toBe(false);
    expect(rings(masked, 'a/R10m/T31_B04_10m.tif')).toBe(false);
    expect(rings(masked, 'a/T31_MTD.xml')).toBe(true);
  });
});
