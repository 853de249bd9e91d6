import { createHash } from 'node:crypto';

import type { SceneItemInput } from '../../lambda/outputs/stac-item.ts';
import type { Pipeline } from '../../lambda/pipeline/definition/pipeline.ts';
import type { Crs, GeoTransform, RasterGrid } from '../../lambda/raster/types.ts';

export const crs = (code: string | null, proj4: string, geographic = false): Crs => ({
  code,
  name: code ?? 'custom',
  proj4,
  geographic,
  geoKeys: { directory: [1, 1, 0, 0], doubles: [], ascii: '' },
});

export const UTM31 = crs('EPSG:32631', '+proj=utm +zone=31 +datum=WGS84 +units=m +no_defs');
export const LONLAT = crs('EPSG:4326', '+proj=longlat +datum=WGS84 +no_defs', true);
export const MERCATOR = crs('EPSG:3857', '+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +units=m +no_defs');
export const SINUSOIDAL = crs(null, '+proj=sinu +lon_0=0 +x_0=0 +y_0=0 +R=6371007.181 +units=m +no_defs');
export const ARCTIC = crs('EPSG:3413', '+proj=stere +lat_0=90 +lat_ts=70 +lon_0=-45 +datum=WGS84 +units=m +no_defs');

export const grid = (system: Crs, width: number, height: number, geotransform: GeoTransform): RasterGrid => ({
  crs: system,
  width,
  height,
  geotransform,
});

export const ndvi: Pipeline = {
  pipeline: 'ndvi-tiler',
  version: '3.2.0',
  namespace: 'production',
  bands: [],
  outputs: [{ name: 'ndvi', expression: '(B08 - B04) / (B08 + B04)', scale: null, offset: null, unit: null }],
  dtype: 'float32',
  nodata: Number.NaN,
  mask: null,
  color: null,
  dstCrs: 'source',
  grid: { kind: 'suggested' },
  tilePx: 512,
  windows: { rows: 20, columns: 20 },
  compression: 'deflate',
  overviews: 'average',
  datetime: null,
  trigger: null,
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const scene: SceneItemInput = {
  sceneJobId: sha256('scene'),
  sceneName: 'T31UDQ_20260621T105031',
  pipeline: ndvi,
  grid: grid(UTM31, 10_980, 10_980, [399_960, 10, 0, 5_500_020, 0, -10]),
  time: { datetime: '2026-06-21T10:50:31Z', from: 'name' },
  sources: [
    { key: 'T31UDQ_20260621T105031_B04.tif', href: '../../B04.tif', token: sha256('red'), bands: ['B04'] },
    { key: 'T31UDQ_20260621T105031_B08.tif', href: '../../B08.tif', token: sha256('nir'), bands: ['B08'] },
  ],
  windows: { total: 400, written: 380, empty: 20 },
  mosaic: { bytes: 123_456_789, sha256: sha256('mosaic') },
  preview: { bytes: 654_321, sha256: sha256('preview'), width: 1024, height: 1024 },
  statistics: [{ count: 90_000_000, min: -0.5, max: 0.9, mean: 0.4, m2: 3_600_000 }],
  software: { name: 'tileonce', version: '0.1.0' },
};
