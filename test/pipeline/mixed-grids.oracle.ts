import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { describeWith } from '../support/requirements.ts';
import { type CommandRun, runCommand } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type ClassMask, type NdviComparison, compareNdvi, problemsOfFiles } from './ndvi-comparison.ts';
import { type NdviScene, type SceneBand, ndviPipeline, sceneFile } from './ndvi-scenes.ts';

/** Red at 100 m, near infrared and classes at 200 m, all in one CRS. */
const SENTINEL: NdviScene = {
  name: 'sentinel-2',
  red: { file: sceneFile('s2_t29rkh_B04.tif'), fields: { suffix: 'B04.tif' } },
  nir: { file: sceneFile('s2_t29rkh_B8A.tif'), fields: { suffix: 'B8A.tif' } },
};
const SCL: SceneBand = { file: sceneFile('s2_t29rkh_SCL.tif'), fields: { suffix: 'SCL.tif', resampling: 'nearest' } };
const CLOUDS: ClassMask = { band: SCL, classes: [8, 9, 10] };

/** Red in longitudes and latitudes, near infrared in UTM. */
const ELKTON: NdviScene = {
  name: 'landsat 8',
  red: { file: sceneFile('l8_elkton_red_B4_epsg4326.tif'), fields: { suffix: 'red_B4_epsg4326.tif' } },
  nir: { file: sceneFile('l8_elkton_nir_B5.tif'), fields: { suffix: 'nir_B5.tif' } },
};

const CLEAR_SKY = {
  bands: { red: SENTINEL.red.fields, nir: SENTINEL.nir.fields, scl: SCL.fields },
  mask: 'scl >= 8 && scl <= 10',
};

const CASES = [
  { title: 'on the finest grid, clouds out', scene: SENTINEL, dstCrs: 'source', crs: SENTINEL.red.file, mask: CLOUDS },
  { title: 'warped, clouds out', scene: SENTINEL, dstCrs: 'EPSG:3857', crs: 'EPSG:3857', mask: CLOUDS },
  { title: 'bands in two CRSs, warped to a third', scene: ELKTON, dstCrs: 'EPSG:3857', crs: 'EPSG:3857', mask: null },
  { title: 'bands in two CRSs, to that of one', scene: ELKTON, dstCrs: 'EPSG:32617', crs: 'EPSG:32617', mask: null },
] as const;

const RESAMPLINGS = ['bilinear', 'cubic'] as const;

jest.setTimeout(120_000);

describeWith(['shared data', 'GDAL'], 'NDVI of bands that lie on different grids', () => {
  describe.each(CASES)('$scene.name, $title', ({ scene, dstCrs, crs, mask }) => {
    const folders = RESAMPLINGS.map(() => temporaryFolder());
    const runs: { resampling: string; run: CommandRun }[] = [];
    let comparisons: NdviComparison[] = [];

    beforeAll(async () => {
      for (const [index, resampling] of RESAMPLINGS.entries()) {
        const settings = { dst_crs: dstCrs, resampling, tile_px: 128, grid: '2x2' };
        const pipeline = ndviPipeline(scene, mask === null ? settings : { ...settings, ...CLEAR_SKY });
        runs.push({ resampling, run: await runCommand(folders[index]?.path ?? '', pipeline, scene.red.file) });
      }
      comparisons = await compareNdvi(scene, dstCrs === 'source' ? null : dstCrs, runs, mask);
    });
    afterAll(() => folders.forEach((folder) => folder.remove()));

    it.each(RESAMPLINGS)("by %s is gdalwarp's, each band by its own transform", (resampling) => {
      const comparison = comparisons[RESAMPLINGS.indexOf(resampling)];
      expect(comparison?.valid).toBeGreaterThan(0);
      expect(comparison?.maskShare).toBeLessThanOrEqual(0.0001);
      expect(comparison?.p999).toBeLessThanOrEqual(0.0005);
      expect(comparison?.max).toBeLessThanOrEqual(0.002);
    });

    if (scene === SENTINEL) {
      it("lies on the finest band's grid", () => {
        for (const { grid, suggestion } of comparisons) {
          expect(grid.size).toEqual(suggestion.size);
          for (const [index, term] of suggestion.geotransform.entries()) {
            expect(grid.geotransform[index]).toBeCloseTo(term, 5);
          }
        }
      });
    }

    it('is written as tiles and a mosaic in which GDAL finds nothing wrong', async () => {
      const found = await problemsOfFiles(runs.map(({ run }) => ({ run, overviews: 'average', nodata: 'nan', crs })));
      expect(found).toEqual(RESAMPLINGS.map(() => []));
    });
  });
});
