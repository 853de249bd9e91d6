import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, jest } from '@jest/globals';
import { describeWith } from '../support/requirements.ts';
import { type CommandRun, runCommand } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { differences, pixelsOf, readRaster } from './gdal-raster.ts';
import { sceneFile } from './ndvi-scenes.ts';

/** Scenes, and ways to warp them, in which kernels stretch, overviews are read, and most windows are empty. */
const CASES = [
  { file: 'modis_myd13a1_red.tif', settings: { dst_crs: 'EPSG:3857', resampling: 'cubic' } },
  { file: 's2_t29rkh_B04.tif', settings: { dst_crs: 'EPSG:3857', resampling: 'bilinear', resolution: '400' } },
  { file: 'cop_dem90_s90_w164.tif', settings: { dst_crs: 'EPSG:3031', resampling: 'average' } },
] as const;

jest.setTimeout(120_000);

describeWith(['shared data', 'GDAL'], "a scene's pixels", () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  it.each(CASES)('do not depend on windows, blocks and codec: $file', async ({ file, settings }) => {
    const runWith = (name: string, layout: object): Promise<CommandRun> => {
      const place = join(folder.path, file, name);
      mkdirSync(place, { recursive: true });
      const common = { pipeline: 'band', version: '1', bands: { b: { band: 1, unscaled: true } }, expression: 'b' };
      return runCommand(place, { ...common, ...settings, ...layout }, sceneFile(file));
    };
    const whole = await runWith('whole', { grid: '1x1', tile_px: 512, compression: 'none' });
    const cut = await runWith('cut', { grid: '9x9', tile_px: 16, compression: 'zstd' });
    expect(whole.windows).toBe(1);
    expect(cut.windows).toBe(81);
    const [expected, actual] = [await readRaster(whole.mosaic), await readRaster(cut.mosaic)];
    expect(differences(pixelsOf(actual, 1), pixelsOf(expected, 1))).toBe(0);
  });
});
