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

describe('the reaper', () => {
  it('sends lost windows again, and the scene is finished', async () => {
    const { world, id } = await lostScene();
    expect(await tick(world)).toEqual({ openPlans: 1, windowsSent: 9, sentToAssembly: 0 });
    await world.work();
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('ASSEMBLED');
  });

  it('waits before it sends the same windows once more, so that a long queue is not swelled', async () => {
    const { world } = await lostScene();
    await tick(world);
    expect((await tick(world)).windowsSent).toBe(0);
    await world.engine.clock.advance(TIMING.healAfterMs);
    expect((await tick(world)).windowsSent).toBe(9);
  });

  it('sends them once where two reapers run at the same time', async () => {
    const { world } = await lostScene();
    const reports = await Promise.all([tick(world), tick(world), tick(world)]);
    expect(reports.reduce((sum, { windowsSent }) => sum + windowsSent, 0)).toBe(9);
  });

  it('leaves a window alone that somebody is at work on', async () => {
    const { world } = await lostScene();
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
    await world.ring();
    // Held for ever: the worker is dead, its eight other messages were lost.
    const hold = world.engine.faults.hold('objects.create');
    void world.work();
    await hold.reached;
    await world.drain('tiles');
    await world.engine.clock.advance(930_001);
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
    expect(await tick(world)).toEqual({ openPlans: 1, windowsSent: 0, sentToAssembly: 1 });
    await world.work();
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('ASSEMBLED');
  });

  it('does not look at plans that are closed', async () => {
    const world = new SceneWorld();
    await world.plan();
    await world.work();
    await world.engine.clock.advance(LEASE_AND_VISIBILITY_MS);
    expect(await tick(world)).toEqual({ openPlans: 0, windowsSent: 0, sentToAssembly: 0 });
  });
});
