import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GeoTransform, PixelRect, RasterSize } from '../../../lambda/raster/types.ts';
import { GDAL_PYTHON } from '../../support/requirements.ts';

/** A file warped to a grid, of which some windows are kept. */
export interface ReferenceCase {
  readonly file: string;
  /** An EPSG code; null: the file's own system. */
  readonly crs: string | null;
  readonly resampling: 'near' | 'bilinear';
  readonly grid: RasterSize & { readonly geotransform: GeoTransform };
  /** px of the grid. */
  readonly windows: readonly PixelRect[];
}

/**
 * Bands one by one, as GDAL decodes them, scaled and offset; without data where its mask says so (nodata, internal
 * mask, alpha), then `gdalwarp -et 0`: in one piece, as how far a kernel reaches depends on what is warped at once, but
 * for outputs that are too large. Each file alone in its folder, so that no sidecar has a say.
 */
const REFERENCE = `
import json, os, shutil, sys
import numpy as np
from osgeo import gdal, osr
gdal.PushErrorHandler('CPLQuietErrorHandler')
gdal.UseExceptions()
folder, cases = sys.argv[1], json.load(open(sys.argv[2]))
def band_of(ds, number):
    band = ds.GetRasterBand(number)
    values, mask = band.ReadAsArray(), band.GetMaskBand().ReadAsArray()
    if band.GetMetadataItem('PIXELTYPE', 'IMAGE_STRUCTURE') == 'SIGNEDBYTE':
        values = values.view(np.int8)
        mask = values != band.GetNoDataValue()
    alpha = band.GetColorInterpretation() == gdal.GCI_AlphaBand
    wide = values.dtype in (np.float64, np.int32, np.uint32, np.int64, np.uint64)
    out = values.astype(np.float64)
    if not alpha: out[mask == 0] = np.nan
    scale, offset = band.GetScale(), band.GetOffset()
    if scale is not None or offset is not None: out = out * (1 if scale is None else scale) + (offset or 0)
    mem = gdal.GetDriverByName('MEM').Create('', ds.RasterXSize, ds.RasterYSize, 1, gdal.GDT_Float64 if wide else gdal.GDT_Float32)
    mem.SetGeoTransform(ds.GetGeoTransform())
    mem.SetSpatialRef(ds.GetSpatialRef())
    mem.GetRasterBand(1).WriteArray(out)
    mem.GetRasterBand(1).SetNoDataValue(float('nan'))
    return mem
for name, jobs in cases.items():
    alone = os.path.join(folder, name)
    os.makedirs(alone)
    ds = gdal.Open(shutil.copy(os.path.join(sys.argv[3], name), alone))
    for number in range(1, ds.RasterCount + 1):
        source = band_of(ds, number)
        for job in jobs:
            grid = job['grid']
            def warped(rect):
                x, a, _, y, _, d = grid['geotransform']
                left, top = x + a * rect['x'], y + d * rect['y']
                out = gdal.Warp('', source, format='MEM', errorThreshold=0, srcNodata='nan', dstNodata='nan', warpMemoryLimit=2000,
                    dstSRS=job['crs'] or source.GetSpatialRef().ExportToWkt(), resampleAlg=job['resampling'],
                    outputBounds=[left, top + d * rect['height'], left + a * rect['width'], top],
                    width=rect['width'], height=rect['height'])
                return out.GetRasterBand(1).ReadAsArray()
            small = grid['width'] * grid['height'] <= 8e6
            whole = warped({'x': 0, 'y': 0, **grid}) if small else None
            for index, rect in enumerate(job['windows']):
                x, y, width, height = rect['x'], rect['y'], rect['width'], rect['height']
                pixels = whole[y:y + height, x:x + width] if small else warped(rect)
                pixels.astype(np.float64).tofile(os.path.join(alone, '%s.%d.%d.f64' % (job['name'], index, number)))
`;

/** Has GDAL make all cases in one process; their pixels are read by `referencePixels`. */
export function makeReferences(data: string, folder: string, cases: readonly ReferenceCase[]): void {
  const byFile: Record<string, object[]> = {};
  for (const { file, ...job } of cases) (byFile[file] ??= []).push({ ...job, name: nameOf(job) });
  const list = join(folder, 'cases.json');
  writeFileSync(list, JSON.stringify(byFile));
  execFileSync(GDAL_PYTHON, ['-W', 'ignore', '-c', REFERENCE, folder, list, data], { stdio: 'pipe' });
}

/** One band of a window, from 1; rows x columns, NaN without data. */
export function referencePixels(
  folder: string,
  job: ReferenceCase,
  window: number,
  band: number,
): Float64Array<ArrayBuffer> {
  const path = join(folder, job.file, `${nameOf(job)}.${window}.${band}.f64`);
  return new Float64Array(new Uint8Array(readFileSync(path)).buffer);
}

const nameOf = ({ crs, resampling }: Pick<ReferenceCase, 'crs' | 'resampling'>): string =>
  `${crs === null ? 'source' : 'warped'}-${resampling}`;
