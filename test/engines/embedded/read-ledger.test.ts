import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EmbeddedEngine, openEmbeddedEngine } from '../../../lambda/engines/embedded/index.ts';
import { OnlyReadError } from '../../../lambda/errors.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const options = { now: Date.now, maxReceives: 3 };
const CLAIM = { owner: 'o', now: 1, leaseUntil: 2, expiresAt: 0 };

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const toWrite = (): EmbeddedEngine => openEmbeddedEngine(folder.path, options);
const toRead = (path = folder.path): EmbeddedEngine => openEmbeddedEngine(path, { ...options, readOnly: true });
const ledgerPath = (): string => join(folder.path, '.tileonce', 'ledger.sqlite');

/** Every file and folder with its time of change and the hash of its bytes. */
const states = (): string[] =>
  readdirSync(folder.path, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const hash = entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'folder';
      return `${path} ${statSync(path, { bigint: true }).ctimeNs} ${hash}`;
    })
    .toSorted();

const commit = async (engine: EmbeddedEngine, jobId: string): Promise<void> => {
  await engine.claims.claim({ ...CLAIM, jobId });
  await engine.claims.commit({ jobId, owner: 'o', now: 3, result: '1' });
};

describe('a ledger that is only looked at', () => {
  it('answers, hashes objects, refuses finished jobs, and leaves every file of its folder as it was', async () => {
    const writing = toWrite();
    await commit(writing, 'done');
    const body = new Uint8Array([1, 2, 3]);
    const sha256 = createHash('sha256').update(body).digest('hex');
    await writing.objects.create({ key: 'tiles/a/0.tif', body, contentType: 'image/tiff', sha256, digest: 'd' });
    writing.close();
    const before = states();

    using engine = toRead();
    expect((await engine.claims.get('done'))?.state).toBe('COMMITTED');
    expect((await engine.claims.claim({ ...CLAIM, jobId: 'done' })).kind).toBe('committed');
    expect((await engine.objects.head('tiles/a/0.tif'))?.etag).toBe(sha256);
    expect(await engine.deadLetters.list()).toEqual([]);
    engine.close();
    expect(states()).toEqual(before);
  });

  it('negative control: an engine opened to work leaves its mark', () => {
    toWrite().close();
    const before = states();
    const other = { pid: 1, started: 'then', realm: 'elsewhere' };
    openEmbeddedEngine(folder.path, { ...options, identity: other }).close();
    expect(states()).not.toEqual(before);
  });

  it('refuses what would have to write', async () => {
    toWrite().close();
    using engine = toRead();
    await expect(engine.claims.claim({ ...CLAIM, jobId: 'new' })).rejects.toThrow(OnlyReadError);
    await expect(engine.queue.send('tiles', ['{}'])).rejects.toThrow(/is only read here/);
  });

  it('sees what others write after it was opened: while they work, and when they have gone again', async () => {
    toWrite().close();
    using engine = toRead();
    expect(await engine.claims.get('one')).toBeNull();
    const writing = toWrite();
    await commit(writing, 'one');
    expect((await engine.claims.get('one'))?.state).toBe('COMMITTED');
    writing.close();
    const again = toWrite();
    await commit(again, 'two');
    again.close();
    expect((await engine.claims.get('two'))?.state).toBe('COMMITTED');
  });

  it('sees a change that came and went between two looks', async () => {
    toWrite().close();
    using engine = toRead();
    expect(await engine.claims.get('one')).toBeNull();
    const writing = toWrite();
    await commit(writing, 'one');
    writing.close();
    expect(readdirSync(join(folder.path, '.tileonce')).filter((name) => name.startsWith('ledger'))).toEqual([
      'ledger.sqlite',
    ]);
    expect((await engine.claims.get('one'))?.state).toBe('COMMITTED');
  });

  it('reads the log that a killed process left, and leaves ledger and log as they were', async () => {
    const writing = toWrite();
    await commit(writing, 'done');
    // A copy of the files as they are at work is what a power cut leaves.
    using copy = temporaryFolder();
    openEmbeddedEngine(copy.path, options).close();
    for (const end of ['', '-wal', '-shm']) {
      copyFileSync(`${ledgerPath()}${end}`, join(copy.path, '.tileonce', `ledger.sqlite${end}`));
    }
    const hashes = (): string[] =>
      ['', '-wal'].map((end) => readFileSync(join(copy.path, '.tileonce', `ledger.sqlite${end}`), 'base64'));
    const before = hashes();
    using engine = toRead(copy.path);
    expect((await engine.claims.get('done'))?.state).toBe('COMMITTED');
    engine.close();
    expect(hashes()).toEqual(before);
    writing.close();
  });

  it('of an earlier version is brought up to date first', async () => {
    toWrite().close();
    const database = new DatabaseSync(ledgerPath());
    database.exec(`DROP INDEX plans_unfinished; DROP INDEX messages_suspect; ALTER TABLE claims DROP COLUMN last_error;
      ALTER TABLE messages DROP COLUMN deaths; ALTER TABLE messages DROP COLUMN lone_deaths; PRAGMA user_version = 2`);
    database.close();
    using engine = toRead();
    expect(await engine.claims.get('none')).toBeNull();
  });
});

describe('the owner of a lease is dead', () => {
  it('where its process is on record and gone; not while it runs, nor where nobody knows', () => {
    using live = toWrite();
    const gone = { pid: 1, started: 'then', realm: 'another boot' };
    using dead = openEmbeddedEngine(folder.path, { ...options, identity: gone });
    using engine = toRead();
    expect(engine.processes.isDead(dead.processes.ownerOf('a'))).toBe(true);
    expect(engine.processes.isDead(live.processes.ownerOf('a'))).toBe(false);
    expect(engine.processes.isDead('1_0000.a')).toBe(false);
  });
});
