import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { openEmbeddedEngine } from '../../../lambda/engines/embedded/index.ts';
import { livenessOf, ownIdentity, type ProcessIdentity } from '../../../lambda/engines/embedded/process-identity.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Starting processes takes its time on a busy machine.
jest.setTimeout(60_000);

const options = { now: Date.now, maxReceives: 3 };
const LEASE = 600_000;
const SWEPT_NOTHING = { processes: 0, leases: 0, messages: 0, files: 0 };

const start = async (task: string, folder: string): Promise<ChildProcess> => {
  const child = fork(join(__dirname, '../../support/embedded-child.ts'), [task, folder], { execArgv: [] });
  await once(child, 'message');
  return child;
};

const reply = async (child: ChildProcess): Promise<unknown> => {
  child.send('go');
  const [message]: unknown[] = await once(child, 'message');
  return message;
};

const kill = async (child: ChildProcess): Promise<void> => {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
};

/** An engine that holds a lease, a message and a temporary file under this identity. */
const holdAs = async (folder: string, identity: ProcessIdentity): Promise<void> => {
  using engine = openEmbeddedEngine(folder, { ...options, identity });
  const now = Date.now();
  const owner = engine.processes.ownerOf('a');
  await engine.claims.claim({ jobId: 'held', owner, now, leaseUntil: now + LEASE, expiresAt: 0 });
  await engine.queue.send('tiles', ['{}']);
  await engine.queue.receive('tiles', LEASE);
  writeFileSync(join(folder, '.tileonce', 'tmp', `${engine.processes.id}-0.1`), 'half');
};

describe('two processes on one output folder', () => {
  it('win each job and create each object once between them, from a folder that is not there yet', async () => {
    using folder = temporaryFolder();
    const out = join(folder.path, 'out');
    const children = await Promise.all(['race', 'race', 'race'].map((task) => start(task, out)));
    const scores = await Promise.all(children.map(reply));
    const total = (name: 'won' | 'created'): number =>
      scores.reduce<number>((sum, score) => sum + Number(Object(score)[name]), 0);
    expect([total('won'), total('created')]).toEqual([40, 40]);
    expect(readdirSync(join(out, 'tiles/scene'))).toHaveLength(40);
    expect(readdirSync(join(out, '.tileonce/tmp'))).toEqual([]);
    expect(readFileSync(join(out, 'tiles/scene/0.tif'), 'utf8')).toMatch(/^0 by \d+_[0-9a-f]{16}\.race$/);
  });

  it('what a killed process held is free at once, and its receive does not count', async () => {
    using folder = temporaryFolder();
    using engine = openEmbeddedEngine(folder.path, options);
    await engine.queue.send('tiles', ['{}']);
    const child = await start('hold', folder.path);
    expect(await reply(child)).not.toBe(engine.processes.id);

    // While it lives, nothing of it is touched.
    expect(await engine.processes.sweepDead()).toEqual(SWEPT_NOTHING);
    const now = Date.now();
    const mine = { jobId: 'held', owner: engine.processes.ownerOf('b'), now, leaseUntil: now + LEASE, expiresAt: 0 };
    expect((await engine.claims.claim(mine)).kind).toBe('live');
    expect(await engine.queue.receive('tiles', LEASE)).toBeNull();
    expect(readdirSync(join(folder.path, '.tileonce/tmp'))).toHaveLength(1);

    await kill(child);
    expect(await engine.processes.sweepDead()).toEqual({ processes: 1, leases: 1, messages: 1, files: 1 });
    const answer = await engine.claims.claim({ ...mine, now: Date.now() });
    expect([answer.kind, answer.row.attempts]).toEqual(['won', 2]);
    expect((await engine.queue.receive('tiles', LEASE))?.receiveCount).toBe(1);
    expect(readdirSync(join(folder.path, '.tileonce/tmp'))).toEqual([]);
    expect(await engine.objects.head('scenes/s/scene.tif')).toBeNull();
    expect(await engine.processes.sweepDead()).toEqual(SWEPT_NOTHING);
  });
});

describe('a sweep', () => {
  it('takes a process whose pid is in use again for dead', async () => {
    using folder = temporaryFolder();
    await holdAs(folder.path, { ...ownIdentity(), started: '1' });
    using engine = openEmbeddedEngine(folder.path, options);
    expect(await engine.processes.sweepDead()).toEqual({ processes: 1, leases: 1, messages: 1, files: 1 });
  });

  it('never touches what this process holds, by whichever of its threads', async () => {
    using folder = temporaryFolder();
    await holdAs(folder.path, ownIdentity());
    using engine = openEmbeddedEngine(folder.path, options);
    expect(await engine.processes.sweepDead()).toEqual(SWEPT_NOTHING);
  });

  it('leaves a process of another container alone', async () => {
    using folder = temporaryFolder();
    const own = ownIdentity();
    await holdAs(folder.path, { ...own, pid: 2 ** 22 + 1, realm: `${own.realm.split(' ')[0]} pid:[1]` });
    using engine = openEmbeddedEngine(folder.path, options);
    expect(await engine.processes.sweepDead()).toEqual(SWEPT_NOTHING);
  });

  it('counts the receives that a dead process had given back with a reason, and frees their messages', async () => {
    using folder = temporaryFolder();
    using dead = openEmbeddedEngine(folder.path, { ...options, identity: { ...ownIdentity(), started: '1' } });
    await dead.queue.send('tiles', ['failed', 'waiting']);
    const failed = await dead.queue.receive('tiles', LEASE);
    const waiting = await dead.queue.receive('tiles', LEASE);
    await dead.queue.hide('tiles', failed?.receipt ?? '', LEASE, 'it failed');
    await dead.queue.postpone('tiles', waiting?.receipt ?? '', LEASE);
    using engine = openEmbeddedEngine(folder.path, options);
    expect((await engine.processes.sweepDead()).messages).toBe(2);
    expect((await engine.queue.receive('tiles', LEASE))?.receiveCount).toBe(2);
    expect((await engine.queue.receive('tiles', LEASE))?.receiveCount).toBe(1);
  });

  it('does not undo what a dead process committed', async () => {
    using folder = temporaryFolder();
    await holdAs(folder.path, { ...ownIdentity(), started: '1' });
    using engine = openEmbeddedEngine(folder.path, options);
    const owner = (await engine.claims.get('held'))?.owner ?? '';
    await engine.claims.commit({ jobId: 'held', owner, now: Date.now(), result: '1' });
    expect((await engine.processes.sweepDead()).leases).toBe(0);
    expect((await engine.claims.get('held'))?.state).toBe('COMMITTED');
  });
});

describe('a process', () => {
  const own = ownIdentity();

  it('is alive while it runs, and is told from a later one with its pid', () => {
    expect(livenessOf(own, own)).toBe('alive');
    expect(livenessOf({ ...own, started: '1' }, own)).toBe('dead');
  });

  it('is dead where there is no such pid, or after a restart of the machine', () => {
    // Beyond the largest pid that Linux gives.
    expect(livenessOf({ ...own, pid: 2 ** 22 + 1 }, own)).toBe('dead');
    expect(livenessOf({ ...own, realm: 'another-boot pid:[1]' }, own)).toBe('dead');
  });
});
