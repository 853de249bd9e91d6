import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { describeWith } from '../support/requirements.ts';
import { type CommandRun, runCommand } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type NdviComparison, compareNdvi, problemsOfFiles } from './ndvi-comparison.ts';
import { NDVI_SCENES, ndviPipeline } from './ndvi-scenes.ts';

const RESAMPLINGS = ['nearest', 'bilinear', 'cubic', 'average'] as const;

jest.setTimeout(120_000);

describeWith(['shared data', 'GDAL'], 'NDVI of real scenes warped to EPSG:3857', () => {
  describe.each(NDVI_SCENES)('$name', (scene) => {
    const folder = temporaryFolder();
    const runs: { resampling: (typeof RESAMPLINGS)[number]; run: CommandRun }[] = [];
    let comparisons: NdviComparison[] = [];

    beforeAll(async () => {
      for (const resampling of RESAMPLINGS) {
        const place = join(folder.path, resampling);
        mkdirSync(place);
        // Windows of up to 1,024 px in blocks of 128: tiles with overviews of their own beside such that need none.
        const pipeline = ndviPipeline(scene, { dst_crs: 'EPSG:3857', resampling, tile_px: 128, grid: '2x2' });
        runs.push({ resampling, run: await runCommand(place, pipeline, scene.red.file) });
      }
      comparisons = await compareNdvi(scene, 'EPSG:3857', runs);
    });
    afterAll(() => folder.remove());

    it("lies on gdalwarp's grid", () => {
      for (const { grid, suggestion } of comparisons) {
        expect(grid.size).toEqual(suggestion.size);
        const pixel = suggestion.geotransform[1] ?? Number.NaN;
        for (const [index, term] of suggestion.geotransform.entries()) {
          expect(Math.abs((grid.geotransform[index] ?? Number.NaN) - term)).toBeLessThan(pixel * 1e-6);
        }
      }
    });

    it.each(RESAMPLINGS)("by %s is valid where gdalwarp's is", (resampling) => {
      expect(comparisons[RESAMPLINGS.indexOf(resampling)]?.maskShare).toBeLessThanOrEqual(0.0001);
    });

    it.each(['bilinear', 'cubic', 'average'] as const)("by %s is gdalwarp's to within 0.0005", (resampling) => {
      const comparison = comparisons[RESAMPLINGS.indexOf(resampling)];
      expect(comparison?.valid).toBeGreaterThan(0);
      expect(comparison?.p999).toBeLessThanOrEqual(0.0005);
      expect(comparison?.max).toBeLessThanOrEqual(0.002);
    });

    it('by nearest differs on at most one pixel in a thousand', () => {
      expect(comparisons[0]?.differentShare).toBeLessThanOrEqual(0.001);
    });

    it('is written as tiles and a mosaic in which GDAL finds nothing wrong', async () => {
      const found = await problemsOfFiles(
        runs.map(({ resampling, run }) => ({
          run,
          overviews: resampling === 'nearest' ? 'nearest' : 'average',
          nodata: 'nan',
          crs: 'EPSG:3857',
        })),
      );
      expect(found).toEqual(RESAMPLINGS.map(() => []));
    });
  });
});
