import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { GeoTransform } from '../../../lambda/raster/types.ts';
import { extentOf } from '../../../lambda/raster/warp/geotransform.ts';
import { gdalPython } from '../../support/gdal-python.ts';
import { describeWith } from '../../support/requirements.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { compare } from '../warp/gdal.ts';
import type { Comparison } from '../warp/gdal.ts';
import type { ComputedWindow } from './computed-scene.ts';
import { computedScene } from './computed-scene.ts';
import { faultsOf } from './faults.ts';
import { makeReferences, referencePixels } from './gdal-reference.ts';
import type { ReferenceCase } from './gdal-reference.ts';

jest.setTimeout(300_000);

/** Written by GDAL: smooth floats of 60 x 50 px with holes. */
interface Source {
  readonly name: string;
  /** What GDAL understands as a CRS. */
  readonly crs: string;
  readonly geotransform: GeoTransform;
  readonly options?: readonly string[];
  readonly point?: boolean;
  /** EPSG codes to warp to. */
  readonly to: readonly string[];
}

const SOURCES: readonly Source[] = [
  {
    name: 'UTM across the antimeridian',
    crs: 'EPSG:32660',
    geotransform: [690_000, 600, 0, 5_600_000, 0, -600],
    to: ['EPSG:3857', 'EPSG:4326', 'EPSG:32601'],
  },
  {
    name: 'longitudes beyond 180',
    crs: 'EPSG:4326',
    geotransform: [176, 0.1, 0, 12, 0, -0.1],
    to: ['EPSG:3857', 'EPSG:32601'],
  },
  {
    name: 'the South Pole amid it',
    crs: 'EPSG:3031',
    geotransform: [-40_300, 1000, 0, 45_200, 0, -1000],
    to: ['EPSG:3976'],
  },
  {
    name: 'longitudes and latitudes up to the North Pole',
    crs: 'EPSG:4326',
    geotransform: [-20.13, 0.5, 0, 90, 0, -0.02],
    to: ['EPSG:3413'],
  },
  {
    name: 'south-up',
    crs: 'EPSG:32631',
    geotransform: [480_000, 30, 0, 5_100_000, 0, 30],
    to: ['EPSG:3857', 'EPSG:4326'],
  },
  {
    name: 'rotated',
    crs: 'EPSG:32631',
    geotransform: [480_000, 26, 15, 5_100_000, 15, -26],
    to: ['EPSG:3857', 'EPSG:3035'],
  },
  {
    name: 'sheared and mirrored',
    crs: 'EPSG:32631',
    geotransform: [480_000, -26, 4, 5_100_000, 9, -31],
    to: ['EPSG:3857'],
  },
  {
    name: 'PixelIsPoint',
    crs: 'EPSG:32631',
    geotransform: [480_000, 30, 0, 5_100_000, 0, -30],
    point: true,
    to: ['EPSG:3857'],
  },
  {
    name: 'US survey feet',
    crs: 'EPSG:2263',
    geotransform: [980_000, 100, 0, 210_000, 0, -100],
    to: ['EPSG:3857', 'EPSG:32618'],
  },
  {
    name: 'international feet',
    crs: 'EPSG:2222',
    geotransform: [700_000, 100, 0, 1_000_000, 0, -100],
    to: ['EPSG:3857'],
  },
  {
    name: 'a CRS by its geokeys alone',
    crs: '+proj=laea +lat_0=47.5 +lon_0=11.25 +x_0=12345 +y_0=-500 +datum=WGS84 +units=m',
    geotransform: [50_000, 100, 0, 20_000, 0, -100],
    to: ['EPSG:3857', 'EPSG:32632'],
  },
  {
    name: 'a conic CRS by its geokeys, in feet',
    crs: '+proj=lcc +lat_1=41 +lat_2=43.5 +lat_0=40 +lon_0=-71.5 +x_0=1000 +y_0=0 +datum=WGS84 +units=us-ft',
    geotransform: [50_000, 300, 0, 320_000, 0, -300],
    to: ['EPSG:3857'],
  },
  {
    name: 'a CRS by ESRI text',
    crs: '+proj=aea +lat_1=20 +lat_2=60 +lat_0=40 +lon_0=-96 +x_0=7 +y_0=0 +datum=WGS84 +units=m',
    geotransform: [50_000, 100, 0, 20_000, 0, -100],
    options: ['GEOTIFF_KEYS_FLAVOR=ESRI_PE'],
    to: ['EPSG:3857'],
  },
];

const MAKE = `
import json, sys
import numpy as np
from osgeo import gdal, osr
gdal.UseExceptions()
task = json.loads(sys.argv[1])
rows, columns = np.mgrid[0:50, 0:60]
pixels = 1000 + 300 * np.sin(columns / 7) + 200 * np.cos(rows / 5) + columns * 0.1 + rows * 0.2
pixels[np.hypot(columns - 20, rows - 35) < 7] = np.nan
pixels[(columns * 7 + rows * 13) % 101 == 0] = np.nan
for source in task['sources']:
    crs = osr.SpatialReference()
    crs.SetFromUserInput(source['crs'])
    ds = gdal.GetDriverByName('GTiff').Create(task['folder'] + '/' + source['name'], 60, 50, 1, gdal.GDT_Float32, source.get('options', []))
    ds.SetSpatialRef(crs)
    if source.get('point'): ds.SetMetadataItem('AREA_OR_POINT', 'Point')
    ds.SetGeoTransform(source['geotransform'])
    ds.GetRasterBand(1).SetNoDataValue(float('nan'))
    ds.GetRasterBand(1).WriteArray(pixels.astype(np.float32))
    ds = None
print('[]')
`;

