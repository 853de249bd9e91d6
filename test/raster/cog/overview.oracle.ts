import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { CogImage } from '../../../lambda/raster/cog/cog-image.ts';
import { encodeCog } from '../../../lambda/raster/cog/encode-cog.ts';
import type { OverviewMethod, PixelArray } from '../../../lambda/raster/types.ts';
import { cogImage, noisyPixels } from '../../support/cog-images.ts';
import { gdalPython } from '../../support/gdal-python.ts';

/** How many pixels of our overviews differ from those that GDAL makes of the same image; per level. */
const COMPARE_WITH_GDAL = `
import json, sys
import numpy as np
from osgeo import gdal
gdal.UseExceptions()
found = []
for case in json.loads(sys.argv[1]):
    ours = gdal.Open(case['file'])
    count = ours.GetRasterBand(1).GetOverviewCount()
    options = ['TILED=YES', 'BLOCKXSIZE=16', 'BLOCKYSIZE=16', 'COMPRESS=DEFLATE', 'INTERLEAVE=PIXEL']
    if case['alpha']: options += ['PHOTOMETRIC=RGB', 'ALPHA=YES']
    name = case['file'] + '.gdal.tif'
    first = ours.GetRasterBand(1)
    ds = gdal.GetDriverByName('GTiff').Create(name, ours.RasterXSize, ours.RasterYSize, ours.RasterCount, first.DataType, options)
    for i in range(ours.RasterCount):
        band, to = ours.GetRasterBand(i + 1), ds.GetRasterBand(i + 1)
        if band.GetNoDataValue() is not None: to.SetNoDataValue(band.GetNoDataValue())
        to.WriteArray(band.ReadAsArray())
    ds = None
    ds = gdal.Open(name, gdal.GA_Update)
    ds.BuildOverviews(case['method'], [2 ** (i + 1) for i in range(count)])
    ds = None
    ds = gdal.Open(name)
    differing = []
    for level in range(count):
        different = 0
        for i in range(ours.RasterCount):
            mine, his = [d.GetRasterBand(i + 1).GetOverview(level).ReadAsArray() for d in (ours, ds)]
            if mine.shape != his.shape: different += mine.size
            elif case['method'] == 'AVERAGE' and mine.dtype in (np.int32, np.uint32): different += int(np.sum(np.abs(mine.astype(float) - his) > 1))
            elif mine.dtype == np.float64: different += int(np.sum(~np.isclose(mine, his, rtol=0, atol=3e-7, equal_nan=True)))
            else: different += int(np.sum(~((mine == his) | ((mine != mine) & (his != his)))))
        differing.append(different)
    found.append(differing)
print(json.dumps(found))
`;

const SIZES = [
  [64, 64],
  [100, 70],
  [101, 70],
  [70, 101],
  [97, 99],
  [90, 1],
  [33, 17],
] as const;
const METHODS: readonly OverviewMethod[] = ['average', 'nearest', 'mode'];
const TYPES = [
  ['uint8', 0],
  ['uint8', 255],
  ['uint8', null],
  ['uint16', 65_535],
  ['uint16', null],
  ['int16', -32_768],
  ['int16', null],
  ['uint32', 7],
  ['int32', -2_147_483_648],
  ['int32', null],
  ['float32', NaN],
  ['float32', -9999],
  ['float32', 0.1],
  ['float32', null],
  ['float64', NaN],
  ['float64', null],
] as const;

const IMAGES: CogImage[] = TYPES.flatMap(([dataType, nodata]) =>
  METHODS.flatMap((overviews) =>
    SIZES.flatMap(([width, height]) =>
      [1, 2].map((count) => {
        const bands = Array.from({ length: count }, (_, band) => {
          const pixels = noisyPixels(dataType, width, height, { seed: band + 1, nodata, missing: 0.2 });
          // GDAL 3.6 makes overviews of these types by way of float32: keep to numbers that come through that. Means of
          // 32-bit integers may still round the other way, and those of doubles be off by float32's precision.
          if (dataType === 'float64') return pixels.map((value) => Math.fround(value));
          return dataType.endsWith('int32') ? pixels.map((value) => (value === nodata ? value : value % 4096)) : pixels;
        });
        return cogImage({ width, height, bands, dataType, nodata, overviews, blockSize: 16 });
      }),
    ),
  ),
);

/** Few values, so that modes tie, and means come close to nodata. */
function classes(width: number, height: number, dataType: 'uint8' | 'uint16', seed: number): PixelArray {
  return noisyPixels(dataType, width, height, { seed }).map((value) => value % 4);
}

const TIES: CogImage[] = METHODS.flatMap((overviews) =>
  SIZES.flatMap(([width, height]) =>
    ([0, 1, null] as const).flatMap((nodata) =>
      (['uint8', 'uint16'] as const).map((dataType) =>
        cogImage({
          width,
          height,
          bands: [classes(width, height, dataType, 5)],
          dataType,
          nodata,
          overviews,
          blockSize: 16,
        }),
      ),
    ),
  ),
);

const COLOURS: CogImage[] = SIZES.flatMap(([width, height]) =>
  (['average', 'nearest'] as const).map((overviews) => {
    const alpha = noisyPixels('uint8', width, height, { seed: 9 }).map((value) => (value < 100 ? 0 : 255));
    const colours = [1, 2, 3].map((seed) => noisyPixels('uint8', width, height, { seed }));
    const bands = [...colours, alpha];
    return cogImage({ width, height, bands, overviews, color: 'rgb', alpha: true, blockSize: 16 });
  }),
);

jest.setTimeout(120_000);

describe('overviews', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tileonce-overviews-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function differing(images: readonly CogImage[]): Promise<string[]> {
    const cases = [];
    for (const [index, cog] of images.entries()) {
      const file = join(folder, `${index}.tif`);
      await writeFile(file, encodeCog(cog));
      cases.push({ file, method: cog.overviews.toUpperCase(), alpha: cog.alpha });
    }
    const found = await gdalPython(COMPARE_WITH_GDAL, cases);
    if (!Array.isArray(found)) throw new TypeError('the comparison printed no list');
    return images.flatMap(({ dataType, nodata, overviews, width, height, bands }, index) => {
      const levels: unknown = found[index];
      if (Array.isArray(levels) && levels.every((count) => count === 0)) return [];
      return [`${dataType} ${nodata} ${overviews} ${width}x${height}x${bands.length}: ${JSON.stringify(levels)}`];
    });
  }

  it("are GDAL's, pixel for pixel, over types, nodata values, methods and odd sizes", async () => {
    expect(await differing(IMAGES)).toEqual([]);
  });

  it("break ties and step aside of nodata as GDAL's do", async () => {
    expect(await differing(TIES)).toEqual([]);
  });

  it("of colours with an alpha are GDAL's", async () => {
    expect(await differing(COLOURS)).toEqual([]);
  });
});
