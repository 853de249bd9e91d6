import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RasterSource } from '../../lambda/raster/source/open-source.ts';
import { GDAL_PYTHON } from './requirements.ts';

/** Of a larger level only the left columns are compared, as many as make this many pixels. */
const PIXELS = 8_000_000;

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

/** Has GDAL read every TIFF of a folder, into a folder a file below `out`. */
export function dumpByGdal(folder: string, out: string): void {
  execFileSync(GDAL_PYTHON, ['-c', DUMP, folder, out, String(PIXELS)], { stdio: 'pipe' });
}

/** What GDAL said of one file of the dump. */
export function gdalReport(out: string, name: string): Report {
  const report: Report = JSON.parse(readFileSync(join(out, name, 'report.json'), 'utf8'));
  return report;
}

/**
 * How a source differs from GDAL's dump of it: levels, scales and offsets, and every pixel of every band and level.
 * One line a difference; none where they agree.
 */
export async function differencesFromGdal(source: RasterSource, out: string, name: string): Promise<string[]> {
  const report = gdalReport(out, name);
  const order = largestFirst(report);
  const ours = JSON.stringify(shapeOf(source));
  const theirs = JSON.stringify({
    error: report.error,
    levels: order.map((index) => report.levels[index]),
    scale: report.scale.map((scale) => scale ?? 1),
    offset: report.offset.map((offset) => offset ?? 0),
  });
  if (ours !== theirs) return [`${ours}, not ${theirs}`];
  const lines: string[] = [];
  for (const [level, index] of order.entries()) {
    const files = bandsOf(source).map((band) => join(out, name, `${index}.${band}.f64`));
    lines.push(...(await compare(source, level, files)).map((line) => `level ${level}, ${line}`));
  }
  return lines;
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
