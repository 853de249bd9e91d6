import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { pixelArray } from '../../../lambda/raster/data-type.ts';
import { assembleMosaic } from '../../../lambda/raster/mosaic/assemble-mosaic.ts';
import type { PixelArray } from '../../../lambda/raster/types.ts';
import { cogImage, noisyPixels } from '../../support/cog-images.ts';
import { gdalPython } from '../../support/gdal-python.ts';
import { cutTiles, mosaicRequest } from '../../support/mosaic-tiles.ts';

jest.setTimeout(120_000);

/** Problems that GDAL's COG validator finds, and whether pixels and AVERAGE overviews are those of the scene. */
const READ_WITH_GDAL = `
import json, sys
import numpy as np
from osgeo import gdal
from osgeo_utils.samples import validate_cloud_optimized_geotiff as validator
gdal.UseExceptions()
found = []
for case in json.loads(sys.argv[1]):
    ds = gdal.Open(case['file'])
    warnings, errors, details = validator.validate(ds, full_check=True)
    scene = np.fromfile(case['file'] + '.raw', dtype=case['dtype']).reshape(ds.RasterCount, ds.RasterYSize, ds.RasterXSize)
    options = ['TILED=YES', 'COMPRESS=DEFLATE', 'INTERLEAVE=PIXEL']
    name = case['file'] + '.gdal.tif'
    his = gdal.GetDriverByName('GTiff').Create(name, ds.RasterXSize, ds.RasterYSize, ds.RasterCount, ds.GetRasterBand(1).DataType, options)
    for i in range(ds.RasterCount):
        if ds.GetRasterBand(1).GetNoDataValue() is not None: his.GetRasterBand(i + 1).SetNoDataValue(ds.GetRasterBand(1).GetNoDataValue())
        his.GetRasterBand(i + 1).WriteArray(scene[i])
    his = None
    his = gdal.Open(name, gdal.GA_Update)
    count = ds.GetRasterBand(1).GetOverviewCount()
    his.BuildOverviews('AVERAGE', [2 ** (i + 1) for i in range(count)])
    his = None
    his = gdal.Open(name)
    different = 0
    for i in range(ds.RasterCount):
        for level in range(-1, count):
            a, b = [d.GetRasterBand(i + 1) if level < 0 else d.GetRasterBand(i + 1).GetOverview(level) for d in (ds, his)]
            a, b = a.ReadAsArray(), b.ReadAsArray()
            different += int(np.sum(~((a == b) | ((a != a) & (b != b)))))
    found.append({'problems': errors, 'layout': ds.GetMetadataItem('LAYOUT', 'IMAGE_STRUCTURE'), 'different': different, 'levels': 1 + count})
print(json.dumps(found))
`;

/** Sides with their windows' edges in blocks of 64 px: even and odd, windows of equal and of mixed sizes. */
const AXES = [
  [63, [0, 63]],
  [512, [0, 128, 256, 384, 512]],
  [193, [0, 64, 193]],
  [331, [0, 64, 192, 256, 331]],
] as const;

const SCENES = AXES.flatMap(([width, columnEdges]) =>
  AXES.flatMap(([height, rowEdges]) =>
    (
      [
        ['float32', NaN, 'deflate'],
        ['uint16', 0, 'zstd'],
        ['int16', null, 'none'],
      ] as const
    ).map(([dataType, nodata, compression]) => ({
      width,
      height,
      rowEdges,
      columnEdges,
      dataType,
      nodata,
      compression,
    })),
  ),
);

describe('a mosaic as GDAL reads it', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tileonce-mosaic-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is a valid COG of the scene’s pixels and of GDAL’s overviews, with EMPTY windows, odd sides and any windows', async () => {
    const cases = [];
    for (const [index, { rowEdges, columnEdges, ...parts }] of SCENES.entries()) {
      const bands = [1, 2].map((seed) =>
        withHole(noisyPixels(parts.dataType, parts.width, parts.height, { ...parts, seed }), parts),
      );
      const image = cogImage({ ...parts, bands, blockSize: 64 });
      const tiles = cutTiles(image, rowEdges, columnEdges);
      const { request, written } = mosaicRequest(image, rowEdges, columnEdges, tiles);
      await assembleMosaic(request);
      const file = join(folder, `${index}.tif`);
      await writeFile(file, written());
      await writeFile(`${file}.raw`, Buffer.concat(bands.map((band) => Buffer.from(band.buffer))));
      cases.push({ file, dtype: parts.dataType });
    }
    const levels = (length: number): number => Math.max(1, 1 + Math.ceil(Math.log2(length / 64)));
    expect(await gdalPython(READ_WITH_GDAL, cases)).toEqual(
      SCENES.map(({ width, height }) => ({
        problems: [],
        layout: 'COG',
        different: 0,
        levels: Math.max(levels(width), levels(height)),
      })),
    );
  });
});

/** The upper left 128 px without a valid pixel, so that windows are EMPTY. */
function withHole(pixels: PixelArray, { width, nodata }: { width: number; nodata: number | null }): PixelArray {
  if (nodata === null) return pixels;
  const holed = pixelArray(pixels instanceof Float32Array ? 'float32' : 'uint16', pixels.length);
  holed.set(pixels.map((value, i) => (i % width < 128 && i < 128 * width ? nodata : value)));
  return holed;
}
