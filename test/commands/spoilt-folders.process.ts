import { readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { assemblyJobId, parseSceneJobId } from '../../lambda/identity/job-key.ts';
import { type CommandEnd, reportOf, tileonce } from '../local/command.ts';
import { outputBytes, outputFiles } from '../local/outputs.ts';
import { NDVI, pipelineFile } from '../local/scenes.ts';
import { finishedFolder } from './finished-folder.ts';

const NAME = 'T31UDQ_20260621T105031';

describe('an output folder that was spoilt', () => {
  const folder = finishedFolder();
  const { fresh, finished, scene } = folder;
  let id = '';
  beforeAll(() => {
    id = folder.id();
  });
  const verb = (name: string, out: string, ...args: string[]): Promise<CommandEnd> =>
    tileonce([name, ...args, '--out', out]);
  const itemOf = (out: string): string => join(out, 'scenes', id, 'item.json');
  const ledgerOf = (out: string): DatabaseSync => new DatabaseSync(join(out, '.tileonce', 'ledger.sqlite'));

  /** As if the assembly had been given up: its claim is gone, the plan is open, the message is with the dead letters. */
  const giveUpAssembly = (out: string): void => {
    const job = parseSceneJobId(id);
    const body = JSON.stringify({ v: 1, sceneJobId: id, location: '' });
    const database = ledgerOf(out);
    if (job !== null) database.prepare('DELETE FROM claims WHERE job_id = ?').run(assemblyJobId(job));
    database.exec("UPDATE plans SET state = 'OPEN'");
    const insert = `INSERT INTO dead_letters (queue, body, fingerprint, receive_count, reason, died_at)
      VALUES ('assemblies', ?, 'f', 3, 'the item is another', 1)`;
    database.prepare(insert).run(body);
    database.close();
  };

  it('by a ledger that was moved away loses nothing to gc, unless that is asked for', async () => {
    const out = fresh();
    renameSync(join(out, '.tileonce'), join(folder.path, 'moved'));
    const other = pipelineFile(folder.path, { ...NDVI, version: '7.0.0' }, 'other.json');
    reportOf(await tileonce(['run', scene, '--pipeline', other, '--out', out, '--json']));
    for (const key of outputFiles(out)) utimesSync(join(out, key), 0, 0);
    const before = outputBytes(out);
    const { code, stderr } = await verb('gc', out);
    const count = outputFiles(finished).length;
    expect([code, stderr]).toEqual([
      0,
      `${count} objects of 1 finished scenes that the ledger does not know are left: run them again, or remove them ` +
        `with --unknown-scenes\n${count} stray objects: ${count} of unknown scenes\n`,
    ]);
    expect(outputBytes(out)).toEqual(before);
    expect((await verb('verify', out)).stdout).toContain('of a finished scene that the ledger does not know');
    expect((await verb('gc', out, '--unknown-scenes')).stderr).toContain(`${count} removed`);
    expect(outputFiles(out)).toHaveLength(count);
  }, 90_000);

  it('in a tile and its item is told by name, and repaired byte for byte', async () => {
    const out = fresh();
    writeFileSync(itemOf(out), readFileSync(itemOf(out), 'utf8').replace('1.1.0', '1.0.0'));
    rmSync(join(out, outputFiles(out).find((key) => key.startsWith('tiles/')) ?? ''));
    const looked = await verb('verify', out);
    expect([looked.code, looked.stdout]).toEqual([1, expect.stringContaining('item.json: it is not the item')]);
    expect((await verb('verify', out, '--repair')).code).toBe(0);
    expect(outputBytes(out)).toEqual(outputBytes(finished));
  }, 90_000);

  it('in an item that stops its assembly: redrive and backfill exit 1 and say why, verify --repair gets it out', async () => {
    const out = fresh();
    writeFileSync(itemOf(out), '{}');
    giveUpAssembly(out);
    const redriven = await verb('redrive', out, '--all');
    expect([redriven.code, redriven.stderr]).toEqual([1, expect.stringMatching(/tileonce: \d+ failed again: .+\n$/)]);
    const filled = await verb('backfill', out, NAME, '--policy', 'skip');
    expect([filled.code, filled.stderr]).toEqual([1, expect.stringContaining(`${NAME} is STALLED: tileonce status`)]);
    const mended = await verb('verify', out, '--repair');
    expect([mended.code, mended.stdout]).toEqual([0, expect.stringContaining('has every row and is not assembled')]);
    expect(outputBytes(out)).toEqual(outputBytes(finished));
  }, 180_000);

  it('by a purge that was interrupted says in list, status and verify that it is to be run again', async () => {
    const out = fresh();
    const database = ledgerOf(out);
    database.exec("UPDATE plans SET state = 'PURGED'");
    database.close();
    const note = `PURGED, ${outputFiles(out).length} objects left: run purge again`;
    for (const name of ['list', 'status', 'verify']) expect((await verb(name, out)).stdout).toContain(note);
    expect((await verb('purge', out, NAME)).code).toBe(0);
    for (const name of ['list', 'status', 'verify']) expect((await verb(name, out)).stdout).not.toContain('left');
  }, 90_000);

  it('is asked in vain for a scene or a pipeline that it does not know: one line says which', async () => {
    const out = fresh();
    const wrong = await verb('redrive', out, '--scene', 'nope');
    expect([wrong.code, wrong.stderr.trim()]).toEqual([1, expect.stringMatching(/there is no scene nope[^\n]*$/)]);
    const other = await verb('find', out, NAME, '--made-by', 'nope');
    expect([other.code, other.stderr.trim()]).toEqual([1, expect.stringMatching(/by pipeline nope[^\n]*$/)]);
    const file = join(folder.path, 'missing.json');
    const planless = await verb('backfill', out, '--all', '--policy', 'new-key', '--pipeline', file);
    expect([planless.code === 0, planless.stderr.trim().split('\n').length]).toEqual([false, 1]);
  }, 60_000);
});
