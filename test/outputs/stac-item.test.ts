import { describe, expect, it } from '@jest/globals';

import { sceneItem, type SceneItemInput, serialiseItem } from '../../lambda/outputs/stac-item.ts';
import type { RasterGrid } from '../../lambda/raster/types.ts';
import { grid, LONLAT, MERCATOR, ndvi, scene, SINUSOIDAL } from './scene-fixture.ts';
import { stacItem } from './stac-rules.ts';

const parsed = (input: typeof scene): unknown => JSON.parse(new TextDecoder().decode(serialiseItem(sceneItem(input))));

/** The scene on another grid, half of its pixels valid. */
const on = (other: RasterGrid): SceneItemInput => {
  const count = Math.ceil((other.width * other.height) / 2);
  return { ...scene, grid: other, statistics: [{ count, min: -0.5, max: 0.9, mean: 0.4, m2: 0.04 * count }] };
};

describe('the STAC item of a scene', () => {
  it.each([
    ['a UTM scene', scene],
    ['a Web Mercator scene', on(grid(MERCATOR, 2048, 1024, [0, 10, 0, 6_000_000, 0, -10]))],
    ['a scene over the antimeridian', on(grid(LONLAT, 10, 10, [175, 1, 0, -10, 0, -1]))],
    ['a scene without an authority code', on(grid(SINUSOIDAL, 2400, 2400, [0, 463, 0, 5e6, 0, -463]))],
    ['a scene that the globe does not hold', on(grid(SINUSOIDAL, 9, 9, [1.9e7, 1e5, 0, 9e6, 0, -1e5]))],
    ['a scene of EMPTY windows', { ...scene, mosaic: null, preview: null, statistics: [null] }],
    ['a colour scene', { ...scene, pipeline: { ...ndvi, color: 'rgb', dtype: 'uint8', nodata: null } as const }],
  ])('follows STAC 1.1 and its extensions for %s', (_, input) => {
    const result = stacItem.safeParse(parsed(input));
    expect(result.error?.issues ?? []).toEqual([]);
  });

  it.each([
    ['an undeclared extension', { stac_extensions: [] }],
    [
      'a clockwise ring',
      {
        geometry: {
          type: 'Polygon',
          coordinates: [
            [
              [0, 0],
              [0, 1],
              [1, 1],
              [0, 0],
            ],
          ],
        },
      },
    ],
    ['a geometry without a bbox', { bbox: undefined }],
    ['a field nobody knows', { updated: '2026-01-01T00:00:00Z' }],
  ])('is held to rules that refuse %s', (_, change) => {
    expect(stacItem.safeParse({ ...sceneItem(scene), ...change }).success).toBe(false);
  });

  it('is named by scene, pipeline, version and the first 12 of the job id', () => {
    const id = `T31UDQ_20260621T105031-ndvi-tiler-3.2.0-${scene.sceneJobId.slice(0, 12)}`;
    expect(sceneItem(scene).id).toBe(id);
    expect(sceneItem({ ...scene, sceneName: 'L2A/T31 UDQ' }).id).toMatch(/^L2A-T31-UDQ-ndvi-tiler-3\.2\.0-/);
  });

  it('says where the grid lies, rows first, the affine matrix in row order', () => {
    const { properties, assets } = sceneItem(scene);
    expect(properties['proj:code']).toBe('EPSG:32631');
    expect(properties['proj:shape']).toEqual([10_980, 10_980]);
    expect(properties['proj:transform']).toEqual([10, 0, 399_960, 0, -10, 5_500_020]);
    expect(properties['proj:bbox']).toEqual([399_960, 5_390_220, 509_760, 5_500_020]);
    const pixel = 109_800 / 1024;
    expect(assets['preview']?.['proj:transform']).toEqual([pixel, 0, 399_960, 0, -pixel, 5_500_020]);
  });

  it('describes the bands: type, nodata, scale, unit, statistics of the valid pixels', () => {
    const output = { name: 'lst', expression: 'B10 * 2', scale: 0.01, offset: -273.15, unit: 'K' };
    const pipeline = { ...ndvi, outputs: [output], dtype: 'uint16', nodata: 0 } as const;
    const size = scene.grid.width * scene.grid.height;
    expect(sceneItem({ ...scene, pipeline }).assets['mosaic']?.bands).toEqual([
      {
        name: 'lst',
        description: 'B10 * 2',
        data_type: 'uint16',
        nodata: 0,
        unit: 'K',
        statistics: {
          minimum: -0.5,
          maximum: 0.9,
          mean: 0.4,
          stddev: 0.2,
          count: 90_000_000,
          valid_percent: (90_000_000 / size) * 100,
        },
        'raster:sampling': 'area',
        'raster:scale': 0.01,
        'raster:offset': -273.15,
      },
    ]);
    expect(sceneItem(scene).assets['mosaic']?.bands?.[0]?.nodata).toBe('nan');
  });

  it('gives a colour image its alpha and no nodata', () => {
    const names = ['red', 'green', 'blue'];
    const outputs = names.map((name) => ({ name, expression: name, scale: null, offset: null, unit: null }));
    const pipeline = { ...ndvi, outputs, color: 'rgb', dtype: 'uint8', nodata: null } as const;
    const bands = sceneItem({ ...scene, pipeline, statistics: [null, null, null] }).assets['mosaic']?.bands;
    expect(bands?.map((band) => band.name)).toEqual([...names, 'alpha']);
    expect(bands?.every((band) => band.nodata === undefined)).toBe(true);
  });

  it('names each file by size and multihash, relative to itself', () => {
    const { assets } = sceneItem(scene);
    expect(assets['mosaic']).toMatchObject({
      href: './scene.tif',
      type: 'image/tiff; application=geotiff; profile=cloud-optimized',
      roles: ['data'],
      'file:size': 123_456_789,
      'file:checksum': `1220${scene.mosaic?.sha256}`,
    });
    expect(assets['preview']).toMatchObject({ href: './preview.png', type: 'image/png', 'file:size': 654_321 });
  });

  it('says of a scene of EMPTY windows that it is empty, and lists no file', () => {
    const item = sceneItem({
      ...scene,
      mosaic: null,
      preview: null,
      statistics: [null],
      windows: { total: 400, written: 0, empty: 400 },
    });
    expect(item.assets).toEqual({});
    expect(item.properties).toMatchObject({ 'tileonce:empty': true, 'tileonce:windows_empty': 400 });
  });

  it('links its sources with what pins their bytes', () => {
    expect(sceneItem(scene).links.map((link) => [link.rel, link.href, link['tileonce:version_token']])).toEqual(
      scene.sources.map((source) => ['derived_from', source.href, source.token]),
    );
  });

  it('is the same bytes every time, UTF-8 JSON ending in one newline', () => {
    const bytes = serialiseItem(sceneItem(scene));
    expect(serialiseItem(sceneItem(structuredClone(scene)))).toEqual(bytes);
    const text = new TextDecoder().decode(bytes);
    expect(text).toMatch(/^\{\n {2}"type": "Feature",\n[^]*\n\}\n$/);
    expect(text).not.toMatch(/"(created|updated)"/);
  });
});
