import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import { Ledger } from '../../../lambda/engines/embedded/database.ts';
import { openEmbeddedEngine } from '../../../lambda/engines/embedded/index.ts';
import { StoreUnavailableError } from '../../../lambda/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const options = { now: Date.now, maxReceives: 3 };

/** What opening the folder says in one line. */
const refusal = (folder: string): string => {
  try {
    openEmbeddedEngine(folder, options).close();
  } catch (error) {
    if (error instanceof StoreUnavailableError) return error.oneLine;
    throw error;
  }
  return 'it opened';
};

it('makes the output folder and its ledger, and opens them again with what they hold', async () => {
  using folder = temporaryFolder();
  const out = join(folder.path, 'out');
  using first = openEmbeddedEngine(out, options);
  await first.queue.send('tiles', ['{}']);
  first.close();
  using second = openEmbeddedEngine(out, options);
  expect((await second.queue.depth('tiles')).visible).toBe(1);
  expect(existsSync(join(out, '.tileonce', 'ledger.sqlite'))).toBe(true);
});

it('refuses a file as output folder', () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'out');
  writeFileSync(file, 'mine');
  expect(refusal(file)).toBe(`${file} is a file: name a folder for the outputs`);
  expect(statSync(file).size).toBe(4);
});

it('refuses an output folder whose parent does not exist, and makes nothing', () => {
  using folder = temporaryFolder();
  const out = join(folder.path, 'missing', 'out');
  expect(refusal(out)).toContain(`${join(folder.path, 'missing')} does not exist: make that folder first`);
  expect(existsSync(join(folder.path, 'missing'))).toBe(false);
});

// The superuser may write anywhere.
(process.getuid?.() === 0 ? describe.skip : describe)('for anyone but the superuser', () => {
  it('refuses a folder that it may not write', () => {
    using folder = temporaryFolder();
    chmodSync(folder.path, 0o500);
    expect(refusal(folder.path)).toMatch(/^cannot write to .*: permission denied: make it writable/);
  });
});

it('refuses a later version’s ledger and leaves it alone', () => {
  using folder = temporaryFolder();
  openEmbeddedEngine(folder.path, options).close();
  const path = join(folder.path, '.tileonce', 'ledger.sqlite');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA user_version = 7');
  database.close();
  expect(refusal(folder.path)).toBe(
    `the ledger ${path} was written by a later tileonce (ledger version 7; this one knows 3): ` +
      'upgrade tileonce, or choose another output folder',
  );
});

it('brings a ledger of the first version up to date, and keeps what it holds', async () => {
  using folder = temporaryFolder();
  openEmbeddedEngine(folder.path, options).close();
  const path = join(folder.path, '.tileonce', 'ledger.sqlite');
  const database = new DatabaseSync(path);
  database.exec(`DROP TABLE claims;
    CREATE TABLE claims (
      job_id TEXT PRIMARY KEY, state TEXT NOT NULL, owner TEXT NOT NULL, lease_until INTEGER NOT NULL,
      claimed_at INTEGER NOT NULL, finished_at INTEGER, attempts INTEGER NOT NULL, result TEXT, expires_at INTEGER
    ) STRICT, WITHOUT ROWID;
    INSERT INTO claims VALUES ('job', 'COMMITTED', 'a', 5, 1, 4, 1, '7', NULL);
    DROP TABLE messages;
    CREATE TABLE messages (
      id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, body TEXT NOT NULL, fingerprint TEXT NOT NULL,
      visible_at INTEGER NOT NULL, receive_count INTEGER NOT NULL DEFAULT 0, deliveries INTEGER NOT NULL DEFAULT 0,
      holder TEXT, held INTEGER NOT NULL DEFAULT 0, reason TEXT
    ) STRICT;
    INSERT INTO messages (queue, body, fingerprint, visible_at) VALUES ('tiles', '{}', 'f', 0);
    DROP TABLE plans;
    CREATE TABLE plans (
      scene_job_id TEXT PRIMARY KEY, plan TEXT NOT NULL, window_count INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT,
      next_heal_at INTEGER NOT NULL
    ) STRICT;
    INSERT INTO plans VALUES ('scene', '{}', 9, 'OPEN', NULL, 5);
    PRAGMA user_version = 1`);
  database.close();
  using engine = openEmbeddedEngine(folder.path, options);
  expect(await engine.manifest.getPlan('scene')).toEqual({
    sceneJobId: 'scene',
    plan: '{}',
    windowCount: 9,
    state: 'OPEN',
    reason: null,
    nextHealAt: 5,
    heals: 0,
    rowsAtHeal: -1,
    location: '',
  });
  expect(await engine.claims.get('job')).toMatchObject({ state: 'COMMITTED', result: '7', lastError: null });
  expect(await engine.manifest.listUnfinished()).toHaveLength(1);
  expect(await engine.queue.receive('tiles', 1_000)).toMatchObject({ body: '{}', receiveCount: 1 });
  openEmbeddedEngine(folder.path, options).close();
});

it('refuses a ledger that is none', () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, '.tileonce'));
  writeFileSync(join(folder.path, '.tileonce', 'ledger.sqlite'), 'x'.repeat(4096));
  expect(refusal(folder.path)).toMatch(/ledger\.sqlite failed: it is not a ledger: move it away/);
});

it('says that the disk is full, undoes the whole transaction, and works again when there is room', () => {
  using folder = temporaryFolder();
  const database = new DatabaseSync(join(folder.path, 'ledger.sqlite'));
  database.exec('CREATE TABLE t (x TEXT) STRICT; PRAGMA max_page_count = 8');
  const ledger = new Ledger('ledger.sqlite', database);
  const fill = (): void =>
    ledger.transaction(() => {
      for (let n = 0; n < 20; n++) ledger.run('INSERT INTO t VALUES (?)', ['x'.repeat(4000)]);
    });
  expect(fill).toThrow(/^the ledger ledger\.sqlite failed: the disk is full$/);
  expect(ledger.get('SELECT count(*) AS n FROM t')).toEqual({ n: 0 });
  database.exec('PRAGMA max_page_count = 1000');
  fill();
  expect(ledger.get('SELECT count(*) AS n FROM t')).toEqual({ n: 20 });
  ledger.close();
});

it('a transaction that throws leaves nothing behind', () => {
  using folder = temporaryFolder();
  const database = new DatabaseSync(join(folder.path, 'ledger.sqlite'));
  database.exec('CREATE TABLE t (x INTEGER) STRICT');
  const ledger = new Ledger('ledger.sqlite', database);
  const broken = (): void =>
    ledger.transaction(() => {
      ledger.run('INSERT INTO t VALUES (1)');
      throw new RangeError('no');
    });
  expect(broken).toThrow(RangeError);
  expect(ledger.get('SELECT count(*) AS n FROM t')).toEqual({ n: 0 });
  ledger.close();
});
