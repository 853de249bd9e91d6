import type { Pipeline } from '../../lambda/pipeline/definition/pipeline.ts';

/** A small valid pipeline whose bands lie under these paths (null: in the one uploaded file). */
export const pipelineOf = (paths: Readonly<Record<string, string | null>>): Pipeline => ({
  pipeline: 'ndvi-tiler',
  version: '3.2.0',
  namespace: 'default',
  bands: Object.entries(paths).map(([name, path], index) => ({
    name,
    path,
    band: path === null ? index + 1 : 1,
    resampling: 'bilinear',
    nodata: null,
    scale: null,
    offset: null,
    unscaled: false,
  })),
  outputs: [{ name: 'ndvi', expression: Object.keys(paths).join(' + '), scale: null, offset: null, unit: null }],
  dtype: 'float32',
  nodata: Number.NaN,
  mask: null,
  color: null,
  dstCrs: 'EPSG:3857',
  grid: { kind: 'suggested' },
  tilePx: 512,
  windows: { rows: 20, columns: 20 },
  compression: 'deflate',
  overviews: 'average',
  datetime: null,
  trigger: null,
});

export const ndvi: Pipeline = pipelineOf({ B04: '{scene}B04.tif', B08: '{scene}B08.tif' });
