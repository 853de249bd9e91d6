import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import { fileBytesReader } from '../../support/bytes-reader.ts';
import { differencesFromGdal, dumpByGdal } from '../../support/gdal-dump.ts';
import { describeWith, GDAL_PYTHON } from '../../support/requirements.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Name: GDAL type, bands, creation options. Every kind of storage that is read, in sizes that fit no block. */
const FILES: Readonly<Record<string, readonly [type: string, bands: number, ...options: string[]]>> = {};
for (const compress of ['NONE', 'DEFLATE', 'ZSTD', 'LZW', 'PACKBITS']) {
  for (const type of ['Byte', 'UInt16', 'Int16', 'UInt32', 'Int32', 'Float32', 'Float64']) {
    const predictors =
      compress === 'NONE' || compress === 'PACKBITS' ? [1] : type.startsWith('Float') ? [2, 3] : [1, 2];
    for (const predictor of predictors) {
      const options = [`COMPRESS=${compress}`, ...(predictor > 1 ? [`PREDICTOR=${predictor}`] : [])];
      const name = `${compress}_${type}_${predictor}`;
      Object.assign(FILES, {
        [`${name}_strips.tif`]: [type, 1, ...options],
        [`${name}_be_tiles.tif`]: [
          type,
          3,
          ...options,
          'TILED=YES',
          'BLOCKXSIZE=32',
          'BLOCKYSIZE=16',
          'ENDIANNESS=BIG',
        ],
        [`${name}_planes.tif`]: [type, 2, ...options, 'INTERLEAVE=BAND', 'BIGTIFF=YES'],
      });
    }
  }
}
for (const compress of ['LERC', 'LERC_DEFLATE', 'LERC_ZSTD']) {
  for (const type of ['Byte', 'Int16', 'Float32', 'Float64']) {
    Object.assign(FILES, {
      [`${compress}_${type}.tif`]: [type, 1, `COMPRESS=${compress}`],
      [`${compress}_${type}_tiles.tif`]: [
        type,
        3,
        `COMPRESS=${compress}`,
        'TILED=YES',
        'BLOCKXSIZE=32',
        'BLOCKYSIZE=16',
      ],
    });
  }
  Object.assign(FILES, {
    [`${compress}_rgba.tif`]: ['Byte', 4, `COMPRESS=${compress}`, 'PHOTOMETRIC=RGB', 'ALPHA=YES'],
  });
}
for (const photometric of ['MINISBLACK', 'RGB', 'YCBCR']) {
  for (const quality of [40, 97]) {
    const options = ['COMPRESS=JPEG', `JPEG_QUALITY=${quality}`, `PHOTOMETRIC=${photometric}`];
    const name = `JPEG_${photometric}_${quality}`;
    const bands = photometric === 'MINISBLACK' ? 1 : 3;
    Object.assign(FILES, {
      [`${name}_rows.tif`]: ['Byte', bands, ...options, 'BLOCKYSIZE=16', 'JPEGTABLESMODE=3'],
      [`${name}_tiles.tif`]: ['Byte', bands, ...options, 'TILED=YES', 'BLOCKXSIZE=32', 'BLOCKYSIZE=16'],
      [`${name}_own_tables.tif`]: ['Byte', bands, ...options, 'JPEGTABLESMODE=0', 'ENDIANNESS=BIG'],
    });
  }
}
Object.assign(FILES, {
  'JPEG_planes.tif': ['Byte', 3, 'COMPRESS=JPEG', 'INTERLEAVE=BAND', 'JPEGTABLESMODE=2'],
  'JPEG_four_bands.tif': ['Byte', 4, 'COMPRESS=JPEG', 'PHOTOMETRIC=MINISBLACK', 'ALPHA=NO'],
});
for (const lossless of ['LOSSLESS=YES', 'LEVEL=60']) {
  for (const bands of [3, 4]) {
    const options = ['COMPRESS=WEBP', `WEBP_${lossless}`, 'PHOTOMETRIC=RGB'];
    const name = `WEBP_${lossless}_${bands}`;
    Object.assign(FILES, {
      [`${name}_strips.tif`]: ['Byte', bands, ...options],
      [`${name}_rgba.tif`]: ['Byte', bands, ...options, 'TILED=YES', 'BLOCKXSIZE=32', 'BLOCKYSIZE=16'],
    });
  }
}
for (const bits of [1, 2, 3, 4, 7]) Object.assign(FILES, { [`bits${bits}.tif`]: ['Byte', 2, `NBITS=${bits}`] });
for (const bits of [9, 12, 15]) Object.assign(FILES, { [`bits${bits}.tif`]: ['UInt16', 2, `NBITS=${bits}`] });
Object.assign(FILES, {
  'half.tif': ['Float32', 1, 'NBITS=16'],
  'half_be.tif': ['Float32', 1, 'NBITS=16', 'ENDIANNESS=BIG'],
});

const WRITE = `
import json, sys
import numpy as np
from osgeo import gdal
gdal.UseExceptions()
out, files = sys.argv[1], json.loads(sys.argv[2])
rng = np.random.default_rng(7)
W, H = 70, 45
for name, (kind, bands, *options) in files.items():
    ds = gdal.GetDriverByName('GTiff').Create(out + '/' + name, W, H, bands, gdal.GetDataTypeByName(kind), options)
    bits = next((int(o[6:]) for o in options if o.startswith('NBITS=')), None)
    for b in range(bands):
        smooth = np.add.outer(np.arange(H) * 3, np.arange(W) * 2) + b * 5
        noise = rng.integers(0, 9, (H, W))
        if kind.startswith('Float'):
            a = (smooth + noise) / 7 - 20
            a[rng.random((H, W)) < 0.02] = np.nan
        elif kind == 'Byte' and bits:
            a = (smooth + noise) % (1 << bits)
        elif kind == 'UInt16' and bits:
            a = (smooth * 37 + noise) % (1 << bits)
        elif kind == 'Byte':
            a = (smooth + noise) % 256
        else:
            a = (smooth + noise) * (1 if '16' in kind else 70001) - (0 if kind.startswith('U') else 150)
        if name.endswith('rgba.tif') and b == 3: a = np.where(noise > 4, 255, 0)
        ds.GetRasterBand(b + 1).WriteArray(a)
    if 'strips' in name: ds.GetRasterBand(1).SetNoDataValue(100)
    ds = None
`;

describeWith(['GDAL'], 'rasters that GDAL wrote in every storage that is read', () => {
  const folder = temporaryFolder();
  const written = join(folder.path, 'written');
  const dumped = join(folder.path, 'dumped');
  beforeAll(() => {
    mkdirSync(written);
    execFileSync(GDAL_PYTHON, ['-c', WRITE, written, JSON.stringify(FILES)], { stdio: 'pipe' });
    dumpByGdal(written, dumped);
  }, 120_000);
  afterAll(() => folder.remove());

  test.each(Object.keys(FILES))('%s', async (name) => {
    const source = await openSource(fileBytesReader(join(written, name)));
    expect(await differencesFromGdal(source, dumped, name)).toEqual([]);
  });
});
