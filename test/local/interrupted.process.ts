import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type CommandEnd, type Report, reportOf, start, tileonce, until } from './command.ts';
import { ledger } from './ledger.ts';
import { outputBytes, temporaryFiles, tileCount } from './outputs.ts';
import { demoScene, pipelineFile } from './scenes.ts';

describe('a run that is asked to stop', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const scene = join(folder.path, 'scene');
  const pipeline = pipelineFile(folder.path);
  const argsFor = (to: string): string[] => ['run', scene, '--pipeline', pipeline, '--out', to, '--json'];

  let undisturbed: Report;
  beforeAll(async () => {
    await demoScene(scene, { size: 320 });
    undisturbed = reportOf(await tileonce(argsFor(join(folder.path, 'undisturbed'))));
  }, 90_000);

  describe.each(['SIGINT', 'SIGTERM'] as const)('by %s', (signal) => {
    const out = join(folder.path, signal);
    let stopped: CommandEnd;
    let stoppingMs: number;
    beforeAll(async () => {
      const running = start(argsFor(out));
      await until('some tiles', () => tileCount(out) >= 10);
      const asked = performance.now();
      running.kill(signal);
      stopped = await running.ended;
      stoppingMs = performance.now() - asked;
    }, 90_000);

    it('exits with 130 within seconds, and says that the next run goes on', () => {
      expect(stopped).toMatchObject({ code: 130, stdout: '' });
      expect(stoppingMs).toBeLessThan(5_000);
      const [, ...lines] = stopped.stderr.trim().split('\n');
      expect(lines).toEqual([expect.stringMatching(/^tileonce: stopping; the next run goes on from here/)]);
    });

    it('has given back its leases and messages, and left no half-written file', () => {
      expect(ledger.liveLeases(out)).toBe(0);
      expect(ledger.heldMessages(out)).toBe(0);
      expect(ledger.deadLetters(out)).toBe(0);
      expect(temporaryFiles(out)).toEqual([]);
      expect(tileCount(out)).toBeLessThan(undisturbed.written);
    });

    it('is finished by the next run, which does not do again what was done', async () => {
      const before = tileCount(out);
      const report = reportOf(await tileonce(argsFor(out)));
      expect(report).toMatchObject({ scene: undisturbed.scene, written: undisturbed.written - before });
      expect(outputBytes(out)).toEqual(outputBytes(join(folder.path, 'undisturbed')));
    }, 60_000);
  });
});
