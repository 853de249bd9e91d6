import { describe, expect, it } from '@jest/globals';
import { type ReapReport, reap } from '../../lambda/pipeline/reap.ts';
import { SceneWorld } from '../support/scene-world.ts';

const TIMING = { visibilityMs: 960_000, healAfterMs: 1_920_000 };
const LEASE_AND_VISIBILITY_MS = 960_001;

/** A planned scene whose nine window messages were lost. */
const lostScene = async (): Promise<{ world: SceneWorld; id: string }> => {
  const world = new SceneWorld();
  const id = await world.plan();
  await world.drain('tiles');
  return { world, id };
};
const tick = (world: SceneWorld): Promise<ReapReport> => reap(world.context, TIMING);
const report = (change: Partial<ReapReport>): ReapReport => ({
  openPlans: 1,
  windowsSent: 0,
  sentToAssembly: 0,
  failed: 0,
  superseded: 0,
  ...change,
});
/** The first look, which sends nothing, and the wait until the next. */
const firstLook = async (world: SceneWorld): Promise<void> => {
  expect(await tick(world)).toEqual(report({}));
  await world.engine.clock.advance(TIMING.healAfterMs);
};

describe('the reaper', () => {
  it('sends lost windows again, and the scene is finished', async () => {
    const { world, id } = await lostScene();
    await firstLook(world);
    expect(await tick(world)).toEqual(report({ windowsSent: 9 }));
    await world.work();
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('ASSEMBLED');
  });

  it('leaves a queue that is being worked off alone, however long it is', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    await firstLook(world);
    for (const window of ['0000_0000', '0000_0001', '0000_0002']) {
      await world.engine.manifest.putRow({ state: 'EMPTY', sceneJobId: id, window });
      expect((await tick(world)).windowsSent).toBe(0);
      await world.engine.clock.advance(TIMING.healAfterMs);
    }
    expect((await tick(world)).windowsSent).toBe(6);
  });

  it('waits twice as long after each healing that brought no row, and as long as at first once one did', async () => {
    const { world, id } = await lostScene();
    await firstLook(world);
    for (const wait of [1, 2, 4]) {
      expect((await tick(world)).windowsSent).toBe(9);
      await world.drain('tiles');
      await world.engine.clock.advance(wait * TIMING.healAfterMs - 1);
      expect((await tick(world)).windowsSent).toBe(0);
      await world.engine.clock.advance(1);
    }
    await world.engine.manifest.putRow({ state: 'EMPTY', sceneJobId: id, window: '0000_0000' });
    await firstLook(world);
    expect((await tick(world)).windowsSent).toBe(8);
    await world.engine.clock.advance(TIMING.healAfterMs);
    expect((await tick(world)).windowsSent).toBe(8);
  });

  it('gives a scene up after five healings without a row, and names what is missing', async () => {
    const { world, id } = await lostScene();
    await world.engine.manifest.putRow({ state: 'EMPTY', sceneJobId: id, window: '0000_0000' });
    await firstLook(world);
    for (let heal = 0; heal < 5; heal++) {
      expect(await tick(world)).toEqual(report({ windowsSent: 8 }));
      await world.drain('tiles');
      await world.engine.clock.advance(TIMING.healAfterMs * 2 ** heal);
    }
    expect(await tick(world)).toEqual(report({ failed: 1 }));
    expect(await world.engine.manifest.getPlan(id)).toMatchObject({
      state: 'FAILED',
      reason:
        '8 window(s) missing: 0000_0001, 0000_0002, 0001_0000, 0001_0001, 0001_0002, 0002_0000, 0002_0001, 0002_0002; ' +
        'sent again 5 times without a new row',
    });
    expect(world.engine.queue.deadLetters).toEqual([]);
    expect(await tick(world)).toEqual(report({ openPlans: 0 }));
  });

  it('goes on with a scene that it gave up once its dead letters were replayed', async () => {
    const { world, id } = await lostScene();
    await world.ring();
    const bodies = await world.drain('tiles');
    await world.engine.manifest.postponeHeal(id, (await world.engine.manifest.getPlan(id))?.nextHealAt ?? 0, 0, {
      heals: 5,
      rowsAtHeal: 0,
    });
    expect(await tick(world)).toEqual(report({ failed: 1 }));
    // As the console's redrive does: the same bodies, and nobody says anything to the plan.
    await world.engine.queue.send('tiles', bodies);
    world.engine.faults.failBefore('queue.send assemblies', 3, new Error('nobody counts a plan that was given up'));
    await world.work();
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('FAILED');
    expect(await tick(world)).toEqual(report({ sentToAssembly: 1 }));
    await world.engine.clock.advance(TIMING.healAfterMs);
    await world.work();
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('ASSEMBLED');
  });

  it('is not needed where the last replayed window counts: an item that stands is a scene that is done', async () => {
    const { world, id } = await lostScene();
    await world.ring();
    await world.engine.manifest.closePlan(id, 'FAILED', 'given up');
    await world.work();
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('ASSEMBLED');
  });

  it('leaves a window whose attempts are used up to the dead letters', async () => {
    const { world } = await lostScene();
    await world.ring();
    world.engine.faults.failBefore('objects.create', 3, new Error('broken tile'));
    const bodies = await world.drain('tiles');
    await world.engine.queue.send('tiles', bodies.slice(0, 1));
    await world.work();
    expect(world.engine.queue.deadLetters).toHaveLength(1);
    await firstLook(world);
    expect((await tick(world)).windowsSent).toBe(8);
  });

  it('supersedes a plan of code of other pixels, whose attempts are used up, and rings for the scene', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    world.engine.faults.failBefore('manifest.putRow', 27, new Error('no row for any window'));
    await world.work();
    expect(world.engine.queue.deadLetters).toHaveLength(9);
    const opened = world.sources.opened;
    await firstLook(world);
    // The planning code's own reaper has nothing to send: the windows are with the dead letters.
    expect(await tick(world)).toEqual(report({}));
    await world.engine.clock.advance(2 * TIMING.healAfterMs);
    const newer = { ...world.context, pixelVersion: world.context.pixelVersion + 1 };
    expect(await reap(newer, TIMING)).toEqual(report({ superseded: 1 }));
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('SUPERSEDED');
    expect(await world.drain('scenes')).toHaveLength(1);
    expect(world.sources.opened).toBe(opened);
  });

  it('sends them once where two reapers run at the same time', async () => {
    const { world } = await lostScene();
    await firstLook(world);
    const reports = await Promise.all([tick(world), tick(world), tick(world)]);
    expect(reports.reduce((sum, { windowsSent }) => sum + windowsSent, 0)).toBe(9);
  });

  it('leaves a window alone that somebody is at work on', async () => {
    const { world } = await lostScene();
    await firstLook(world);
    await world.ring();
    const hold = world.engine.faults.hold('objects.create');
    const working = world.work();
    await hold.reached;
    expect((await tick(world)).windowsSent).toBe(8);
    hold.release();
    await working;
  });

  it('leaves a window alone whose worker died, until its message must have come back', async () => {
    const { world } = await lostScene();
    await world.engine.clock.advance(1);
    expect((await tick(world)).windowsSent).toBe(0);
    await world.engine.clock.advance(TIMING.healAfterMs - 1_000);
    await world.ring();
    // Held for ever: the worker is dead, its eight other messages were lost.
    const hold = world.engine.faults.hold('objects.create');
    void world.work();
    await hold.reached;
    await world.drain('tiles');
    await world.engine.clock.advance(1_000);
    expect((await tick(world)).windowsSent).toBe(8);
    await world.engine.clock.advance(TIMING.healAfterMs);
    expect((await tick(world)).windowsSent).toBe(9);
  });

  it('sends a scene to assembly that has every row and no item', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    world.engine.faults.failBefore('queue.send assemblies', 3, new Error('the stream batch was lost'));
    await world.work();
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('OPEN');
    expect(await tick(world)).toEqual(report({ sentToAssembly: 1 }));
    await world.work();
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('ASSEMBLED');
  });

  it('does not look at plans that are closed', async () => {
    const world = new SceneWorld();
    await world.plan();
    await world.work();
    await world.engine.clock.advance(LEASE_AND_VISIBILITY_MS);
    expect(await tick(world)).toEqual(report({ openPlans: 0 }));
  });
});
