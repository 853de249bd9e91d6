import { describe, expect, test } from '@jest/globals';
import { geotransformOf, requireGeoKeys } from '../../../lambda/raster/source/georeference.ts';
import type { Georeference } from '../../../lambda/raster/source/georeference.ts';

const NONE: Georeference = {
  pixelScale: [],
  tiepoints: [],
  transformation: [],
  hasRpc: false,
  geoKeys: { directory: [], doubles: [], ascii: '' },
};
const POINT = { directory: [1, 1, 0, 1, 1025, 0, 1, 2], doubles: [], ascii: '' };
const scaled = { ...NONE, pixelScale: [10, 20, 0], tiepoints: [0, 0, 0, 500_000, 4_000_000, 0] };
const rotated = { ...NONE, transformation: [8, -6, 0, 1000, -6, -8, 0, 2000, 0, 0, 0, 0, 0, 0, 0, 1] };

describe('the geotransform', () => {
  test.each<[string, Georeference, number[]]>([
    ['scale and tiepoint', scaled, [500_000, 10, 0, 4_000_000, 0, -20]],
    [
      'a tiepoint inside the raster',
      { ...scaled, tiepoints: [2, 3, 0, 500_020, 3_999_940, 0] },
      [500_000, 10, 0, 4_000_000, 0, -20],
    ],
    ['a pixel that is a point', { ...scaled, geoKeys: POINT }, [499_995, 10, 0, 4_000_010, 0, -20]],
    [
      'a negative scale, which GDAL takes as positive',
      { ...scaled, pixelScale: [10, -20, 0] },
      [500_000, 10, 0, 4_000_000, 0, -20],
    ],
    ['a rotation', rotated, [1000, 8, -6, 2000, -6, -8]],
    ['a rotation of points', { ...rotated, geoKeys: POINT }, [999, 8, -6, 2007, -6, -8]],
    ['south up', { ...NONE, transformation: [10, 0, 0, 5, 0, 10, 0, 6, 0, 0, 0, 0, 0, 0, 0, 1] }, [5, 10, 0, 6, 0, 10]],
    ['a true geotransform beside RPCs', { ...scaled, hasRpc: true }, [500_000, 10, 0, 4_000_000, 0, -20]],
  ])('is read from %s', (_name, georeference, expected) => {
    expect(geotransformOf(georeference, 'B04.tif')).toEqual(expected);
  });

  const gcps = Array.from({ length: 24 }, (_, at) => at);
  const pixelSpace = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
  test.each<[string, Georeference, string]>([
    ['nothing', NONE, 'B04.tif: has no geotransform'],
    ['a scale without a tiepoint', { ...NONE, pixelScale: [1, 1, 0] }, 'B04.tif: has no geotransform'],
    [
      'ground control points',
      { ...NONE, tiepoints: gcps },
      'B04.tif: has no geotransform, only 4 ground control points',
    ],
    ['RPCs', { ...NONE, hasRpc: true }, 'B04.tif: has no geotransform, only RPC coefficients'],
    [
      'RPCs and pixel space',
      { ...NONE, hasRpc: true, transformation: pixelSpace },
      'B04.tif: has no geotransform, only RPC coefficients',
    ],
    [
      'a matrix of zeros',
      { ...NONE, transformation: Array<number>(16).fill(0) },
      'B04.tif: its geotransform [0, 0, 0, 0, 0, 0] does not map pixels to the ground',
    ],
  ])('is refused, never made up, from %s', (_name, georeference, message) => {
    expect(() => geotransformOf(georeference, 'B04.tif')).toThrow(
      expect.objectContaining({ message, remedy: expect.stringMatching(/gdalwarp|gdal_edit/) }),
    );
  });
});

test('a file without GeoTIFF keys has no coordinate reference system', () => {
  expect(() => requireGeoKeys(NONE, 'B04.tif')).toThrow('B04.tif: has no coordinate reference system');
  expect(requireGeoKeys({ ...NONE, geoKeys: POINT }, 'B04.tif')).toBe(POINT);
});
