import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { TileonceError } from '../../../lambda/errors.ts';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import { BytesReader } from '../../support/bytes-reader.ts';
import { describeWith, SHARED_DATA } from '../../support/requirements.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { compare } from '../warp/gdal.ts';
import type { RasterGrid } from '../../../lambda/raster/types.ts';
import type { ComputedWindow } from './computed-scene.ts';
import { computedScene } from './computed-scene.ts';
import { faultsOf } from './faults.ts';
import { makeReferences, referencePixels } from './gdal-reference.ts';
import type { ReferenceCase } from './gdal-reference.ts';
import { LOOSER, ONLY_ON_ITS_GRID, REFUSED } from './refusals.ts';

/** Of a larger output (pixels of all bands) every n-th window is compared. */
const MOST_PIXELS = 200_000;
/** Too large to be held whole by the oracle, and known without it: every block is left out, transparent throughout. */
const TRANSPARENT = ['sparse_cog_20480.tif'];

const OUTPUTS = [
  // By nearest: a turned raster is resampled to a grid whose rows run east.
  { title: 'on its own grid', crs: null, fields: { resampling: 'nearest' }, resampling: 'near' },
  { title: 'warped by nearest', crs: 'EPSG:3857', fields: { resampling: 'nearest' }, resampling: 'near' },
  { title: 'warped by bilinear', crs: 'EPSG:3857', fields: { resampling: 'bilinear' }, resampling: 'bilinear' },
] as const;
type Output = (typeof OUTPUTS)[number];

interface Computed {
  readonly grid: RasterGrid;
  readonly windows: readonly ComputedWindow[];
  readonly bandCount: number;
}
type Outcome = Computed | { readonly refusal: string };

jest.setTimeout(300_000);

/** Names of an index: its first column. */
function indexed(folder: string): readonly string[] {
  const index = join(SHARED_DATA, folder, 'INDEX.tsv');
  if (!existsSync(index)) return ['none'];
  const names = readFileSync(index, 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t')[0] ?? '');
  return names.filter((name) => name.endsWith('.tif'));
}

async function outcomeOf(folder: string, file: string, { crs, fields }: Output): Promise<Outcome> {
  try {
    const bytes = new Uint8Array(readFileSync(join(folder, file)));
    const { bandCount } = await openSource(new BytesReader(file, bytes));
    const settings = { dst_crs: crs ?? 'source', tile_px: 128, grid: '100x100', ...fields };
    const { plan, windows } = await computedScene(file, bytes, bandCount, settings, MOST_PIXELS);
    return { grid: plan.grid, windows, bandCount };
  } catch (error) {
    if (error instanceof TileonceError) return { refusal: error.oneLine };
    throw error;
  }
}

describeWith(['shared data', 'GDAL'], 'every band of every indexed raster, times one', () => {
  describe.each(['odd', 'scenes'])('%s', (name) => {
    const data = join(SHARED_DATA, name);
    const folder = temporaryFolder();
    const names = indexed(name);
    const outcomes = new Map<string, Outcome>();
    const caseOf = (file: string, { crs, resampling }: Output, { grid, windows }: Computed): ReferenceCase => ({
      file,
      crs,
      resampling,
      grid: { geotransform: grid.geotransform, width: grid.width, height: grid.height },
      windows: windows.map(({ rect }) => rect),
    });

    beforeAll(async () => {
      const cases: ReferenceCase[] = [];
      for (const file of names) {
        for (const output of OUTPUTS) {
          const outcome = await outcomeOf(data, file, output);
          outcomes.set(`${file} ${output.title}`, outcome);
          if ('windows' in outcome && !TRANSPARENT.includes(file)) cases.push(caseOf(file, output, outcome));
        }
      }
      makeReferences(data, folder.path, cases);
    });
    afterAll(() => folder.remove());

    describe.each(names)('%s', (file) => {
      test.each(OUTPUTS)('$title: is GDAL’s, pixel for pixel, or refused for its listed reason', (output) => {
        const outcome = outcomes.get(`${file} ${output.title}`) ?? { refusal: 'not computed' };
        const reason = REFUSED[file] ?? (output.crs === null ? undefined : ONLY_ON_ITS_GRID[file]);
        expect('refusal' in outcome ? outcome.refusal : 'read').toMatch(reason ?? /^read$/);
        expect('refusal' in outcome ? [] : differences(file, output, outcome)).toEqual([]);
      });
    });

    function differences(file: string, output: Output, computed: Computed): readonly object[] {
      const { windows, bandCount } = computed;
      if (TRANSPARENT.includes(file)) return windows.filter((window) => !isTransparent(window)).map(({ rect }) => rect);
      const found: object[] = [];
      for (let band = 1; band <= bandCount; band++) {
        const job = caseOf(file, output, computed);
        const expected = windows.map((_, index) => referencePixels(folder.path, job, index, band));
        const actual = windows.map(({ bands, rect }) => {
          const pixels = bands?.[band - 1];
          return pixels === undefined
            ? new Float64Array(rect.width * rect.height).fill(Number.NaN)
            : Float64Array.from(pixels);
        });
        const tolerance = (output.crs === null ? undefined : LOOSER[file]) ?? 1;
        const faults = faultsOf(compare(joined(actual), joined(expected)), output, tolerance);
        if (Object.keys(faults).length > 0) found.push({ band, ...faults });
      }
      return found;
    }
  });
});

/** Colours without data, and an alpha band that is 0, which is a value, as far as the file reaches. */
const isTransparent = ({ bands }: ComputedWindow): boolean =>
  bands?.every((pixels, index) => pixels.every((value) => Number.isNaN(value) || (index === 3 && value === 0))) ?? true;

function joined(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
