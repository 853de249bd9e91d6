import { copyFileSync, mkdirSync, readFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DemoFiles } from '../../bin/demo/scene-files.ts';
import { SHARED_DATA, describeWith } from '../support/requirements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type CommandEnd, failuresOf, reportOf, reportsOf, tileonce } from './command.ts';
import { faultsOf } from './faults.ts';
import { outputBytes, outputFiles } from './outputs.ts';
import { NDVI, demoScene, pipelineFile } from './scenes.ts';

/** One thing that is wrong: what is called (in the test's folder, with `--out out`), and what must be said of it. */
interface Fault {
  readonly args: readonly string[];
  readonly says: RegExp;
  /** 1 where it is left out; 2 is for a wrong call. */
  readonly code?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const file = (name: string): string[] => ['scene', '--pipeline', name];
const one = ['--expression', 'a', '--band', 'a=1'];

const FAULTS: Readonly<Record<string, Fault>> = {
  'a missing file': { args: ['gone.tif', ...one], says: /gone\.tif: no such file or folder: check the path/ },
  'a missing sibling': {
    args: ['half', '--pipeline', 'pipeline.json'],
    says: /missing in .*half: B08 \(.*_B08\.tif or .*_B08\.TIF\): put it there, or correct/,
  },
  'a folder without a scene': {
    args: ['empty', '--pipeline', 'pipeline.json'],
    says: /lies in empty: its bands are B04: \{scene\}_B04\.tif/,
  },
  'a file that is no band': {
    args: ['other.tif', '--pipeline', 'pipeline.json'],
    says: /other\.tif is no band of pipeline process-test: its bands are/,
  },
  'a file without a byte': { args: ['nothing.tif', ...one], says: /nothing\.tif: is empty .*: fetch it again;/ },
  'a JPEG 2000': {
    args: ['scene.jp2', ...one],
    says: /scene\.jp2: JPEG 2000 is not read: .*gdal_translate .*scene\.tif/,
  },
  'a band that the file has not': {
    args: ['half', '--expression', 'a', '--band', 'a=5'],
    says: /_B04\.tif: has 1 band\(s\), but .* a wants band 5: set "band"/,
  },
  'a source cut in the middle of its pixels': {
    args: ['cut', '--pipeline', 'pipeline.json'],
    says: /100 of 100 windows failed: window \d+,\d+: .*_B08\.tif: .*outside the file.*fetch it again/,
  },
  'a source with damaged pixels': {
    args: ['damaged', '--pipeline', 'pipeline.json'],
    says: /100 of 100 windows failed: window \d+,\d+: .*_B08\.tif: .*cannot be decoded.*fetch it again/,
  },
  'a typo in an expression': { args: file('typo.json'), says: /typo\.json:12:32: .*"B8": did you mean "B08"\?/ },
  'an unknown field': { args: file('field.json'), says: /field\.json:15:3: resamplin.*did you mean "resampling"\?/ },
  'broken JSON': { args: file('broken.json'), says: /broken\.json:2:24: a comma is expected/ },
  'an unknown CRS': { args: file('crs.json'), says: /crs\.json:13:14: .*EPSG:99999 is not an EPSG code: choose/ },
  'a pipeline that is not there': {
    args: file('gone.json'),
    says: /the pipeline gone\.json cannot be read: name a file, or a built-in/,
  },
  'a resolution far too fine': {
    args: file('fine.json'),
    says: /the output would be \d{9} x \d{9} px, in \d+ x \d+ windows .*: set a coarser "resolution" than 0\.00001/,
  },
  'a resolution in metres for degrees': {
    args: file('metres.json'),
    says: /1 x 1 px, one of which, 10 wide, is larger than the scene: .* degrees: give "resolution" in degrees/,
  },
  'a built-in pipeline that is none': {
    args: file('sentinel-ndvi'),
    says: /"sentinel-ndvi": did you mean "sentinel2-ndvi"\?/,
  },
  'an unknown name in --expression': {
    args: ['half', '--expression', 'a + b', '--band', 'a=1'],
    says: /:1:5: .*"b"/,
    code: 2,
  },
  'a --band that is nowhere': { args: ['half', '--expression', 'a', '--band', 'a'], says: /write red=3/, code: 2 },
  'an expression that leaves a band of a built-in pipeline unused': {
    args: ['half', '--pipeline', 'ndvi', '--expression', 'nir'],
    says: /does not use the band red: leave out --pipeline/,
    code: 2,
  },
  'no pipeline': { args: ['scene'], says: /no pipeline is named: use --pipeline/, code: 2 },
  'a pipeline file and --expression': {
    args: [...file('pipeline.json'), '--expression', 'B04'],
    says: /do not go with a pipeline file: write them into pipeline\.json/,
    code: 2,
  },
  'an unknown option': { args: ['scene', '--treads', '4'], says: /unknown option '--treads'.*--help/, code: 2 },
  'a number of workers that is none': { args: ['scene', '--workers', '0'], says: /--workers.*'0' is invalid/, code: 2 },
  'no scene': { args: ['--pipeline', 'pipeline.json'], says: /missing required argument 'scenes'/, code: 2 },
  'the claim gate switched off': {
    args: file('pipeline.json'),
    says: /POWERTOOLS_IDEMPOTENCY_DISABLED is set.*: unset it/,
    env: { POWERTOOLS_IDEMPOTENCY_DISABLED: '1' },
  },
};

describe('bad input', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const path = (...names: readonly string[]): string => join(folder.path, ...names);
  const out = path('out');
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandEnd> =>
    tileonce(['run', ...args, '--workers', '1', '--json'], { cwd: folder.path, env });

  beforeAll(async () => {
    const { red, nir } = await demoScene(path('scene'), { size: 320 });
    for (const name of ['half', 'cut', 'damaged', 'empty']) mkdirSync(path(name));
    copyFileSync(red, path('half', basename(red)));
    spoil('cut', { red, nir }, (copy, bytes) => truncateSync(copy, Math.floor(bytes.length * 0.6)));
    spoil('damaged', { red, nir }, (copy, bytes) => writeFileSync(copy, bytes.fill(0, Math.floor(bytes.length * 0.6))));
    for (const name of ['other.tif', 'scene.jp2']) writeFileSync(path(name), 'not looked at');
    writeFileSync(path('nothing.tif'), '');

    pipelineFile(folder.path);
    pipelineFile(folder.path, { ...NDVI, expression: '(B08 - B04) / B8' }, 'typo.json');
    pipelineFile(folder.path, { ...NDVI, resamplin: 'cubic' }, 'field.json');
    pipelineFile(folder.path, { ...NDVI, dst_crs: 'EPSG:99999' }, 'crs.json');
    pipelineFile(folder.path, { ...NDVI, dst_crs: 'EPSG:3857', resolution: '0.00001' }, 'fine.json');
    pipelineFile(folder.path, { ...NDVI, dst_crs: 'EPSG:4326', resolution: '10' }, 'metres.json');
    pipelineFile(folder.path, '{\n  "pipeline": "broken" "version": "1" }', 'broken.json');
  }, 30_000);

  const spoil = (to: string, { red, nir }: DemoFiles, how: (copy: string, bytes: Buffer) => void): void => {
    for (const from of [red, nir]) copyFileSync(from, path(to, basename(from)));
    how(path(to, basename(nir)), readFileSync(nir));
  };

  it.each(Object.entries(FAULTS))(
    '(%s) is one line that names the thing and the remedy',
    async (_name, { args, says, code = 1, env }) => {
      const end = await run([...args, '--out', 'out'], env);
      expect(faultsOf(end)).toEqual([expect.stringMatching(says)]);
      expect(end.code).toBe(code);
      expect(reportsOf(end)).toEqual([]);
      for (const error of failuresOf(end)) expect(error).toMatch(says);
    },
    30_000,
  );

  it('leaves nothing behind, and does not disturb a correct run', async () => {
    expect(outputFiles(out)).toEqual([]);
    reportOf(await run(['scene', '--pipeline', 'pipeline.json', '--out', 'out']));
    reportOf(await run(['scene', '--pipeline', 'pipeline.json', '--out', 'undisturbed']));
    expect(outputBytes(out)).toEqual(outputBytes(path('undisturbed')));
  }, 30_000);

  it('(one bad scene among good ones) fails alone', async () => {
    const end = await run(['scene', 'half', '--pipeline', 'pipeline.json', '--out', 'out']);
    expect(end.code).toBe(1);
    expect(reportsOf(end)).toHaveLength(1);
    expect(failuresOf(end)).toEqual([expect.stringMatching(/missing in .*half: B08/)]);
    expect(faultsOf(end)).toEqual([expect.stringMatching(/missing in .*half: B08/)]);
  }, 30_000);
});

