import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { SHARED_DATA, describeWith } from '../support/requirements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Report, reportOf, reportsOf, tileonce } from './command.ts';
import { ledger } from './ledger.ts';
import { outputBytes } from './outputs.ts';
import { demoScene, pipelineFile } from './scenes.ts';

const itemSchema = z.object({
  id: z.string(),
  properties: z.object({ 'proj:code': z.string(), 'proj:shape': z.tuple([z.number(), z.number()]) }),
});
const itemOf = ({ item }: Report): z.output<typeof itemSchema> =>
  itemSchema.parse(JSON.parse(readFileSync(item, 'utf8')));

describe('several scenes in one run', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const at = (...names: readonly string[]): string => join(folder.path, ...names);
  const pipeline = pipelineFile(folder.path);
  const run = async (scenes: readonly string[], out: string) => {
    const end = await tileonce([
      'run',
      ...scenes,
      '--pipeline',
      pipeline,
      '--workers',
      '1',
      '--out',
      at(out),
      '--json',
    ]);
    return { code: end.code, reports: reportsOf(end), stderr: end.stderr };
  };

  let together: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    for (const [seed, scene] of ['first', 'year/second', 'year/third'].entries()) {
      await demoScene(at(scene), { size: 256, seed: seed + 1 });
    }
    const { nir } = await demoScene(at('named'), { size: 256, seed: 9 });
    together = await run([at('first'), at('year'), nir], 'together');
  }, 60_000);

  it('end with one line each, in the order in which they were asked for', () => {
    expect(together.code).toBe(0);
    expect(together.reports).toHaveLength(4);
    expect(new Set(together.reports.map(({ scene }) => scene)).size).toBe(4);
    for (const report of together.reports) {
      expect(report).toMatchObject({ windows: 64, alreadyPresent: 0 });
      expect(report.written + report.empty).toBe(64);
    }
  });

  it('share nothing: each is what it is in a run of its own', async () => {
    const [, second] = together.reports;
    const alone = await run([at('year', 'second')], 'alone');
    expect(alone.reports).toMatchObject([{ scene: second?.scene, written: second?.written }]);
    expect(outputBytes(at('together'))).toMatchObject(outputBytes(at('alone')));
    expect(ledger.deadLetters(at('together'))).toBe(0);
  }, 30_000);

  it('are one where one is asked for by folder, by both of its files and as a copy elsewhere', async () => {
    const { red, nir } = await demoScene(at('first'), { size: 256, seed: 1 });
    mkdirSync(at('copy'));
    for (const path of [red, nir]) copyFileSync(path, at('copy', basename(path)));
    const [first] = together.reports;
    const again = await run([red, nir, dirname(red), at('copy')], 'together');
    expect(again.code).toBe(0);
    expect(again.reports).toMatchObject([{ scene: first?.scene, written: 0 }]);
    expect(again.stderr).toContain(`in ${at('copy')} is the one in ${at('first')}: done once`);
  }, 30_000);

  it('are found beside their own outputs, which are no scenes', async () => {
    const out = at('first', 'out');
    const pipelineOfAll = ['--expression', 'a', '--band', 'a=1'];
    const args = ['run', at('first'), ...pipelineOfAll, '--workers', '1', '--out', out, '--json'];
    const before = reportsOf(await tileonce(args)).map(({ scene }) => scene);
    expect(before).toHaveLength(2);
    expect(reportsOf(await tileonce(args)).map(({ scene }) => scene)).toEqual(before);
  }, 30_000);
});

describeWith(['shared data'], 'real scenes of several bands in one file', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const run = async (file: string, options: readonly string[]): Promise<Report> =>
    reportOf(
      await tileonce(
        ['run', join(SHARED_DATA, 'scenes', file), ...options].concat('--out', join(folder.path, 'out'), '--json'),
      ),
    );

  it('take a built-in pipeline by its name', async () => {
    const report = await run('naip_va_rgbn.tif', ['--pipeline', 'ndvi']);
    expect(report.written).toBeGreaterThan(0);
    expect(itemOf(report)).toMatchObject({ id: expect.stringMatching(/^naip_va_rgbn-ndvi-/) });
  }, 30_000);

  it('take a built-in pipeline with their own bands', async () => {
    const bands = ['--band', 'red=3', '--band', 'nir=4'];
    const report = await run('l7_etm_olinda_6band.tif', ['--pipeline', 'ndvi', ...bands]);
    expect(report.written).toBeGreaterThan(0);
    expect(itemOf(report).properties['proj:code']).toBe('EPSG:31985');
  }, 30_000);

  it('take an expression without any pipeline file, and the same one is the same scene', async () => {
    const options = ['--expression', '(nir - red) / (nir + red)', '--band', 'red=3', '--band', 'nir=4'];
    const first = await run('l7_etm_olinda_6band.tif', options);
    const second = await run('l7_etm_olinda_6band.tif', options);
    expect(first.written).toBeGreaterThan(0);
    expect(second).toMatchObject({ scene: first.scene, written: 0, alreadyPresent: first.written });
  }, 30_000);
});
