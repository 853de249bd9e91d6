import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { GridDefinition } from '../../../lambda/pipeline/definition/pipeline.ts';
import { RESAMPLINGS } from '../../../lambda/raster/types.ts';
import type { FloatPixels, RasterGrid, Resampling } from '../../../lambda/raster/types.ts';
import { pixelMapping } from '../../../lambda/raster/warp/pixel-mapping.ts';
import { planOutputGrid } from '../../../lambda/raster/warp/plan-output-grid.ts';
import { planWarp } from '../../../lambda/raster/warp/warp.ts';
import { describeWith } from '../../support/requirements.ts';
import { compare, gdalWarp, ODD_FILES, readGrid, readPixels, SCENES } from './gdal.ts';
import type { Comparison } from './gdal.ts';
import { cut, onlyBand, wholeOf } from './grids.ts';

const SUGGESTED: GridDefinition = { kind: 'suggested' };

const ours = (source: RasterGrid, pixels: Float32Array<ArrayBuffer>, out: RasterGrid, resampling: Resampling) => {
  const plan = planWarp({ grid: source, levels: [source] }, out, wholeOf(out), resampling);
  if (plan === null) throw new Error('the output misses the source');
  return onlyBand(plan.run([cut(pixels, source.width, plan.sourceRect)]));
};

/**
 * GDAL 3.6 gives `average` a value where the footprint lies just outside the source; later versions do not. Pixels
 * that only GDAL has are taken out of its raster where they lie so.
 */
const withoutOutsiders = (
  expected: Float32Array<ArrayBuffer>,
  actual: FloatPixels,
  source: RasterGrid,
  out: RasterGrid,
) => {
  const mapping = pixelMapping(source, out);
  const outside = (i: number): boolean => {
    const u = i % out.width;
    const v = Math.floor(i / out.width);
    const a = mapping.at(u, v);
    const b = mapping.at(u + 1, v + 1);
    if (a === null || b === null) return true;
    const [left, right, top, bottom] = [Math.min(a.x, b.x), Math.max(a.x, b.x), Math.min(a.y, b.y), Math.max(a.y, b.y)];
    return right <= 0 || left >= source.width || bottom <= 0 || top >= source.height;
  };
  return expected.map((value, i) =>
    !Number.isNaN(value) && Number.isNaN(actual[i] ?? Number.NaN) && outside(i) ? Number.NaN : value,
  );
};

/** What differs from GDAL beyond the tolerances, by resampling. */
const againstGdal = async (
  file: string,
  dstCrs: string,
  definition: GridDefinition,
  resamplings: readonly Resampling[] = RESAMPLINGS,
): Promise<Partial<Record<Resampling, Partial<Comparison>>>> => {
  const { grid } = await readGrid(file);
  const out = planOutputGrid([{ name: 'band', grid }], { dstCrs, grid: definition });
  const pixels = readPixels(file, 1);
  const found: Partial<Record<Resampling, Partial<Comparison>>> = {};
  for (const resampling of resamplings) {
    const expected = gdalWarp(file, 1, out, resampling);
    const actual = ours(grid, pixels, out, resampling);
    const comparable = resampling === 'average' ? withoutOutsiders(expected, actual, grid, out) : expected;
    const beyond = faults(compare(actual, comparable), resampling);
    if (Object.keys(beyond).length > 0) found[resampling] = beyond;
  }
  return found;
};

/** What of a comparison is beyond the tolerances; values in standard deviations of the band. */
const faults = (comparison: Comparison, resampling: Resampling): Partial<Comparison> => {
  const average = resampling === 'average';
  const nearest = resampling === 'nearest';
  const { valid, maskShare, differentShare, p999, max } = comparison;
  return {
    ...(valid > 0 ? {} : { valid }),
    ...(maskShare <= 0.0001 ? {} : { maskShare }),
    ...(!nearest || differentShare <= 0.001 ? {} : { differentShare }),
    ...(nearest || p999 < (average ? 0.003 : 0.0005) ? {} : { p999 }),
    ...(nearest || max < (average ? 0.03 : 0.005) ? {} : { max }),
  };
};