describeWith(['shared data'], 'bad rasters of the world', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const out = join(folder.path, 'out');

  it('are refused in one line each, which names the file and says what to do', async () => {
    const bad = join(SHARED_DATA, 'bad');
    const files = readdirSync(bad).filter((name) => name.endsWith('.tif'));
    const end = await tileonce(['run', bad, ...one, '--out', out, '--json']);
    expect(end.code).toBe(1);
    const faults = faultsOf(end);
    expect(faults).toHaveLength(files.length);
    expect(failuresOf(end)).toHaveLength(files.length);
    expect(reportsOf(end)).toEqual([]);
    for (const name of files) {
      const fault = faults.find((line) => line.includes(`${name}: `));
      expect(fault).toMatch(/: (fetch|give|convert|warp|name|the file is damaged)[^:]*/);
    }
    // Of a file that is damaged in places the sound windows have tiles; no scene is finished.
    expect(outputFiles(out).filter((name) => !name.startsWith('tiles/'))).toEqual([]);
  }, 60_000);

  it('like bands in two systems under "dst_crs": "source"', async () => {
    const bands = { a: { suffix: '_B4.tif' }, b: { suffix: '_B4_epsg4326.tif' } };
    const pipeline = pipelineFile(folder.path, { ...NDVI, bands, expression: 'a - b' });
    const scene = join(SHARED_DATA, 'scenes', 'l8_elkton_red_B4.tif');
    const end = await tileonce(['run', scene, '--pipeline', pipeline, '--out', join(folder.path, 'none')]);
    expect(faultsOf(end)).toEqual([
      expect.stringMatching(/l8_elkton_red: .*EPSG:32617.*EPSG:4326.*: set "dst_crs" to an EPSG code/),
    ]);
    expect(end.code).toBe(1);
    expect(outputFiles(join(folder.path, 'none'))).toEqual([]);
  }, 30_000);
});
