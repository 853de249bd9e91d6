import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { z } from 'zod';
import type { GridDefinition } from '../../../lambda/pipeline/definition/pipeline.ts';
import { planOutputGrid } from '../../../lambda/raster/warp/plan-output-grid.ts';
import { describeWith } from '../../support/requirements.ts';
import { readGrid, runPython, SCENES } from './gdal.ts';

const Answer = z.object({ width: z.number(), height: z.number(), geotransform: z.array(z.number()) });

const gdalGrid = (file: string, options: Readonly<Record<string, unknown>>) =>
  Answer.parse(
    JSON.parse(
      runPython(
        "d = gdal.Warp('', sys.argv[1], format='VRT', **json.loads(sys.argv[2]))\n" +
          'print(json.dumps(dict(width=d.RasterXSize, height=d.RasterYSize, geotransform=d.GetGeoTransform())))',
        file,
        JSON.stringify(options),
      ),
    ),
  );

const scenes = (): string[] => readdirSync(SCENES).filter((name) => name.endsWith('.tif') && !name.startsWith('cop_'));

describeWith(['GDAL', 'shared data'], 'The output grid against gdalwarp', () => {
  it.each(scenes())(
    'is the same to a millionth of a pixel: %s',
    async (scene) => {
      const file = join(SCENES, scene);
      const { grid } = await readGrid(file);
      const cases: [string, GridDefinition, Readonly<Record<string, unknown>>][] = [
        ['EPSG:3857', { kind: 'suggested' }, {}],
        ['EPSG:4326', { kind: 'suggested' }, {}],
        ['EPSG:3035', { kind: 'suggested' }, {}],
        ['EPSG:32629', { kind: 'suggested' }, {}],
        ['EPSG:3857', { kind: 'resolution', resolution: 250, align: false }, { xRes: 250, yRes: 250 }],
        [
          'EPSG:3857',
          { kind: 'resolution', resolution: 60, align: true },
          { xRes: 60, yRes: 60, targetAlignedPixels: true },
        ],
      ];
      for (const [dstCrs, definition, options] of cases) {
        const ours = planOutputGrid([{ name: 'band', grid }], { dstCrs, grid: definition });
        const theirs = gdalGrid(file, { dstSRS: dstCrs, ...options });
        expect([ours.width, ours.height]).toEqual([theirs.width, theirs.height]);
        const pixel = theirs.geotransform[1] ?? Number.NaN;
        for (const [i, value] of ours.geotransform.entries()) {
          // A step's error counts as often as there are pixels.
          const weight = i === 1 || i === 5 ? Math.max(ours.width, ours.height) : 1;
          expect((Math.abs(value - (theirs.geotransform[i] ?? Number.NaN)) / pixel) * weight).toBeLessThan(1e-6);
        }
      }
    },
    60_000,
  );

  it('is the same for an extent, with a resolution and aligned or not', async () => {
    const file = join(SCENES, 's2_t29rkh_B04.tif');
    const { grid } = await readGrid(file);
    const extent = [-1300017, 2850011, -1250003, 2900007] as const;
    for (const align of [false, true]) {
      const ours = planOutputGrid([{ name: 'band', grid }], {
        dstCrs: 'EPSG:3857',
        grid: { kind: 'extent', extent, resolution: 110, align },
      });
      const theirs = gdalGrid(file, {
        dstSRS: 'EPSG:3857',
        outputBounds: extent,
        xRes: 110,
        yRes: 110,
        targetAlignedPixels: align,
      });
      expect({ width: ours.width, height: ours.height, geotransform: [...ours.geotransform] }).toEqual(theirs);
    }
  });
});
