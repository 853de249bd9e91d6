import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type CommandEnd, type Report, reportOf, tileonce } from './command.ts';
import { ledger } from './ledger.ts';
import { outputBytes, tileCount } from './outputs.ts';
import { demoScene, pipelineFile } from './scenes.ts';

const HOOK = join(process.cwd(), 'test', 'local', 'deadly-write.ts');
/** A message may be dead before anyone notices that it is suspect: once in company, then three times alone. */
const DEATHS = 4;

describe('a window that takes its process with it, every time', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const scene = join(folder.path, 'scene');
  const pipeline = pipelineFile(folder.path);
  const out = join(folder.path, 'deadly');
  const argsFor = (to: string): string[] => ['run', scene, '--pipeline', pipeline, '--out', to, '--json'];
  const ends: CommandEnd[] = [];
  let undisturbed: Report;

  beforeAll(async () => {
    await demoScene(scene, { size: 256 });
    undisturbed = reportOf(await tileonce(argsFor(join(folder.path, 'undisturbed'))));
    const deadly = { env: { DEADLY_KEY: '/0001_0001.tif' }, node: ['--import', HOOK] };
    while (ends.length <= DEATHS && ends.at(-1)?.code !== 1) ends.push(await tileonce(argsFor(out), deadly));
  }, 180_000);

  it('is given up in the end, by name of what happened, and the run ends with one line', () => {
    expect(ends.map(({ code }) => code)).toEqual([null, null, null, null, 1]);
    expect(ends.at(-1)?.stderr).toContain(
      '1 of 64 windows failed: its process died 3 times while nothing else was at work',
    );
    expect(ledger.deadLetters(out)).toBe(1);
  });

  it('costs no other window anything', () => {
    expect(ledger.rows(out, undisturbed.scene)).toBe(undisturbed.windows - 1);
    expect(tileCount(out)).toBe(undisturbed.written - 1);
  });

  it('is done by a run that has what it lacked', async () => {
    reportOf(await tileonce(argsFor(out)));
    expect(outputBytes(out)).toEqual(outputBytes(join(folder.path, 'undisturbed')));
    expect(ledger.deadLetters(out)).toBe(0);
  }, 60_000);
});
