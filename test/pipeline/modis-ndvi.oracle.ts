import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { gdalPython } from '../support/gdal-python.ts';
import { describeWith } from '../support/requirements.ts';
import { type CommandRun, runCommand } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { problemsOfFiles } from './ndvi-comparison.ts';
import { MODIS, ndviPipeline, sceneFile } from './ndvi-scenes.ts';

/** NASA's product of the same bands: NDVI x 10,000, rounded; nodata -3000. */
const REFERENCE = sceneFile('modis_myd13a1_ndvi_reference.tif');

const COMPARE = `
import json, sys
import numpy as np
from osgeo import gdal
gdal.UseExceptions()
task = json.loads(sys.argv[1])
ours, theirs = gdal.Open(task['mosaic']), gdal.Open(task['reference'])
a, b = (ds.GetRasterBand(1).ReadAsArray().astype(float) for ds in (ours, theirs))
valid = b != theirs.GetRasterBand(1).GetNoDataValue()
print(json.dumps({
    'geotransforms': [ours.GetGeoTransform(), theirs.GetGeoTransform()],
    'valid': int(valid.sum()),
    'missing': int((np.isnan(a) & valid).sum()),
    'invented': int((~np.isnan(a) & ~valid).sum()),
    'max': float(np.nanmax(np.abs(a - b / 10000)[valid])),
}))
`;

const Comparison = z.object({
  geotransforms: z.tuple([z.array(z.number()), z.array(z.number())]),
  valid: z.number(),
  missing: z.number(),
  invented: z.number(),
  max: z.number(),
});

jest.setTimeout(120_000);

describeWith(['shared data', 'GDAL'], "NDVI of MODIS on its own sinusoidal grid, against NASA's own", () => {
  const folder = temporaryFolder();
  let run: CommandRun;
  beforeAll(async () => {
    run = await runCommand(folder.path, ndviPipeline(MODIS, { dst_crs: 'source', tile_px: 16 }), MODIS.red.file);
  });
  afterAll(() => folder.remove());

  it('is made of 400 windows', () => {
    expect(run).toMatchObject({ windows: 400, alreadyPresent: 0 });
    expect(run.written + run.empty).toBe(400);
    expect(run.tiles).toHaveLength(run.written);
  });

  it('misses no pixel, invents none, and is at most 1/10,000 away on each', async () => {
    const found = Comparison.parse(await gdalPython(COMPARE, { mosaic: run.mosaic, reference: REFERENCE }));
    expect(found).toMatchObject({ missing: 0, invented: 0 });
    expect(found.valid).toBeGreaterThan(140_000);
    expect(found.max).toBeLessThanOrEqual(0.0001);
    expect(found.geotransforms[0]).toEqual(found.geotransforms[1]);
  });

  it('is written as tiles and a mosaic in which GDAL finds nothing wrong', async () => {
    const expected = { run, overviews: 'average', nodata: 'nan', crs: REFERENCE } as const;
    expect(await problemsOfFiles([expected])).toEqual([[]]);
  });
});
