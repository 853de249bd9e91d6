import { expect, it } from '@jest/globals';
import { type EmbeddedEngine, openEmbeddedEngine } from '../../../lambda/engines/embedded/index.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const withEngine = async (work: (engine: EmbeddedEngine, clock: ManualClock) => Promise<void>): Promise<void> => {
  using folder = temporaryFolder();
  const clock = new ManualClock();
  using engine = openEmbeddedEngine(folder.path, { now: clock.now, maxReceives: 3 });
  await work(engine, clock);
};

const receiveAll = async ({ queue }: EmbeddedEngine): Promise<string[]> => {
  const bodies: string[] = [];
  for (;;) {
    const delivery = await queue.receive('tiles', 60_000);
    if (delivery === null) return bodies;
    bodies.push(delivery.body);
  }
};

it('delivers in the order of sending', () =>
  withEngine(async (engine) => {
    const bodies = ['0000_0000', '0000_0001', '0000_0010', '0001_0000', '0000_0002'];
    await engine.queue.send('tiles', bodies);
    expect(await receiveAll(engine)).toEqual(bodies);
  }));

it('a body that is still pending stands for its second sending', () =>
  withEngine(async (engine) => {
    await engine.queue.send('tiles', ['a', 'b']);
    await engine.queue.send('tiles', ['b', 'c']);
    expect(await receiveAll(engine)).toEqual(['a', 'b', 'c']);
  }));

it('a pending body that is rung for sooner comes sooner, never later', () =>
  withEngine(async (engine, clock) => {
    await engine.queue.send('tiles', ['a'], { delayMs: 60_000 });
    await engine.queue.send('tiles', ['a'], { delayMs: 10_000 });
    await engine.queue.send('tiles', ['a'], { delayMs: 90_000 });
    await clock.advance(10_000);
    expect(await receiveAll(engine)).toEqual(['a']);
  }));

it('a body that is at work, or was once received, does not stand for a new sending', () =>
  withEngine(async (engine, clock) => {
    await engine.queue.send('tiles', ['a']);
    const delivery = await engine.queue.receive('tiles', 60_000);
    await engine.queue.send('tiles', ['a']);
    await engine.queue.acknowledge('tiles', delivery?.receipt ?? '');
    expect(await receiveAll(engine)).toEqual(['a']);
    await clock.advance(60_000);
    await engine.queue.send('tiles', ['a']);
    expect(await receiveAll(engine)).toEqual(['a', 'a']);
  }));

it('says how deep a queue is and when the next message comes', () =>
  withEngine(async (engine, clock) => {
    expect(await engine.queue.depth('tiles')).toEqual({ visible: 0, hidden: 0, nextVisibleAt: null });
    await engine.queue.send('tiles', ['a', 'b', 'c']);
    await engine.queue.send('tiles', ['d'], { delayMs: 5_000 });
    await engine.queue.receive('tiles', 60_000);
    expect(await engine.queue.depth('tiles')).toEqual({ visible: 2, hidden: 2, nextVisibleAt: clock.now() + 5_000 });
  }));

it('a dead letter keeps the last reason, and replayed it starts anew', () =>
  withEngine(async (engine, clock) => {
    await engine.queue.send('tiles', ['poison']);
    for (const reason of ['first', 'second', 'third']) {
      const delivery = await engine.queue.receive('tiles', 60_000);
      await engine.queue.hide('tiles', delivery?.receipt ?? '', 0, reason);
    }
    expect(await engine.queue.receive('tiles', 60_000)).toBeNull();
    const dead = { id: '1', queue: 'tiles', body: 'poison', receiveCount: 3, reason: 'third', diedAt: clock.now() };
    expect(await engine.deadLetters.list()).toEqual([dead]);
    expect(await engine.deadLetters.list('scenes')).toEqual([]);

    expect(await engine.deadLetters.replayAll('scenes')).toBe(0);
    expect(await engine.deadLetters.replay(await engine.deadLetters.list())).toBe(1);
    expect(await engine.deadLetters.list()).toEqual([]);
    expect((await engine.queue.receive('tiles', 60_000))?.receiveCount).toBe(1);
  }));

it('dead letters that are picked are dropped, the others stay', () =>
  withEngine(async (engine, clock) => {
    await engine.queue.send('tiles', ['a', 'b']);
    for (let receive = 0; receive < 4; receive++) {
      await receiveAll(engine);
      await clock.advance(60_000);
    }
    expect(await engine.deadLetters.drop(({ body }) => body === 'a')).toBe(1);
    expect((await engine.deadLetters.list()).map(({ body }) => body)).toEqual(['b']);
  }));

it('a receipt that is none changes nothing', () =>
  withEngine(async (engine) => {
    await engine.queue.send('tiles', ['a']);
    for (const receipt of ['', 'x', '1', '1.x', '1.1; DELETE']) await engine.queue.acknowledge('tiles', receipt);
    expect(await receiveAll(engine)).toEqual(['a']);
  }));

it('gives two receivers a stretch each, and one of them the other’s when its own is done', async () => {
  using folder = temporaryFolder();
  const clock = new ManualClock();
  using first = openEmbeddedEngine(folder.path, { now: clock.now, maxReceives: 3 });
  using second = openEmbeddedEngine(folder.path, { now: clock.now, maxReceives: 3 });
  const sent = Array.from({ length: 10 }, (_, window) => String(window));
  await first.queue.send('tiles', sent);
  const received = new Map([first, second].map((engine) => [engine, [] as string[]]));
  for (const engine of [first, second, first, second, first, second, first, second, first, first]) {
    const delivery = await engine.queue.receive('tiles', 60_000);
    if (delivery !== null) received.get(engine)?.push(delivery.body);
  }
  expect(received.get(first)).toEqual(['0', '1', '2', '3', '4', '9']);
  expect(received.get(second)).toEqual(['5', '6', '7', '8']);
});
