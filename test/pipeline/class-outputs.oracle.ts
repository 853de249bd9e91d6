import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { gdalPython } from '../support/gdal-python.ts';
import { describeWith } from '../support/requirements.ts';
import { type CommandRun, runCommand } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { problemsOfFiles } from './ndvi-comparison.ts';
import { sceneFile } from './ndvi-scenes.ts';

/** Sentinel-2's scene classification: uint8 classes, nodata 0. */
const SCL = sceneFile('s2_t29rkh_SCL.tif');
const METHODS = ['nearest', 'mode'] as const;

const COMPARE = `
import json, sys
import numpy as np
from osgeo import gdal
gdal.UseExceptions()
task = json.loads(sys.argv[1])
ours = gdal.Open(task['mosaic'])
x, dx, _, y, _, dy = ours.GetGeoTransform()
width, height = ours.RasterXSize, ours.RasterYSize
theirs = gdal.Warp('', task['source'], format='MEM', dstSRS='EPSG:3857', resampleAlg='near', errorThreshold=0, dstNodata=0,
                   outputBounds=[x, y + height * dy, x + width * dx, y], width=width, height=height)
band = ours.GetRasterBand(1)
levels = [band.ReadAsArray()] + [band.GetOverview(i).ReadAsArray() for i in range(band.GetOverviewCount())]
known = np.unique(gdal.Open(task['source']).ReadAsArray())
print(json.dumps({
    'differentShare': float(np.mean(levels[0] != theirs.ReadAsArray())),
    'levels': len(levels),
    'invented': [int(value) for level in levels for value in np.setdiff1d(level, np.append(known, 0))],
}))
`;

const Comparison = z.object({ differentShare: z.number(), levels: z.number(), invented: z.array(z.number()) });

jest.setTimeout(120_000);

describeWith(['shared data', 'GDAL'], 'a map of classes, warped', () => {
  const folder = temporaryFolder();
  const runs: CommandRun[] = [];
  beforeAll(async () => {
    for (const overviews of METHODS) {
      const place = join(folder.path, overviews);
      mkdirSync(place);
      const pipeline = {
        pipeline: 'classes',
        version: '1',
        bands: { scl: { band: 1 } },
        expression: 'scl',
        dtype: 'uint8',
        nodata: 0,
        resampling: 'nearest',
        dst_crs: 'EPSG:3857',
        tile_px: 128,
        grid: '2x2',
        ...(overviews === 'mode' ? { overviews } : {}),
      };
      runs.push(await runCommand(place, pipeline, SCL));
    }
  });
  afterAll(() => folder.remove());

  it.each(METHODS)("has gdalwarp's classes, and none of its own in any %s overview", async (overviews) => {
    const mosaic = runs[METHODS.indexOf(overviews)]?.mosaic;
    const found = Comparison.parse(await gdalPython(COMPARE, { mosaic, source: SCL }));
    expect(found.differentShare).toBeLessThanOrEqual(0.001);
    expect(found.levels).toBeGreaterThan(2);
    expect(found.invented).toEqual([]);
  });

  it('is written as tiles and a mosaic in which GDAL finds nothing wrong', async () => {
    const expected = METHODS.flatMap((overviews, index) => {
      const run = runs[index];
      return run === undefined ? [] : [{ run, overviews, nodata: 0, crs: 'EPSG:3857' }];
    });
    expect(await problemsOfFiles(expected)).toEqual([[], []]);
  });
});