const fileOf = (name: string, crs: string): string => `${name} to ${crs.replace(':', ' ')}.tif`;

/** Output pixels left free around a scene: more than a window of one block. */
const FREE = 40;

interface Made {
  readonly job: ReferenceCase;
  readonly windows: readonly ComputedWindow[];
}

describeWith(['GDAL'], 'a small source of an unusual kind', () => {
  const sources = temporaryFolder();
  const folder = temporaryFolder();
  const made = new Map<string, Made>();

  // Each by bilinear, which shows where every pixel lies; the first by nearest, too.
  const OUTPUTS = SOURCES.flatMap(({ name, to }) =>
    to.flatMap((crs, index) => {
      const resamplings = index === 0 ? (['bilinear', 'nearest'] as const) : (['bilinear'] as const);
      return resamplings.map((resampling) => ({ name, crs, resampling, file: fileOf(name, crs) }));
    }),
  );

  beforeAll(async () => {
    const named = SOURCES.flatMap((source) => source.to.map((crs) => ({ ...source, name: fileOf(source.name, crs) })));
    await gdalPython(MAKE, { folder: sources.path, sources: named });
    for (const { crs, resampling, file } of OUTPUTS) {
      const bytes = new Uint8Array(readFileSync(join(sources.path, file)));
      const common = { dst_crs: crs, resampling, tile_px: 32, grid: '200x200' };
      const suggested = await computedScene(file, bytes, 1, common, 1);
      const [left, bottom, right, top] = extentOf(suggested.plan.grid);
      const pixel = suggested.plan.grid.geotransform[1];
      const extent = [left - FREE * pixel, bottom - FREE * pixel, right + FREE * pixel, top + FREE * pixel];
      const { plan, windows } = await computedScene(file, bytes, 1, { ...common, extent, resolution: String(pixel) });
      const job: ReferenceCase = {
        file,
        crs,
        resampling: resampling === 'nearest' ? 'near' : 'bilinear',
        grid: plan.grid,
        windows: windows.map(({ rect }) => rect),
      };
      made.set(`${file} ${resampling}`, { job, windows });
    }
    makeReferences(
      sources.path,
      folder.path,
      [...made.values()].map(({ job }) => job),
    );
  });
  afterAll(() => {
    sources.remove();
    folder.remove();
  });

  const windowsOf = (file: string, resampling: string): readonly Compared[] => {
    const { job, windows } = made.get(`${file} ${resampling}`) ?? { job: null, windows: [] };
    return windows.map(({ rect, bands }, index) => ({
      rect,
      actual: bands?.[0] === undefined ? null : Float64Array.from(bands[0]),
      expected: job === null ? new Float64Array(0) : referencePixels(folder.path, job, index, 1),
    }));
  };

  describe.each(OUTPUTS)('$name, to $crs by $resampling', ({ file, resampling }) => {
    test('is gdalwarp’s, pixel for pixel', () => {
      const comparison = comparisonOf(windowsOf(file, resampling));
      expect(comparison.valid).toBeGreaterThan(1000);
      const output = { crs: 'any', resampling: resampling === 'nearest' ? ('near' as const) : resampling };
      expect(faultsOf(comparison, output)).toEqual({});
    });

    test('leaves the windows empty in which gdalwarp has nothing, and no other', () => {
      const all = windowsOf(file, resampling);
      const empty = all.filter(({ expected }) => expected.every((value) => Number.isNaN(value)));
      expect(empty.length).toBeGreaterThan(8);
      expect(all.filter(({ actual }) => actual === null).map(({ rect }) => rect)).toEqual(
        empty.map(({ rect }) => rect),
      );
    });
  });

  test.each(OUTPUTS.filter(({ resampling }) => resampling === 'bilinear'))(
    'would be found wrong a hundredth of a pixel to the side: $name, to $crs',
    ({ file }) => {
      const moved = windowsOf(file, 'bilinear').map(({ actual, ...window }) => ({
        ...window,
        actual: actual?.map((value, i) => value + ((actual[i + 1] ?? value) - value) / 100) ?? null,
      }));
      expect(Object.keys(faultsOf(comparisonOf(moved), { crs: 'any', resampling: 'bilinear' }))).toContain('p999');
    },
  );
});

/** One window as we have it, null where it is EMPTY, and as GDAL has it. */
interface Compared {
  readonly rect: ComputedWindow['rect'];
  readonly actual: Float64Array | null;
  readonly expected: Float64Array;
}

const comparisonOf = (windows: readonly Compared[]): Comparison =>
  compare(
    windows.flatMap(({ actual, expected }) => [...(actual ?? expected.map(() => NaN))]),
    windows.flatMap(({ expected }) => [...expected]),
  );