const scenes = (): string[] => readdirSync(SCENES).filter((name) => name.endsWith('.tif') && !name.startsWith('cop_'));

describeWith(['GDAL', 'shared data'], 'A scene warped to EPSG:3857 against gdalwarp -et 0', () => {
  it.each(scenes())(
    'is the same by every resampling: %s',
    async (scene) => {
      expect(await againstGdal(join(SCENES, scene), 'EPSG:3857', SUGGESTED)).toEqual({});
    },
    120_000,
  );
});

describeWith(['GDAL', 'shared data'], 'Other outputs against gdalwarp -et 0', () => {
  const resolution = (value: number): GridDefinition => ({ kind: 'resolution', resolution: value, align: true });
  it.each<[string, string, GridDefinition, string]>([
    ['half the resolution', 's2_t29rkh_B04.tif', resolution(250), 'EPSG:3857'],
    ['a sixth of it', 'l7_etm_olinda_6band.tif', resolution(200), 'EPSG:3857'],
    ['a finer one', 'l7_etm_olinda_6band.tif', resolution(20), 'EPSG:3857'],
    ['a coarser sinusoidal scene, to longitudes and latitudes', 'modis_myd13a1_nir.tif', resolution(0.05), 'EPSG:4326'],
    ['another UTM zone', 'l5_nbar_red_B30.tif', SUGGESTED, 'EPSG:32754'],
    ['a turned and sheared view', 's2_t34_TCI.tif', SUGGESTED, 'EPSG:3035'],
  ])(
    '%s: %s',
    async (_, scene, definition, dstCrs) => {
      expect(await againstGdal(join(SCENES, scene), dstCrs, definition)).toEqual({});
    },
    120_000,
  );

  // Without average: GDAL drops its pixels whose footprint reaches more than two source pixels beyond the source.
  it('the South Pole', async () => {
    const file = join(SCENES, 'cop_dem90_s90_w164.tif');
    expect(await againstGdal(file, 'EPSG:3031', SUGGESTED, ['nearest', 'bilinear', 'cubic'])).toEqual({});
  }, 120_000);

  it.each<[string, GridDefinition, string]>([
    ['antimeridian_utm60.tif', resolution(500), 'EPSG:3857'],
    ['antimeridian_utm60.tif', resolution(0.005), 'EPSG:4326'],
    ['geostationary_goes_jpeg_mask.tif', resolution(0.5), 'EPSG:4326'],
    ['axis_south_west.tif', resolution(7), 'EPSG:3857'],
    ['rotated_modeltransformation.tif', resolution(0.00003), 'EPSG:4326'],
    ['esri_wkt_custom_albers.tif', resolution(0.00003), 'EPSG:4326'],
  ])(
    'an unusual source: %s',
    async (file, definition, dstCrs) => {
      const smooth = ['nearest', 'bilinear', 'cubic'] as const;
      expect(await againstGdal(join(ODD_FILES, file), dstCrs, definition, smooth)).toEqual({});
    },
    120_000,
  );

  it('a band of 20 m on the grid of one of 10 m, in one CRS', async () => {
    const { grid: fine } = await readGrid(join(SCENES, 's2_t29rkh_B04.tif'));
    const coarseFile = join(SCENES, 's2_t29rkh_B8A.tif');
    const { grid: coarse } = await readGrid(coarseFile);
    const pixels = readPixels(coarseFile, 1);
    for (const resampling of RESAMPLINGS) {
      const comparison = compare(ours(coarse, pixels, fine, resampling), gdalWarp(coarseFile, 1, fine, resampling));
      expect(faults(comparison, resampling)).toEqual({});
    }
  }, 60_000);
});
