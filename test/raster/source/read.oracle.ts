import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SourceError } from '../../../lambda/errors.ts';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import type { RasterSource } from '../../../lambda/raster/source/open-source.ts';
import { fileBytesReader } from '../../support/bytes-reader.ts';
import { describeWith, GDAL_PYTHON, SHARED_DATA } from '../../support/requirements.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Of a larger level only the left columns are compared, as many as make this many pixels. */
const PIXELS = 8_000_000;

/** Files that are refused, and why that is right. Everything else must read as GDAL reads it. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  // No decoder of these is part of Node, and none in JavaScript equals libjpeg, libwebp or libjxl to the last bit.
  'bigtiff_webp_naip_rgba.tif': /WebP compression is not read/,
  'sparse_cog_20480.tif': /WebP compression is not read/,
  'geostationary_goes_jpeg_mask.tif': /JPEG compression is not read/,
  'jpeg_ycbcr_subsampled.tif': /JPEG compression is not read/,
  'jpeg_12bit.tif': /JPEG compression is not read/,
  'jxl_tiled.tif': /JPEG XL compression is not read/,
  'lzma_tiled.tif': /LZMA compression is not read/,
  // Its first row is not its top row: every geotransform would be wrong.
  'orientation_6.tif': /orientation 6/,
  // Two numbers a pixel: no expression is defined over them.
  'complex_int16.tif': /complex samples/,
  // GDAL turns them into RGB; raw ink amounts are no bands that an expression could mean.
  'cmyk.tif': /photometric interpretation 5/,
};

/** Reads every band and overview of a file by GDAL, alone in its folder, so that no sidecar has a say. */
const DUMP = `
import json, os, shutil, sys
import numpy as np
from osgeo import gdal
gdal.PushErrorHandler('CPLQuietErrorHandler')
gdal.UseExceptions()
source, out, pixels = sys.argv[1], sys.argv[2], int(sys.argv[3])
for name in sorted(os.listdir(source)):
    if not name.endswith('.tif'): continue
    alone = os.path.join(out, name)
    os.makedirs(alone)
    path = shutil.copy(os.path.join(source, name), alone)
    report = {'levels': []}
    try:
        ds = gdal.Open(path)
        gt = ds.GetGeoTransform(can_return_null=True)
        report['geotransform'] = gt
        first = ds.GetRasterBand(1)
        report['nodata'] = None if first.GetNoDataValue() is None else str(first.GetNoDataValue())
        report['scale'] = [ds.GetRasterBand(b + 1).GetScale() for b in range(ds.RasterCount)]
        report['offset'] = [ds.GetRasterBand(b + 1).GetOffset() for b in range(ds.RasterCount)]
        for level in range(first.GetOverviewCount() + 1):
            pick = lambda b: ds.GetRasterBand(b) if level == 0 else ds.GetRasterBand(b).GetOverview(level - 1)
            size = [pick(1).XSize, pick(1).YSize]
            columns = min(size[0], pixels // size[1])
            for b in range(1, ds.RasterCount + 1):
                band = pick(b)
                values = band.ReadAsArray(0, 0, columns, size[1])
                mask = band.GetMaskBand().ReadAsArray(0, 0, columns, size[1])
                if ds.GetRasterBand(b).GetMetadataItem('PIXELTYPE', 'IMAGE_STRUCTURE') == 'SIGNEDBYTE':
                    values = values.view(np.int8)
                    mask = values != ds.GetRasterBand(b).GetNoDataValue()
                values = values.astype(np.float64)
                values[mask == 0] = np.nan
                values.tofile(os.path.join(alone, '%d.%d.f64' % (level, b)))
            report['levels'].append(size + [ds.RasterCount])
    except RuntimeError as error:
        report['error'] = str(error)
    json.dump(report, open(os.path.join(alone, 'report.json'), 'w'))
`;

interface Report {
  readonly error?: string;
  readonly geotransform: readonly number[] | null;
  readonly nodata: string | null;
  readonly scale: readonly (number | null)[];
  readonly offset: readonly (number | null)[];
  readonly levels: readonly (readonly [width: number, height: number, bands: number])[];
}

