import { describe, expect, it } from '@jest/globals';
import { type EmbeddedEngine, openEmbeddedEngine } from '../../../lambda/engines/embedded/index.ts';
import { ownIdentity } from '../../../lambda/engines/embedded/process-identity.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const LEASE = 600_000;

/** An output folder on which processes live and die. */
class Machine implements Disposable {
  readonly #folder = temporaryFolder();
  #processes = 0;

  /** A process of its own; it is dead for all later ones, whether or not it was stopped. */
  start(): EmbeddedEngine {
    const identity = { ...ownIdentity(), started: `${++this.#processes}` };
    return openEmbeddedEngine(this.#folder.path, { now: Date.now, maxReceives: 3, identity });
  }

  /** A process takes so many messages, and dies of them. @returns their bodies. */
  async dieWith(messages: number): Promise<string[]> {
    using engine = this.start();
    await engine.processes.sweepDead();
    const bodies: string[] = [];
    for (let i = 0; i < messages; i++) {
      const delivery = await engine.queue.receive('tiles', LEASE);
      if (delivery !== null) bodies.push(delivery.body);
    }
    return bodies;
  }

  async letters(): Promise<{ body: string; reason: string | null }[]> {
    using engine = this.start();
    await engine.processes.sweepDead();
    return (await engine.deadLetters.list()).map(({ body, reason }) => ({ body, reason }));
  }

  [Symbol.dispose](): void {
    this.#folder.remove();
  }
}

const filled = async (bodies: readonly string[]): Promise<Machine> => {
  const machine = new Machine();
  using engine = machine.start();
  await engine.queue.send('tiles', bodies);
  return machine;
};

describe('messages whose process died', () => {
  it('are delivered first and one at a time, with nothing else at work; then all is as before', async () => {
    using machine = await filled(['a', 'b', 'c', 'd']);
    expect(await machine.dieWith(2)).toEqual(['a', 'b']);
    using engine = machine.start();
    await engine.processes.sweepDead();
    for (const body of ['a', 'b']) {
      const suspect = await engine.queue.receive('tiles', LEASE);
      expect(suspect?.body).toBe(body);
      expect(await engine.queue.receive('tiles', LEASE)).toBeNull();
      expect(await engine.queue.receive('assemblies', LEASE)).toBeNull();
      await engine.queue.acknowledge('tiles', suspect?.receipt ?? '');
    }
    const others = [await engine.queue.receive('tiles', LEASE), await engine.queue.receive('tiles', LEASE)];
    expect(others.map((delivery) => delivery?.body)).toEqual(['c', 'd']);
  });

  it('wait until what is at work elsewhere is done', async () => {
    using machine = await filled(['a', 'b']);
    expect(await machine.dieWith(1)).toEqual(['a']);
    using engine = machine.start();
    const other = await engine.queue.receive('tiles', LEASE);
    expect(other?.body).toBe('b');
    await engine.processes.sweepDead();
    expect(await engine.queue.receive('tiles', LEASE)).toBeNull();
    await engine.queue.acknowledge('tiles', other?.receipt ?? '');
    expect((await engine.queue.receive('tiles', LEASE))?.body).toBe('a');
  });
});

describe('a message that kills its process', () => {
  it('is given up once it was alone at work in three dead processes, and what stood beside it is not', async () => {
    using machine = await filled(['beside', 'deadly', 'later']);
    expect(await machine.dieWith(2)).toEqual(['beside', 'deadly']);
    {
      using engine = machine.start();
      await engine.processes.sweepDead();
      const innocent = await engine.queue.receive('tiles', LEASE);
      await engine.queue.acknowledge('tiles', innocent?.receipt ?? '');
    }
    for (let death = 1; death <= 3; death++) {
      expect(await machine.letters()).toEqual([]);
      expect(await machine.dieWith(2)).toEqual(['deadly']);
    }
    expect(await machine.dieWith(1)).toEqual(['later']);
    expect(await machine.letters()).toEqual([
      { body: 'deadly', reason: expect.stringContaining('died 3 times while nothing else was at work') },
    ]);
  });

  it('is like any other again once its process outlived it, whatever became of it', async () => {
    using machine = await filled(['a']);
    for (let round = 0; round < 2; round++) {
      for (let death = 0; death < 3; death++) await machine.dieWith(1);
      using engine = machine.start();
      await engine.processes.sweepDead();
      const delivery = await engine.queue.receive('tiles', LEASE);
      await engine.queue.hide('tiles', delivery?.receipt ?? '', 0, 'it failed, and said so');
    }
    expect(await machine.letters()).toEqual([]);
  });

  it('that comes back from the dead letters is suspected of nothing', async () => {
    using machine = await filled(['a']);
    for (let death = 0; death < 4; death++) expect(await machine.dieWith(1)).toEqual(['a']);
    expect(await machine.dieWith(1)).toEqual([]);
    expect(await machine.letters()).toHaveLength(1);
    {
      using engine = machine.start();
      await engine.deadLetters.replayAll('tiles');
    }
    for (let death = 0; death < 3; death++) expect(await machine.dieWith(1)).toEqual(['a']);
    expect(await machine.letters()).toEqual([]);
  });
});

it('a run that is killed ten times with many messages at work loses none, and dead-letters none', async () => {
  const bodies = Array.from({ length: 12 }, (_, n) => `window ${n}`);
  using machine = await filled(bodies);
  for (let kill = 0; kill < 10; kill++) {
    await machine.dieWith(4);
    using engine = machine.start();
    await engine.processes.sweepDead();
    // Each run gets one message done before it is killed.
    const done = await engine.queue.receive('tiles', LEASE);
    await engine.queue.acknowledge('tiles', done?.receipt ?? '');
  }
  expect(await machine.letters()).toEqual([]);
  using engine = machine.start();
  await engine.processes.sweepDead();
  const { visible, hidden } = await engine.queue.depth('tiles');
  expect(visible + hidden).toBe(2);
});
