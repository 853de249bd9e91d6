import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { describeWith } from '../support/requirements.ts';
import { type CommandRun, runCommand } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type GdalRaster, differences, pixelsOf, readRaster } from './gdal-raster.ts';
import { problemsOfFiles } from './ndvi-comparison.ts';
import { sceneFile } from './ndvi-scenes.ts';

/** True colour, uint8, nodata 0, with clouds and a slanted edge of the orbit. */
const TCI = sceneFile('s2_t34_TCI.tif');

const PICTURE = {
  pipeline: 'picture',
  version: '1',
  bands: { red: { band: 1 }, green: { band: 2 }, blue: { band: 3 } },
  outputs: ['red', 'green', 'blue'].map((name) => ({ name, expression: name })),
  color: 'rgb',
  tile_px: 128,
  grid: '2x2',
};

jest.setTimeout(120_000);

describeWith(['shared data', 'GDAL'], 'a picture in true colour', () => {
  const folder = temporaryFolder();
  let run: CommandRun;
  let picture: GdalRaster;
  let source: GdalRaster;
  beforeAll(async () => {
    run = await runCommand(folder.path, PICTURE, TCI);
    picture = await readRaster(run.mosaic);
    source = await readRaster(TCI);
  });
  afterAll(() => folder.remove());

  it('has red, green, blue and alpha for GDAL, and no nodata value', () => {
    const common = { type: 'Byte', nodata: null };
    expect(picture.bands).toMatchObject([
      { ...common, name: 'red', color: 'Red' },
      { ...common, name: 'green', color: 'Green' },
      { ...common, name: 'blue', color: 'Blue' },
      { ...common, name: 'alpha', color: 'Alpha' },
    ]);
  });

  it("shows the source's colours where all three have data, and is transparent elsewhere", () => {
    const colours = [1, 2, 3].map((band) => pixelsOf(source, band));
    const whole = pixelsOf(source, 1).map((_, i) => (colours.every((band) => band[i] !== 0) ? 1 : 0));
    const expected = [
      ...colours.map((band) => band.map((value, i) => value * (whole[i] ?? 0))),
      whole.map((v) => v * 255),
    ];
    expect(expected.map((band, index) => differences(pixelsOf(picture, index + 1), band))).toEqual([0, 0, 0, 0]);
    expect(whole.some((value) => value === 0)).toBe(true);
  });

  it('is written as tiles and a mosaic in which GDAL finds nothing wrong', async () => {
    expect(await problemsOfFiles([{ run, overviews: 'average', nodata: null, crs: TCI }])).toEqual([[]]);
  });

  it('has overviews in tiles over 512 px, down to one block', async () => {
    const [first = ''] = run.tiles;
    expect((await readRaster(first)).levels).toEqual([1024, 512, 256, 128].map((side) => [side, side]));
  });

  it('would be found wrong with any other overviews, nodata or CRS', async () => {
    const [problems = []] = await problemsOfFiles([{ run, overviews: 'mode', nodata: 0, crs: 'EPSG:32633' }]);
    const mosaic = problems.filter((problem) => problem.startsWith('mosaic: ')).join('\n');
    expect(mosaic).toMatch(/its CRS is/);
    expect(mosaic).toMatch(/nodata is None, not 0/);
    expect(mosaic).toMatch(/pixels of overview 0 are not GDAL's mode/);
  });
});