for (const folder of ['odd', 'scenes']) {
  describeWith(['shared data', 'GDAL'], `the rasters of ${folder}`, () => {
    const path = join(SHARED_DATA, folder);
    const names = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.tif')) : ['none'];
    const out = temporaryFolder();
    beforeAll(() => {
      execFileSync(GDAL_PYTHON, ['-c', DUMP, path, out.path, String(PIXELS)], { stdio: 'pipe' });
    }, 120_000);
    afterAll(() => out.remove());

    const readable = names.filter((name) => REFUSED[name] === undefined);
    const refused = names.filter((name) => REFUSED[name] !== undefined);

    test.each(readable)(
      '%s reads as GDAL reads it, pixel for pixel',
      async (name) => {
        const report: Report = JSON.parse(readFileSync(join(out.path, name, 'report.json'), 'utf8'));
        const source = await openSource(fileBytesReader(join(path, name)));
        const order = largestFirst(report);
        expect(shapeOf(source)).toEqual({
          error: undefined,
          levels: order.map((index) => report.levels[index]),
          scale: report.scale.map((scale) => scale ?? 1),
          offset: report.offset.map((offset) => offset ?? 0),
        });
        for (const [level, index] of order.entries()) {
          const files = bandsOf(source).map((band) => join(out.path, name, `${index}.${band}.f64`));
          expect({ level, differences: await compare(source, level, files) }).toEqual({ level, differences: [] });
        }
      },
      60_000,
    );

    test.each(readable)('%s lies where GDAL says, or is refused for want of a CRS or geotransform', async (name) => {
      const report: Report = JSON.parse(readFileSync(join(out.path, name, 'report.json'), 'utf8'));
      const grid = gridOf(await openSource(fileBytesReader(join(path, name))));
      const reason = report.geotransform === null ? /has no geotransform/ : /coordinate reference system|CRS|RPC/;
      const rightly = grid instanceof SourceError && reason.test(grid.message);
      expect(grid instanceof SourceError ? grid.message : grid.geotransform).toEqual(
        rightly ? grid.message : report.geotransform,
      );
    });

    if (refused.length > 0) {
      test.each(refused)('%s is refused for its listed reason', async (name) => {
        await expect(openSource(fileBytesReader(join(path, name)))).rejects.toThrow(REFUSED[name]);
      });
    }
  });
}

const bandsOf = (source: RasterSource): number[] => Array.from({ length: source.bandCount }, (_, index) => index + 1);

/** GDAL lists overviews as the file does; here they go from large to small. */
function largestFirst({ levels }: Report): number[] {
  return levels.map((_, index) => index).sort((a, b) => (levels[b]?.[0] ?? 0) - (levels[a]?.[0] ?? 0));
}

function shapeOf(source: RasterSource) {
  return {
    error: undefined,
    levels: source.levels.map(({ width, height }) => [width, height, source.bandCount]),
    scale: bandsOf(source).map((band) => source.scaleOf(band) ?? 1),
    offset: bandsOf(source).map((band) => source.offsetOf(band) ?? 0),
  };
}

function gridOf(source: RasterSource) {
  try {
    return source.grid();
  } catch (error) {
    if (error instanceof SourceError) return error;
    throw error;
  }
}

/** One line a band whose pixels are not those of its file of float64. */
async function compare(source: RasterSource, level: number, files: readonly string[]): Promise<string[]> {
  const { width, height } = source.levels[level] ?? source;
  const rect = { x: 0, y: 0, width: Math.min(width, Math.floor(PIXELS / height)), height };
  const pixels = await source.readWindow(bandsOf(source), rect, level);
  return pixels.flatMap((actual, index) => {
    const expected = new Float64Array(new Uint8Array(readFileSync(files[index] ?? '')).buffer);
    if (actual.length !== expected.length) return [`band ${index + 1}: ${actual.length} of ${expected.length} pixels`];
    const different = [...actual.keys()].filter((at) => !same(actual[at], expected[at]));
    const [first] = different;
    if (first === undefined) return [];
    return [`band ${index + 1}: ${different.length} differ, first ${first}: ${actual[first]}, not ${expected[first]}`];
  });
}

const same = (a: number | undefined, b: number | undefined): boolean => a === b || (Number.isNaN(a) && Number.isNaN(b));
