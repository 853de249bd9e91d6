import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type CommandEnd, type Report, reportOf, start, tileonce, until } from './command.ts';
import { ledger } from './ledger.ts';
import { outputBytes, temporaryFiles, tileCount } from './outputs.ts';
import { seeded } from './random.ts';
import { demoScene, pipelineFile } from './scenes.ts';

/** A lease that nobody lapses lasts this long, ms: a run that waits for one takes longer. */
const LEASE_MS = 60_000;

describe('a run that is killed (SIGKILL) five times', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const scene = join(folder.path, 'scene');
  const pipeline = pipelineFile(folder.path);
  const out = join(folder.path, 'killed');
  const argsFor = (to: string): string[] => ['run', scene, '--pipeline', pipeline, '--out', to, '--json'];

  let undisturbed: Report;
  let finishing: CommandEnd;
  beforeAll(async () => {
    await demoScene(scene, { size: 320 });
    undisturbed = reportOf(await tileonce(argsFor(join(folder.path, 'undisturbed'))));
    const random = seeded(20_260_621);
    // Four kills somewhere among the tiles, and one after the last, where the assembly is.
    const moments = [
      ...Array.from({ length: 4 }, () => Math.floor(random() * undisturbed.written)),
      undisturbed.written,
    ];
    for (const tiles of moments.toSorted((a, b) => a - b)) {
      const victim = start(argsFor(out));
      await until(`${tiles} tiles`, () => !victim.running() || (ledger.exists(out) && tileCount(out) >= tiles));
      const later = performance.now() + random() * 40;
      await until('the moment', () => performance.now() >= later);
      victim.kill('SIGKILL');
      if ((await victim.ended).code !== null)
        throw new Error(`the run ended before ${tiles} tiles: nothing was killed`);
    }
    finishing = await tileonce(argsFor(out));
  }, 180_000);

  it('is finished by the next run at once, without waiting for a lease', () => {
    const { windows, empty } = undisturbed;
    const report = reportOf(finishing);
    expect(report).toMatchObject({ scene: undisturbed.scene, windows, empty });
    expect(report.written + report.alreadyPresent + report.empty).toBe(windows);
    expect(report.seconds).toBeLessThan(LEASE_MS / 2000);
  });

  it('ends with every byte as an undisturbed run has it', () => {
    expect(outputBytes(out)).toEqual(outputBytes(join(folder.path, 'undisturbed')));
  });

  it('leaves one row a window, no dead letter, no lease and no temporary file', () => {
    expect(ledger.rows(out, undisturbed.scene)).toBe(undisturbed.windows);
    expect(ledger.deadLetters(out)).toBe(0);
    expect(ledger.heldMessages(out)).toBe(0);
    expect(ledger.claimed(out)).toBe(0);
    expect(temporaryFiles(out)).toEqual([]);
  });
});
