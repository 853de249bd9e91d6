import { describe, expect, it } from '@jest/globals';
import { findScenes } from '../../lambda/local/find-scenes.ts';
import { parsePipeline } from '../../lambda/pipeline/definition/parse-pipeline.ts';
import { quickPipeline } from '../../lambda/pipeline/definition/quick-pipeline.ts';

const ndvi = parsePipeline(
  JSON.stringify({
    pipeline: 'ndvi',
    version: '1',
    bands: { red: { suffix: 'B04.tif' }, nir: { suffix: 'B08.tif' } },
    expression: 'nir - red',
  }),
  'ndvi.json',
);
const ofOneFile = quickPipeline({ expression: 'a', bands: ['a=1'] });

const job = 'ab'.repeat(32);
const KEYS = [
  'L2A/T31/B04.tif',
  'L2A/T31/B08.tif',
  'L2A/T32/B08.tif',
  'L2A/notes.txt',
  `L2A/tiles/${job}/0000_0000.tif`,
  `L2A/.hidden/B04.tif`,
];
const listed: string[] = [];
const listKeys = (bucket: string, prefix: string): Promise<string[]> => {
  listed.push(`${bucket} ${prefix}`);
  return Promise.resolve(KEYS.filter((key) => key.startsWith(prefix)));
};

describe('the scene of a remote object', () => {
  it('has the bucket and the whole keys that an upload of it would have', async () => {
    const [scene] = await findScenes(ndvi, ['s3://scenes/L2A/T31/B08.tif'], listKeys);
    expect(scene).toMatchObject({ label: 'T31', location: 's3://scenes', candidates: { bucket: 'scenes' } });
    expect([...(scene?.candidates.bandKeys ?? [])]).toEqual([
      ['nir', ['L2A/T31/B08.tif']],
      ['red', ['L2A/T31/B04.tif', 'L2A/T31/B04.TIF']],
    ]);
  });

  it('on a web server has the server for its bucket', async () => {
    const [scene] = await findScenes(ndvi, ['https://example.org/a%20b/B04.tif'], listKeys);
    expect(scene).toMatchObject({ location: 'https://example.org', candidates: { bucket: 'https://example.org' } });
    expect(scene?.candidates.bandKeys.get('nir')?.[0]).toBe('a%20b/B08.tif');
  });

  it('rings once, however many of its objects are named', async () => {
    const both = ['s3://scenes/L2A/T31/B08.tif', 's3://scenes/L2A/T31/B04.tif'];
    expect(await findScenes(ndvi, both, listKeys)).toHaveLength(1);
    expect(await findScenes(ndvi, [...both, 's3://other/L2A/T31/B04.tif'], listKeys)).toHaveLength(2);
  });
});

describe('the scenes below a prefix', () => {
  it('are those of its objects, without outputs and what is hidden', async () => {
    const labels = async (pipeline: typeof ndvi, address: string) =>
      (await findScenes(pipeline, [address], listKeys)).map(({ label }) => label);
    expect(await labels(ndvi, 's3://scenes/L2A/')).toEqual(['T31', 'T32']);
    expect(await labels(ofOneFile, 's3://scenes')).toEqual(['B04', 'B08', 'B08']);
    expect(listed.slice(-2)).toEqual(['scenes L2A/', 'scenes ']);
  });

  it('are refused where there are none, with the bands that are wanted', async () => {
    await expect(findScenes(ndvi, ['s3://scenes/nowhere/'], listKeys)).rejects.toMatchObject({
      message: 'no band of pipeline ndvi lies in s3://scenes/nowhere/',
      remedy: 'its bands are nir: {scene}B08.tif, red: {scene}B04.tif',
    });
    await expect(findScenes(ndvi, ['s3://scenes/L2A/notes.txt'], listKeys)).rejects.toMatchObject({
      message: 's3://scenes/L2A/notes.txt is no band of pipeline ndvi',
    });
  });

  it('are refused on a web server, which lists nothing', async () => {
    for (const url of ['https://example.org/L2A/', 'https://example.org']) {
      await expect(findScenes(ndvi, [url], listKeys)).rejects.toMatchObject({
        message: expect.stringContaining('web servers do not list what they have'),
      });
    }
  });
});
