import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { CogImage } from '../../../lambda/raster/cog/cog-image.ts';
import { encodeCog } from '../../../lambda/raster/cog/encode-cog.ts';
import { COMPRESSIONS, DATA_TYPES } from '../../../lambda/raster/types.ts';
import type { DataType } from '../../../lambda/raster/types.ts';
import { UTM_31N, cogImage, noisyPixels } from '../../support/cog-images.ts';
import { gdalPython } from '../../support/gdal-python.ts';

/** What GDAL says of each file: problems that its COG validator finds, and the traits that it reads. */
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
    raw = np.fromfile(case['file'] + '.raw', dtype=case['dtype']).reshape(ds.RasterCount, ds.RasterYSize, ds.RasterXSize)
    same = True
    for i in range(ds.RasterCount):
        band = ds.GetRasterBand(i + 1)
        pixels = band.ReadAsArray()
        same = same and pixels.tobytes() == raw[i].tobytes()
    band = ds.GetRasterBand(1)
    found.append({
        'problems': errors,
        'layout': ds.GetMetadataItem('LAYOUT', 'IMAGE_STRUCTURE'),
        'crs': ds.GetSpatialRef().GetAuthorityCode(None),
        'geotransform': ds.GetGeoTransform(),
        'nodata': 'nan' if band.GetNoDataValue() != band.GetNoDataValue() else band.GetNoDataValue(),
        'statistics': band.GetStatistics(True, False),
        'name': band.GetDescription(), 'unit': band.GetUnitType(), 'scale': band.GetScale(), 'offset': band.GetOffset(),
        'digest': ds.GetMetadataItem('TILEONCE_PIXEL_DIGEST'),
        'samePixels': same,
        'levels': 1 + band.GetOverviewCount(),
        'signedByte': band.GetMetadataItem('PIXELTYPE', 'IMAGE_STRUCTURE') == 'SIGNEDBYTE',
        'colors': [gdal.GetColorInterpretationName(ds.GetRasterBand(i + 1).GetColorInterpretation()) for i in range(ds.RasterCount)],
    })
print(json.dumps(found))
`;

const NODATA: Readonly<Record<DataType, number>> = {
  uint8: 0,
  int8: -128,
  uint16: 65_535,
  int16: -9999,
  uint32: 4_294_967_295,
  int32: -2_147_483_648,
  float32: NaN,
  float64: -1e300,
};

function image(
  dataType: DataType,
  bandCount: number,
  width: number,
  height: number,
  parts: Partial<CogImage>,
): CogImage {
  const nodata = NODATA[dataType];
  const bands = Array.from({ length: bandCount }, (_, band) =>
    noisyPixels(dataType, width, height, { seed: 1 + band, nodata }),
  );
  const statistics = { count: 100, min: -1.5, max: 2.25, mean: 0.1, m2: 36 };
  const bandTags = bands.map((_, band) => ({
    name: `NDVI <${band}> & "more"`,
    scale: 0.0001,
    offset: -0.1,
    unit: 'm/s²',
    statistics,
  }));
  return cogImage({ width, height, bands, dataType, nodata, bandTags, ...parts });
}

const BLOCK = 64;
const SIDES = [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 1];
const IMAGES: CogImage[] = [
  ...DATA_TYPES.flatMap((dataType) =>
    COMPRESSIONS.flatMap((compression) =>
      [1, 3].map((bandCount) => image(dataType, bandCount, 200, 130, { compression, blockSize: BLOCK })),
    ),
  ),
  ...SIDES.flatMap((width) =>
    SIDES.map((height) => image('float32', 1, width, height, { compression: 'zstd', blockSize: BLOCK })),
  ),
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((bandCount) => image('uint16', bandCount, 100, 70, { blockSize: 16 })),
];

jest.setTimeout(120_000);

describe('a COG as GDAL reads it', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tileonce-cog-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function read(images: readonly CogImage[], classicLimit?: number): Promise<unknown> {
    const cases = [];
    for (const [index, cog] of images.entries()) {
      const file = join(folder, `${index}.tif`);
      await writeFile(file, encodeCog(cog, classicLimit));
      await writeFile(`${file}.raw`, Buffer.concat(cog.bands.map((band) => Buffer.from(band.buffer))));
      cases.push({ file, dtype: cog.dataType });
    }
    return gdalPython(READ_WITH_GDAL, cases);
  }

  function expected(cog: CogImage): object {
    let levels = 1;
    for (let side = Math.max(cog.width, cog.height); side > cog.blockSize; side = Math.ceil(side / 2)) levels++;
    return {
      problems: [],
      layout: 'COG',
      crs: '32631',
      geotransform: [500_000, 10, 0, 5_000_000, 0, -10],
      statistics: [-1.5, 2.25, 0.1, 0.6],
      name: 'NDVI <0> & "more"',
      unit: 'm/s²',
      scale: 0.0001,
      offset: -0.1,
      digest: 'ab'.repeat(32),
      samePixels: true,
      levels,
      signedByte: cog.dataType === 'int8',
    };
  }

  it('is valid, COG in layout and right in every pixel and tag, for all types, codecs, sizes and band counts', async () => {
    expect(await read(IMAGES)).toEqual(IMAGES.map((cog) => expect.objectContaining(expected(cog))));
  });

  it('is the same as a BigTIFF', async () => {
    const images = IMAGES.filter((_, index) => index % 5 === 0);
    expect(await read(images, 0)).toEqual(images.map((cog) => expect.objectContaining(expected(cog))));
  });

  it('has the nodata value of its type', async () => {
    const found = await read(DATA_TYPES.map((dataType) => image(dataType, 1, 20, 20, { bandTags: [bandTag] })));
    expect(found).toEqual(
      [0, -128, 65_535, -9999, 4_294_967_295, -2_147_483_648, 'nan', -1e300].map((nodata) =>
        expect.objectContaining({ nodata }),
      ),
    );
  });

  it('shows colours and alpha, a turned grid, and no nodata where there is none', async () => {
    const bands = [1, 2, 3, 4].map((seed) => noisyPixels('uint8', 40, 40, { seed }));
    const turned = [500_000, 8, 6, 5_000_000, 6, -8] as const;
    const found = await read([
      cogImage({
        width: 40,
        height: 40,
        bands,
        color: 'rgb',
        alpha: true,
        grid: { crs: UTM_31N, geotransform: turned },
        bandTags: bands.map(() => ({ ...bandTag, statistics: { count: 1, min: 0, max: 0, mean: 0, m2: 0 } })),
      }),
    ]);
    expect(found).toEqual([
      expect.objectContaining({
        problems: [],
        colors: ['Red', 'Green', 'Blue', 'Alpha'],
        geotransform: turned,
        nodata: null,
        samePixels: true,
      }),
    ]);
  });
});

const bandTag = {
  name: null,
  scale: null,
  offset: null,
  unit: null,
  statistics: { count: 1, min: 0, max: 1, mean: 0, m2: 0 },
};
