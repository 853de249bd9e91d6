import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { describeWith } from '../support/requirements.ts';
import { type CommandRun, runCommand } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type GdalRaster, differences, pixelsOf, readRaster } from './gdal-raster.ts';
import { problemsOfFiles } from './ndvi-comparison.ts';
import { sceneFile } from './ndvi-scenes.ts';

const RED = sceneFile('l5_nbar_red_B30.tif');
const NIR = sceneFile('l5_nbar_nir_B40.tif');
const NODATA = -999;

/** A band's pixels, NaN where it has no data. */
const valuesOf = async (file: string): Promise<number[]> =>
  Array.from(pixelsOf(await readRaster(file), 1), (value) => (value === NODATA ? Number.NaN : value));

/** What an integer type stores: the nearest whole number, halves away from zero, inside its range and off its nodata value. */
const stored = (value: number, { low, high, nodata }: { low: number; high: number; nodata: number }): number => {
  if (!Number.isFinite(value)) return nodata;
  const rounded = Math.min(high, Math.max(low, Math.sign(value) * Math.round(Math.abs(value))));
  if (rounded !== nodata) return rounded + 0;
  return nodata === high ? nodata - 1 : nodata + 1;
};

/** Each with its expression in plain numbers; NaN: no data. */
const OUTPUTS = [
  {
    output: { name: 'ndvi', expression: '10000 * (nir - red) / (nir + red) + 10000', scale: '0.0001', offset: '-1' },
    value: (red: number, nir: number) => (10_000 * (nir - red)) / (nir + red) + 10_000,
  },
  {
    output: { name: 'half red', expression: 'red / 2 - 500.5', unit: '1' },
    value: (red: number) => red / 2 - 500.5,
  },
  {
    output: { name: 'bright', expression: 'nir * 40', scale: '0.5', unit: 'W/m^2/sr/um' },
    value: (_: number, nir: number) => nir * 40,
  },
];

const TYPES = [
  { dtype: 'uint16', gdal: 'UInt16', low: 0, high: 65_535, nodata: 65_535 },
  { dtype: 'int16', gdal: 'Int16', low: -32_768, high: 32_767, nodata: -32_768 },
  { dtype: 'uint8', gdal: 'Byte', low: 0, high: 255, nodata: 255 },
  { dtype: 'int8', gdal: 'Byte', low: -128, high: 127, nodata: -128 },
] as const;

jest.setTimeout(120_000);

describeWith(['shared data', 'GDAL'], 'a pipeline with three outputs', () => {
  describe.each(TYPES)('of $dtype', (type) => {
    const { dtype, gdal, nodata } = type;
    const folder = temporaryFolder();
    let run: CommandRun;
    let raster: GdalRaster;
    let red: readonly number[] = [];
    let nir: readonly number[] = [];

    beforeAll(async () => {
      const bands = { red: { suffix: 'red_B30.tif' }, nir: { suffix: 'nir_B40.tif' } };
      const pipeline = {
        pipeline: 'three',
        version: '1',
        bands,
        outputs: OUTPUTS.map(({ output }) => output),
        dtype,
        tile_px: 128,
        grid: '2x2',
      };
      run = await runCommand(folder.path, pipeline, RED);
      raster = await readRaster(run.mosaic);
      red = await valuesOf(RED);
      nir = await valuesOf(NIR);
    });
    afterAll(() => folder.remove());

    it('has the names, scales, offsets and units that the pipeline gives them, and one type and nodata', () => {
      const common = { type: gdal, nodata, signedByte: dtype === 'int8' };
      expect(raster.bands).toMatchObject([
        { ...common, name: 'ndvi', scale: 0.0001, offset: -1, unit: '' },
        { ...common, name: 'half red', unit: '1' },
        { ...common, name: 'bright', scale: 0.5, offset: 0, unit: 'W/m^2/sr/um' },
      ]);
      expect([raster.bands[1]?.scale ?? 1, raster.bands[1]?.offset ?? 0]).toEqual([1, 0]);
    });

    it('rounds halves away from zero, clamps to the type and keeps valid values off the nodata value', () => {
      const different = OUTPUTS.map(({ value }, index) => {
        const expected = red.map((r, i) => stored(value(r, nir[i] ?? Number.NaN), type));
        return differences(pixelsOf(raster, index + 1), expected);
      });
      expect(different).toEqual([0, 0, 0]);
    });

    // GDAL 3.6 has no signed 8-bit type: its masks and overviews take such pixels for unsigned ones.
    if (dtype !== 'int8') {
      it('is written as tiles and a mosaic in which GDAL finds nothing wrong', async () => {
        expect(await problemsOfFiles([{ run, overviews: 'average', nodata, crs: RED }])).toEqual([[]]);
      });
    }
  });
});
