import { copyFileSync, renameSync, statSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type CommandEnd, type Report, reportOf, reportsOf, start, tileonce, until } from './command.ts';
import { ledger } from './ledger.ts';
import { outputBytes, temporaryFiles, tileCount } from './outputs.ts';
import { NDVI, demoScene, pipelineFile } from './scenes.ts';

describe('a source that changes while it is read', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  // More source blocks than one, or a worker would have all of the pixels before they change.
  const pipeline = pipelineFile(folder.path, { ...NDVI, tile_px: 64 });
  const argsFor = (scene: string, to: string): string[] => {
    const [from, out] = [join(folder.path, scene), join(folder.path, to)];
    return ['run', from, '--pipeline', pipeline, '--out', out, '--json'];
  };

  let names: readonly string[];
  let undisturbed: Report;
  beforeAll(async () => {
    for (const scene of ['replaced', 'cut', 'touched', 'gone'])
      await demoScene(join(folder.path, scene), { size: 640, seed: 1 });
    const { red, nir } = await demoScene(join(folder.path, 'new'), { size: 640, seed: 2 });
    names = [red, nir].map((path) => basename(path));
    undisturbed = reportOf(await tileonce(argsFor('new', 'undisturbed')));
  }, 60_000);

  /** Runs a scene, and changes it once some of its tiles are there. */
  const changedInTheMiddle = async (scene: string, change: (name: string) => void): Promise<CommandEnd> => {
    const running = start(argsFor(scene, `${scene} out`));
    await until('some tiles', () => tileCount(join(folder.path, `${scene} out`)) >= 10);
    for (const name of names) change(name);
    return running.ended;
  };

  it('by files in its place: the scene is planned again, and is the new one to the last byte', async () => {
    const end = await changedInTheMiddle('replaced', (name) => {
      copyFileSync(join(folder.path, 'new', name), join(folder.path, `${name}.upload`));
      renameSync(join(folder.path, `${name}.upload`), join(folder.path, 'replaced', name));
    });
    const report = reportOf(end);
    expect(report).toMatchObject({ scene: undisturbed.scene, windows: 100, written: undisturbed.written });
    expect(end.stderr).toMatch(/it is no longer the file that was planned|it changed while it was read/);
    expect(end.stderr).toContain('planned again');

    const out = join(folder.path, 'replaced out');
    expect(outputBytes(out)).toMatchObject(outputBytes(join(folder.path, 'undisturbed')));
    expect(ledger.deadLetters(out)).toBe(0);
    expect(temporaryFiles(out)).toEqual([]);
  }, 60_000);

  it('but not in its bytes, touched or put there anew: goes on as if nothing had happened', async () => {
    const end = await changedInTheMiddle('touched', (name) => {
      const path = join(folder.path, 'touched', name);
      copyFileSync(path, join(folder.path, `${name}.same`));
      renameSync(join(folder.path, `${name}.same`), path);
    });
    const report = reportOf(end);
    expect(report.written + report.empty).toBe(100);
    expect(end.stderr).not.toContain('planned again');
  }, 60_000);

  it('by being gone for a moment: fails in one line that names the file, and a redrive finishes it', async () => {
    const [out, path] = [join(folder.path, 'gone out'), join(folder.path, 'gone', names[1] ?? '')];
    const end = await changedInTheMiddle('gone', (name) => {
      if (name === names[1]) renameSync(path, `${path}.away`);
    });
    // Whether windows fail or the scene is to be planned again is a matter of the moment; either way it is on record.
    expect([end.code, end.stderr]).toEqual([1, expect.stringMatching(/^tileonce: .*_B08\.tif/m)]);
    expect(ledger.deadLetters(out)).toBeGreaterThan(0);
    expect(ledger.messages(out)).toBe(0);
    expect((await tileonce(['status', '--out', out])).stdout).toMatch(/^ {2}\d+ in (scenes|tiles): .*_B08\.tif/m);

    renameSync(`${path}.away`, path);
    const redriven = await tileonce(['redrive', '--all', '--out', out, '--json']);
    expect(redriven.stdout).toMatch(/\{"replayed":\d+,"left":0\}/);
    const report = reportOf(await tileonce(argsFor('gone', 'gone out')));
    expect([report.written, ledger.deadLetters(out)]).toEqual([0, 0]);
    expect(report.alreadyPresent + report.empty).toBe(100);
  }, 120_000);

  it('by being cut short: fails in one line that names the file, and works once it is whole again', async () => {
    const end = await changedInTheMiddle('cut', (name) => {
      const path = join(folder.path, 'cut', name);
      truncateSync(path, Math.floor(statSync(path).size / 2));
    });
    expect(end.code).toBe(1);
    expect(reportsOf(end)).toEqual([]);
    const faults = end.stderr.split('\n').filter((line) => line.startsWith('tileonce: '));
    expect(faults).toEqual([expect.stringMatching(/\d+ of 100 windows failed: .*_B0[48]\.tif: .*fetch/)]);

    for (const name of names) copyFileSync(join(folder.path, 'new', name), join(folder.path, 'cut', name));
    const report = reportOf(await tileonce(argsFor('cut', 'cut out')));
    expect(report).toMatchObject({ scene: undisturbed.scene, written: undisturbed.written });
    expect(outputBytes(join(folder.path, 'cut out'))).toMatchObject(outputBytes(join(folder.path, 'undisturbed')));
  }, 120_000);
});
