import { existsSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Report, reportOf, tileonce, until } from './command.ts';
import { outputFiles, outputStates } from './outputs.ts';
import { demoScene, pipelineFile } from './scenes.ts';

describe('a second run', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const scene = join(folder.path, 'scene');
  const out = join(folder.path, 'out');
  const pipeline = pipelineFile(folder.path);
  const recorder = join(process.cwd(), 'test', 'local', 'record-reads.ts');

  /** Runs the scene's folder, and says which of its files were read. */
  const recorded = async (name: string): Promise<{ report: Report; read: Set<string> }> => {
    const record = join(folder.path, name);
    const end = await tileonce(['run', scene, '--pipeline', pipeline, '--out', out, '--json'], {
      node: ['--import', recorder],
      env: { RECORD_READS: record },
    });
    const lines = existsSync(record) ? readFileSync(record, 'utf8').split('\n') : [];
    return { report: reportOf(end), read: new Set(lines.filter((line) => line.startsWith(`${folder.path}/`))) };
  };

  let first: Awaited<ReturnType<typeof recorded>>;
  beforeAll(async () => {
    await demoScene(scene, { size: 320 });
    // What is known of a file that was written just now is not trusted, so its hash would not be remembered.
    const written = performance.now();
    await until('the scene to be at rest', () => performance.now() - written > 2_100);
    first = await recorded('first');
  }, 60_000);

  it('finds a first one that wrote every window with a pixel, and read both bands', () => {
    const { windows, written, alreadyPresent, empty } = first.report;
    expect({ windows, alreadyPresent }).toEqual({ windows: 100, alreadyPresent: 0 });
    expect(written).toBeGreaterThan(50);
    expect(written + empty).toBe(100);
    expect(outputFiles(out)).toHaveLength(written + 3);
    expect([...first.read].filter((path) => /_B0[48]\.tif$/.test(path))).toHaveLength(2);
  });

  it('writes nothing, reads nothing, and says so', async () => {
    const before = outputStates(out);
    const second = await recorded('second');
    const { scene: sceneJobId, windows, empty, mosaic, item } = first.report;
    expect(second.report).toEqual({
      scene: sceneJobId,
      windows,
      written: 0,
      alreadyPresent: windows - empty,
      empty,
      claimsRefused: 1,
      mosaic,
      item,
      seconds: expect.any(Number),
    });
    expect(outputStates(out)).toEqual(before);
    expect([...second.read].filter((path) => path.endsWith('.tif'))).toEqual([]);
  }, 30_000);

  it('of the same bytes under new times writes nothing either', async () => {
    const before = outputStates(out);
    await demoScene(join(folder.path, 'copy'), { size: 320 });
    const end = await tileonce(['run', join(folder.path, 'copy'), '--pipeline', pipeline, '--out', out, '--json']);
    expect(reportOf(end)).toMatchObject({ scene: first.report.scene, written: 0 });
    expect(outputStates(out)).toEqual(before);
  }, 30_000);

  it('with another expression lands beside the first', async () => {
    const before = outputStates(out);
    const end = await tileonce(
      ['run', scene, '--expression', 'B08 - B04', '--band', 'B04=_B04.tif', '--band', 'B08=_B08.tif'].concat([
        '--out',
        out,
        '--json',
      ]),
    );
    expect(reportOf(end).scene).not.toBe(first.report.scene);
    expect(outputStates(out)).toMatchObject(before);
  }, 30_000);

  it('that finds an output gone says so, names it and the remedy, and the remedy helps', async () => {
    const gone = join(out, 'scenes', first.report.scene, 'item.json');
    const tile = outputFiles(out).find((file) => file.startsWith(`tiles/${first.report.scene}`)) ?? '';
    const bytes = [gone, join(out, tile)].map((path) => readFileSync(path, 'hex'));
    for (const path of [gone, join(out, tile)]) unlinkSync(path);
    const args = ['run', scene, '--pipeline', pipeline, '--out', out, '--json'];
    const end = await tileonce(args);
    expect(end.code).toBe(1);
    expect(end.stderr).toMatch(/2 of its outputs are gone or cut .*tileonce verify [0-9a-f]{12} --repair --out/);
    await tileonce(['verify', first.report.scene, '--repair', '--out', out]);
    expect((await tileonce(args)).code).toBe(0);
    expect([gone, join(out, tile)].map((path) => readFileSync(path, 'hex'))).toEqual(bytes);
  }, 60_000);
});
