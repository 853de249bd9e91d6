import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromFile } from 'geotiff';
import { z } from 'zod';
import { crsFromGeoKeys } from '../../../lambda/raster/crs/from-geokeys.ts';
import type { GeoTransform, RasterGrid, Resampling } from '../../../lambda/raster/types.ts';
import { extentOf } from '../../../lambda/raster/warp/geotransform.ts';
import { GDAL_PYTHON, SHARED_DATA } from '../../support/requirements.ts';

export const SCENES = join(SHARED_DATA, 'scenes');
export const ODD_FILES = join(SHARED_DATA, 'odd');

/** Runs a program with GDAL's Python bindings, the independent oracle, in a process of its own; what it prints. */
export const runPython = (script: string, ...args: string[]): string =>
  execFileSync(
    GDAL_PYTHON,
    ['-c', `from osgeo import gdal, osr\ngdal.UseExceptions()\nimport sys, json, numpy\n${script}`, ...args],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1 << 26,
    },
  );

const Header = z.object({
  width: z.number(),
  height: z.number(),
  bands: z.number(),
  geotransform: z.tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.number()]),
});

/** A file's grid: size and geotransform as GDAL reads them, CRS as we do. */
export const readGrid = async (file: string): Promise<{ grid: RasterGrid; bands: number }> => {
  const header = Header.parse(
    JSON.parse(
      runPython(
        'd = gdal.Open(sys.argv[1])\n' +
          'print(json.dumps(dict(width=d.RasterXSize, height=d.RasterYSize, bands=d.RasterCount, geotransform=d.GetGeoTransform())))',
        file,
      ),
    ),
  );
  const tiff = await fromFile(file);
  const { fileDirectory } = await tiff.getImage();
  const numbers = (tag: 'GeoKeyDirectory' | 'GeoDoubleParams'): number[] =>
    fileDirectory.hasTag(tag) ? Array.from(fileDirectory.getValue(tag) ?? []) : [];
  const ascii = fileDirectory.hasTag('GeoAsciiParams') ? (fileDirectory.getValue('GeoAsciiParams') ?? '') : '';
  const crs = crsFromGeoKeys(
    { directory: numbers('GeoKeyDirectory'), doubles: numbers('GeoDoubleParams'), ascii },
    file,
  );
  await tiff.close();
  const geotransform: GeoTransform = header.geotransform;
  return { grid: { crs, width: header.width, height: header.height, geotransform }, bands: header.bands };
};

const TO_FLOAT = `
def load(path, band):
    # A copy without the scene's overviews and masks, which must not take part.
    return gdal.Translate('/vsimem/in.tif', path, bandList=[band], outputType=gdal.GDT_Float32, maskBand='none')
def save(d, path):
    b = d.GetRasterBand(1)
    a = b.ReadAsArray().astype(numpy.float32)
    n = b.GetNoDataValue()
    if n is not None and n == n: a[a == numpy.float32(n)] = numpy.nan
    a.tofile(path)
`;

/** One band as float32 rows x cols, NaN where it has no data. */
export const readPixels = (file: string, band: number): Float32Array<ArrayBuffer> =>
  inFolder((folder) => {
    const raw = join(folder, 'pixels');
    runPython(`${TO_FLOAT}save(load(sys.argv[1], int(sys.argv[2])), sys.argv[3])`, file, String(band), raw);
    return floats(raw);
  });

/** \`gdalwarp -et 0\` of one band at full resolution onto a grid: float32 rows x cols, NaN where nothing was written. */
export const gdalWarp = (
  file: string,
  band: number,
  out: RasterGrid,
  resampling: Resampling,
): Float32Array<ArrayBuffer> =>
  inFolder((folder) => {
    const raw = join(folder, 'pixels');
    const options = {
      dstSRS: out.crs.code ?? out.crs.proj4,
      outputBounds: extentOf(out),
      width: out.width,
      height: out.height,
      resampleAlg: resampling === 'nearest' ? 'near' : resampling,
      errorThreshold: 0,
      dstNodata: 'nan',
      format: 'MEM',
    };
    runPython(
      `${TO_FLOAT}save(gdal.Warp('', load(sys.argv[1], int(sys.argv[2])), **json.loads(sys.argv[3])), sys.argv[4])`,
      file,
      String(band),
      JSON.stringify(options),
      raw,
    );
    return floats(raw);
  });

const inFolder = <T>(work: (folder: string) => T): T => {
  const folder = mkdtempSync(join(tmpdir(), 'warp-oracle-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const floats = (path: string): Float32Array<ArrayBuffer> => {
  const bytes = readFileSync(path);
  return new Float32Array(Uint8Array.from(bytes).buffer);
};

/** How two rasters of one size differ. */
export interface Comparison {
  /** Share of pixels valid in one and not in the other. */
  readonly maskShare: number;
  /** Share of pixels, valid in both, whose values differ at all. */
  readonly differentShare: number;
  /** Absolute differences over the pixels valid in both, relative to the standard deviation of the expected values. */
  readonly p999: number;
  readonly max: number;
  readonly valid: number;
}

export const compare = (actual: ArrayLike<number>, expected: ArrayLike<number>): Comparison => {
  let masks = 0;
  let different = 0;
  let sum = 0;
  let squares = 0;
  const differences = new Float64Array(expected.length);
  let valid = 0;
  const { abs } = Math;
  const size = expected.length;
  for (let i = 0; i < size; i++) {
    const a = actual[i] as number;
    const b = expected[i] as number;
    // NaN alone differs from itself.
    if (a !== a || b !== b) {
      if (a === a || b === b) masks++;
      continue;
    }
    if (a !== b) different++;
    sum += b;
    squares += b * b;
    differences[valid++] = abs(a - b);
  }
  const deviation = Math.sqrt(Math.max(squares / valid - (sum / valid) ** 2, 1e-12));
  const sorted = differences.subarray(0, valid).sort();
  return {
    maskShare: masks / expected.length,
    differentShare: different / valid,
    p999: (sorted[Math.floor(valid * 0.999)] ?? 0) / deviation,
    max: (sorted[valid - 1] ?? 0) / deviation,
    valid,
  };
};
