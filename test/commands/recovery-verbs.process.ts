import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandEnd, commandLine, reportOf, start, tileonce, until, watch } from '../local/command.ts';
import { outputBytes, outputFiles, outputStates, tileCount } from '../local/outputs.ts';
import { NDVI, demoScene, pipelineFile } from '../local/scenes.ts';
import { finishedFolder } from './finished-folder.ts';

const NAME = 'T31UDQ_20260621T105031';

/** What a verb says with --json: the last line of stdout. */
const answerOf = ({ stdout, stderr, code }: CommandEnd, wanted = 0): unknown => {
  if (code !== wanted) throw new Error(`exit ${code}: ${stdout}${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
};

/** Every file of a folder, its ledger's too: time of change, permissions left out, and bytes. */
const folderStates = (out: string): string[] =>
  readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
      const { mtimeNs, ino } = statSync(path, { bigint: true });
      return `${path} ${mtimeNs} ${ino} ${hash}`;
    })
    .toSorted();

/** Runs a verb while nothing in the folder may be written to by whoever runs it. */
const asReader = async (out: string, args: readonly string[]): Promise<CommandEnd> => {
  const paths = [out, ...readdirSync(out, { recursive: true }).map((name) => join(out, String(name)))];
  const allow = (bits: { folder: number; file: number }): void => {
    for (const path of paths) chmodSync(path, statSync(path).isDirectory() ? bits.folder : bits.file);
  };
  allow({ folder: 0o500, file: 0o400 });
  // Root may write anywhere; without its capabilities it is a user like any other.
  const [program = '', ...rest] = [
    ...(process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all'] : []),
    ...commandLine([...args, '--out', out]),
  ];
  try {
    return await watch(spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] })).ended;
  } finally {
    allow({ folder: 0o700, file: 0o600 });
  }
};

describe('on an output folder', () => {
  const folder = finishedFolder();
  const { fresh, finished, scene, pipeline } = folder;
  let id = '';
  beforeAll(() => {
    id = folder.id();
  });
  const verb = (name: string, out: string, ...args: string[]): Promise<CommandEnd> =>
    tileonce([name, ...args, '--out', out, '--json']);
  const tileOf = (out: string): string => outputFiles(out).find((key) => key.startsWith('tiles/')) ?? '';

  it('status, list and find tell of the scene, and change nothing', async () => {
    const out = fresh();
    const before = outputStates(out);
    expect(answerOf(await verb('status', out))).toMatchObject({
      states: { COMPLETE: 1, RUNNING: 0 },
      deadLetters: { scenes: 0, tiles: 0, assemblies: 0 },
      scenes: [{ scene: id, state: 'COMPLETE', windows: 36, rows: 36 }],
    });
    const { stdout } = await tileonce(['status', id.slice(0, 8), '--out', out]);
    expect(stdout).toMatch(/^[#.]{6}$/m);
    expect(answerOf(await verb('list', out))).toMatchObject({ scene: id, state: 'COMPLETE', name: NAME, rows: 36 });
    expect(answerOf(await verb('find', out, NAME))).toMatchObject({ mosaic: join(out, 'scenes', id, 'scene.tif') });
    expect((await verb('find', out, 'nobody')).code).toBe(1);
    expect(outputStates(out)).toEqual(before);
  }, 60_000);

  it.each([
    [['status']],
    [['list']],
    [['find', NAME]],
    [['redrive']],
    [['redrive', '--all', '--dry-run']],
    [['verify']],
    [['verify', '--repair', '--dry-run']],
    [['gc', '--dry-run']],
    [['purge', NAME, '--dry-run']],
    [['backfill', '--all', '--policy', 'overwrite', '--dry-run']],
  ])(
    '%j answers for a user who may not write to the folder, and leaves every file of it as it was, the ledger too',
    async ([name = '', ...args]) => {
      const out = fresh();
      const before = folderStates(out);
      const writable = await verb(name, out, ...args);
      expect(folderStates(out)).toEqual(before);
      const locked = await asReader(out, [name, ...args, '--json']);
      expect([locked.code, locked.stderr, locked.stdout]).toEqual([0, writable.stderr, writable.stdout]);
      expect(folderStates(out)).toEqual(before);
    },
    60_000,
  );

  it('status after kill -9 reads what the process left, and calls its leases nobody’s', async () => {
    const [large, out] = [join(folder.path, 'large'), join(folder.path, 'killed out')];
    await demoScene(large, { size: 640 });
    const running = start(['run', large, '--pipeline', pipeline, '--out', out]);
    await until('some tiles', () => tileCount(out) >= 5);
    running.kill('SIGKILL');
    await running.ended;
    const before = folderStates(out);
    for (const end of [await asReader(out, ['status', '--json']), await verb('status', out)]) {
      expect(answerOf(end)).toMatchObject({
        states: { RUNNING: 1 },
        oldestLease: null,
        scenes: [{ counts: { running: 0 } }],
      });
    }
    // The log's index is shared memory: SQLite's readers note there what they read.
    const unshared = (states: readonly string[]): string[] => states.filter((state) => !state.includes('-shm '));
    expect(unshared(folderStates(out))).toEqual(unshared(before));
  }, 60_000);

  it('verify finds nothing in a finished folder and changes nothing', async () => {
    const out = fresh();
    const before = outputStates(out);
    expect(answerOf(await verb('verify', out))).toEqual({ scenes: 1, findings: [], repairs: [], left: [] });
    expect(outputStates(out)).toEqual(before);
  }, 60_000);

  it('verify finds a claim of finished work that is gone, without doing the work', async () => {
    const out = fresh();
    const database = new DatabaseSync(join(out, '.tileonce', 'ledger.sqlite'));
    database.exec('DELETE FROM claims');
    database.close();
    const before = folderStates(out);
    expect(answerOf(await verb('verify', out), 1)).toMatchObject({ findings: [{ kind: 'replay', sceneJobId: id }] });
    expect(folderStates(out)).toEqual(before);
  }, 60_000);

  it('verify finds a tile that is gone and one that was changed, exits 1, and repairs both byte for byte', async () => {
    const out = fresh();
    const [first = '', second = ''] = outputFiles(out).filter((key) => key.startsWith('tiles/'));
    rmSync(join(out, first));
    writeFileSync(join(out, second), 'spoilt');
    const kinds = expect.arrayContaining([
      expect.objectContaining({ kind: 'object-gone' }),
      expect.objectContaining({ kind: 'object-differs' }),
    ]);
    expect(answerOf(await verb('verify', out), 1)).toMatchObject({ findings: kinds, repairs: [], left: kinds });
    const { code, stdout, stderr } = await tileonce(['verify', '--repair', '--dry-run', '--out', out]);
    expect([code, stderr]).toEqual([
      1,
      '2 finding(s): would send 2 window(s) again and assemble 1 scene(s) again, 0 would be left; nothing was changed\n',
    ]);
    expect(stdout.match(/: would purge window \d{4}_\d{4} and send it again$/gm)).toHaveLength(2);
    expect(existsSync(join(out, first))).toBe(false);
    // Mended, and clean at a second look: that is a success.
    expect(answerOf(await verb('verify', out, '--repair'))).toMatchObject({
      findings: kinds,
      repairs: [{ scene: id }],
      left: [],
    });
    expect(answerOf(await verb('verify', out))).toMatchObject({ findings: [] });
    expect(outputBytes(out)).toEqual(outputBytes(finished));
  }, 90_000);

  it('verify --repair exits 1 where something is left that it does not mend: a stray is the affair of gc', async () => {
    const out = fresh();
    rmSync(join(out, tileOf(out)));
    const stray = `tiles/${'ab'.repeat(32)}/0000_0000.tif`;
    cpSync(join(out, 'scenes', id, 'scene.tif'), join(out, stray));
    const repaired = answerOf(await verb('verify', out, '--repair'), 1);
    expect(repaired).toMatchObject({ repairs: [{ scene: id }], left: [{ kind: 'stray' }] });
  }, 60_000);

  it('gc removes an old object that no row owns, and nothing else', async () => {
    const out = fresh();
    const stray = `tiles/${'ab'.repeat(32)}/0000_0000.tif`;
    cpSync(join(out, tileOf(out)), join(out, stray));
    expect(answerOf(await verb('gc', out))).toMatchObject({ strays: 1, young: 1, removed: 0 });
    utimesSync(join(out, stray), 0, 0);
    expect(answerOf(await verb('gc', out, '--dry-run'))).toMatchObject({ strays: 1, removed: 0 });
    expect(answerOf(await verb('gc', out))).toMatchObject({ strays: 1, removed: 1 });
    expect(outputBytes(out)).toEqual(outputBytes(finished));
  }, 60_000);

  it('purge removes the scene, and a run makes it again byte for byte', async () => {
    const out = fresh();
    expect(answerOf(await verb('purge', out, id.slice(0, 12), '--dry-run'))).toMatchObject({ rows: 36 });
    expect(outputBytes(out)).toEqual(outputBytes(finished));
    expect(answerOf(await verb('purge', out, id.slice(0, 12)))).toMatchObject({ scene: id, rows: 36 });
    expect(outputFiles(out)).toEqual([]);
    expect(answerOf(await verb('status', out))).toMatchObject({ states: { PURGED: 1, COMPLETE: 0 } });
    reportOf(await tileonce(['run', scene, '--pipeline', pipeline, '--out', out, '--json']));
    expect(outputBytes(out)).toEqual(outputBytes(finished));
  }, 90_000);

  it('redrive shows a dead letter by its cause, sends it back and works it off', async () => {
    const out = fresh();
    const database = new DatabaseSync(join(out, '.tileonce', 'ledger.sqlite'));
    const body = JSON.stringify({ v: 1, sceneJobId: id, location: '' });
    const insert = `INSERT INTO dead_letters (queue, body, fingerprint, receive_count, reason, died_at)
      VALUES ('assemblies', ?, 'f', 3, 'the disk was full', 1)`;
    database.prepare(insert).run(body);
    database.close();
    expect(answerOf(await verb('redrive', out))).toEqual({
      total: 1,
      groups: [{ queue: 'assemblies', error: 'the disk was full', count: 1, scenes: [id.slice(0, 12)] }],
    });
    expect(answerOf(await verb('redrive', out, '--all', '--dry-run'))).toMatchObject({ total: 1 });
    expect(answerOf(await verb('redrive', out, '--scene', id.slice(0, 12)))).toEqual({ replayed: 1, left: 0 });
    expect(outputBytes(out)).toEqual(outputBytes(finished));
  }, 60_000);

  it('backfill skips, makes a new version beside the old, and overwrites what was spoilt', async () => {
    const out = fresh();
    expect(answerOf(await verb('backfill', out, '--all', '--policy', 'skip'))).toMatchObject({ done: { complete: 1 } });

    const same = await verb('backfill', out, '--all', '--policy', 'new-key', '--pipeline', pipeline);
    expect([same.code, same.stderr]).toEqual([1, expect.stringContaining('raise "version"')]);
    const next = pipelineFile(folder.path, { ...NDVI, version: '1.1.0' }, 'next.json');
    const made = await verb('backfill', out, '--all', '--policy', 'new-key', '--pipeline', next);
    expect(answerOf(made)).toMatchObject({ done: { planned: 1 } });
    expect(outputBytes(out)).toMatchObject(outputBytes(finished));
    expect(outputFiles(out)).toHaveLength(2 * outputFiles(finished).length);

    writeFileSync(join(out, 'tiles', id, tileOf(finished).split('/').at(-1) ?? ''), 'spoilt');
    const over = await verb('backfill', out, id, '--policy', 'overwrite');
    expect(answerOf(over)).toMatchObject({ done: { overwritten: 1 }, failed: 0 });
    // Nor does it leave a file open for the garbage collector, which would say so.
    expect(over.stderr).not.toMatch(/file descriptor|DEP0137/);
    expect(outputBytes(out)).toMatchObject(outputBytes(finished));
    expect(answerOf(await verb('verify', out))).toMatchObject({ scenes: 2, findings: [] });
  }, 120_000);
});

describe('a verb that is called wrongly exits 2 with one line, and makes nothing', () => {
  it.each([
    [['status']],
    [['status', '--out', 'a', '--stage', 'b']],
    [['backfill', '--all', '--out', 'a']],
    [['backfill', '--policy', 'skip', '--out', 'a']],
    [['backfill', '--all', '--policy', 'new-key', '--out', 'a']],
    [['redrive', '--all', '--scene', 'x', '--out', 'a']],
    [['purge', '--out', 'a']],
    [['gc', '--older-than', '0', '--out', 'a']],
  ])(
    '%j',
    async (args) => {
      const { code, stderr, stdout } = await tileonce(args);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    },
    30_000,
  );

  it('and a folder without a ledger, or an unknown stage, is one line and exit 1', async () => {
    for (const where of [
      ['--out', 'nowhere'],
      ['--stage', 'nowhere', '--outputs', 'nowhere.json'],
    ]) {
      const { code, stderr } = await tileonce(['status', ...where]);
      expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    }
  }, 30_000);
});
