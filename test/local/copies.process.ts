import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type CommandEnd, type Report, reportOf, tileonce } from './command.ts';
import { ledger } from './ledger.ts';
import { outputBytes, temporaryFiles } from './outputs.ts';
import { demoScene, pipelineFile } from './scenes.ts';

describe('four copies of one run at once', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const scene = join(folder.path, 'scene');
  const pipeline = pipelineFile(folder.path);
  const run = (out: string): Promise<CommandEnd> =>
    tileonce(['run', scene, '--pipeline', pipeline, '--out', join(folder.path, out), '--json']);

  let alone: Report;
  let together: Report[];
  beforeAll(async () => {
    await demoScene(scene, { size: 320 });
    alone = reportOf(await run('alone'));
    together = (await Promise.all([run('shared'), run('shared'), run('shared'), run('shared')])).map(reportOf);
  }, 120_000);

  it('all succeed, and speak of the same scene', () => {
    for (const report of together) {
      const { scene: sceneJobId, windows, empty } = alone;
      expect(report).toMatchObject({ scene: sceneJobId, windows, empty });
      expect(report.written + report.alreadyPresent + report.empty).toBe(windows);
    }
  });

  it('write every window exactly once between them', () => {
    expect(together.reduce((sum, { written }) => sum + written, 0)).toBe(alone.written);
  });

  it('leave one set of outputs, byte for byte that of a run alone, and nothing else', () => {
    const out = join(folder.path, 'shared');
    expect(outputBytes(out)).toEqual(outputBytes(join(folder.path, 'alone')));
    expect(ledger.rows(out, alone.scene)).toBe(alone.windows);
    expect(ledger.deadLetters(out)).toBe(0);
    expect(ledger.claimed(out)).toBe(0);
    expect(temporaryFiles(out)).toEqual([]);
  });
});
