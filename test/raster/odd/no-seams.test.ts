import { describe, expect, it } from '@jest/globals';
import { parsePipeline } from '../../../lambda/pipeline/definition/parse-pipeline.ts';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import { BytesReader } from '../../support/bytes-reader.ts';
import { cogImage, noisyPixels } from '../../support/cog-images.ts';
import { encodeCog } from '../../../lambda/raster/cog/encode-cog.ts';
import { SceneWorld } from '../../support/scene-world.ts';

const [WIDTH, HEIGHT] = [101, 75];
const scene = encodeCog(
  cogImage({
    width: WIDTH,
    height: HEIGHT,
    dataType: 'int16',
    nodata: -9,
    bands: [noisyPixels('int16', WIDTH, HEIGHT, { seed: 5, nodata: -9 })],
  }),
);

/** Every level of the mosaic that windows of one grid make. */
async function mosaicLevels(fields: object): Promise<readonly (readonly number[])[]> {
  const world = new SceneWorld();
  world.sources.put('scene.tif', scene);
  const file = { pipeline: 'band', version: '1', bands: { b: {} }, expression: 'b', tile_px: 16, ...fields };
  const outcome = await world.ring(parsePipeline(JSON.stringify(file), 'band.json'), 'scene.tif');
  if (!('sceneJobId' in outcome)) throw new Error('the scene was not planned');
  await world.work();
  const bytes = await world.engine.objects.get(`scenes/${outcome.sceneJobId}/scene.tif`);
  if (bytes === null) throw new Error('there is no mosaic');
  const mosaic = await openSource(new BytesReader('mosaic.tif', Uint8Array.from(bytes)));
  const levels: number[][] = [];
  for (const [level, { width, height }] of mosaic.levels.entries()) {
    const [pixels] = await mosaic.readWindow([1], { x: 0, y: 0, width, height }, level);
    levels.push([...(pixels ?? [])]);
  }
  return levels;
}

describe('A mosaic of many windows', () => {
  it.each([
    ['warped by bilinear, float32 averages', { dst_crs: 'EPSG:3857' }],
    ['warped by cubic to a coarser grid', { dst_crs: 'EPSG:3857', resolution: '41', resampling: 'cubic' }],
    [
      'warped by nearest, int16 modes',
      { dst_crs: 'EPSG:4326', resampling: 'nearest', dtype: 'int16', overviews: 'mode' },
    ],
    ['on the scene’s own grid, int16 averages', { dst_crs: 'source', dtype: 'int16', overviews: 'average' }],
    [
      'averaged, nearest overviews',
      { dst_crs: 'EPSG:3035', resampling: 'average', resolution: '23', overviews: 'nearest' },
    ],
  ])(
    'is that of one window in every pixel of every level: %s',
    async (_, fields) => {
      const whole = await mosaicLevels({ ...fields, grid: '1x1' });
      expect(whole.length).toBeGreaterThanOrEqual(3);
      expect(whole.some((pixels) => pixels.some((value) => !Number.isNaN(value)))).toBe(true);
      for (const grid of ['3x2', '4x5']) expect(await mosaicLevels({ ...fields, grid })).toEqual(whole);
    },
    60_000,
  );
});
