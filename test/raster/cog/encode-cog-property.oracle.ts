import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { encodeCog } from '../../../lambda/raster/cog/encode-cog.ts';
import { pixelArray } from '../../../lambda/raster/data-type.ts';
import { COMPRESSIONS, DATA_TYPES } from '../../../lambda/raster/types.ts';
import { cogImage, noisyPixels } from '../../support/cog-images.ts';
import { noisyRatios } from '../kernels/float-planes.ts';
import { gdalPython } from '../../support/gdal-python.ts';
import { describeWith } from '../../support/requirements.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

jest.setTimeout(120_000);

/** How many pixels of each file GDAL reads otherwise than they were written, and what its COG validator finds. */
const PROGRAM = `
import json, sys
import numpy as np
from osgeo import gdal
from osgeo_utils.samples import validate_cloud_optimized_geotiff as validator
gdal.UseExceptions()
found = []
for case in json.loads(sys.argv[1]):
    ds = gdal.Open(case['file'])
    raw = np.fromfile(case['file'] + '.raw', dtype=case['dtype']).reshape(ds.RasterCount, ds.RasterYSize, ds.RasterXSize)
    pixels = np.stack([ds.GetRasterBand(i + 1).ReadAsArray() for i in range(ds.RasterCount)]).view(case['dtype'])
    a, b = pixels.view(np.uint8), raw.view(np.uint8)
    found.append({'different': int(np.sum(a != b)), 'problems': validator.validate(ds, full_check=True)[1]})
print(json.dumps(found))
`;

const BLOCK = 16;
/** 1 px to three blocks and one px; blocks of a pattern hold nothing but nodata, and are left out of the file. */
const images = fc.record({
  dataType: fc.constantFrom(...DATA_TYPES),
  compression: fc.constantFrom(...COMPRESSIONS),
  width: fc.integer({ min: 1, max: 3 * BLOCK + 1 }),
  height: fc.integer({ min: 1, max: 3 * BLOCK + 1 }),
  bandCount: fc.integer({ min: 1, max: 8 }),
  /** A bit for each block: 4 x 4 of them. */
  sparse: fc.integer({ min: 0, max: 0xffff }),
  nodata: fc.constantFrom(null, 0, 7),
  seed: fc.integer({ min: 1, max: 1000 }),
});

type ImageCase = typeof images extends fc.Arbitrary<infer T> ? T : never;

describeWith(['GDAL'], 'A COG of any type, codec, size, number of bands and pattern of empty blocks', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  /** What GDAL finds of each image. */
  const found = (given: readonly ImageCase[], name: string): Promise<unknown> => {
    const cases = given.map(({ bandCount, sparse, seed, ...parts }, index) => {
      const bands = Array.from({ length: bandCount }, (_, band) => {
        const pixels = pixelArray(parts.dataType, parts.width * parts.height);
        const noise = noisyPixels(parts.dataType, parts.width, parts.height, {
          seed: seed + band,
          nodata: parts.nodata,
        });
        pixels.set(
          noise.map((value, at) => {
            const column = Math.floor((at % parts.width) / BLOCK);
            const row = Math.floor(at / parts.width / BLOCK);
            return (sparse >> (row * 4 + column)) & 1 ? (parts.nodata ?? 0) : value;
          }),
        );
        return pixels;
      });
      const file = join(folder.path, `${name}-${index}.tif`);
      writeFileSync(file, encodeCog(cogImage({ ...parts, bands, blockSize: BLOCK })));
      writeFileSync(`${file}.raw`, Buffer.concat(bands.map((band) => Buffer.from(band.buffer))));
      return { file, dtype: parts.dataType };
    });
    return gdalPython(PROGRAM, cases);
  };

  it('is decoded by GDAL to the very bytes that were encoded', async () => {
    const cases = fc.sample(images, { numRuns: 150, seed: 11 });
    expect(await found(cases, 'any')).toEqual(cases.map(() => ({ different: 0, problems: [] })));
  });

  it('is so for every type and codec at its ends: a pixel and three blocks and a pixel, one band and eight', async () => {
    const sides = [1, 3 * BLOCK + 1];
    const cases = DATA_TYPES.flatMap((dataType) =>
      COMPRESSIONS.flatMap((compression) =>
        sides.flatMap((width) =>
          sides.flatMap((height) =>
            [1, 8].map((bandCount) => ({
              dataType,
              compression,
              width,
              height,
              bandCount,
              sparse: width > 1 && height > 1 ? 0b0110_1000_0001_1011 : 0,
              nodata: 7 as const,
              seed: 5,
            })),
          ),
        ),
      ),
    );
    expect(await found(cases, 'end')).toEqual(cases.map(() => ({ different: 0, problems: [] })));
  });

  it('is so for float32 of which every bit is in use, whose blocks ZSTD has an encoder of its own for', async () => {
    const cases = [128, 256].flatMap((blockSize) =>
      [1, 3].flatMap((bandCount) =>
        [1, 2 * blockSize, 3 * blockSize + 1].map((side) => {
          const bands = Array.from({ length: bandCount }, (_, band) => noisyRatios(side * side, side + band));
          const file = join(folder.path, `ratios-${blockSize}-${bandCount}-${side}.tif`);
          const image = cogImage({
            dataType: 'float32',
            compression: 'zstd',
            width: side,
            height: side,
            bands,
            blockSize,
            nodata: null,
          });
          writeFileSync(file, encodeCog(image));
          writeFileSync(`${file}.raw`, Buffer.concat(bands.map((band) => Buffer.from(band.buffer))));
          return { file, dtype: 'float32' };
        }),
      ),
    );
    expect(await gdalPython(PROGRAM, cases)).toEqual(cases.map(() => ({ different: 0, problems: [] })));
  });
});
