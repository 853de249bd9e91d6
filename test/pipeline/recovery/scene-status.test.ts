import { describe, expect, it } from '@jest/globals';
import { sceneStatus } from '../../../lambda/pipeline/recovery/scene-status.ts';
import { SceneWorld } from '../../support/scene-world.ts';
import { HOUR, finishedScene, sceneOf, statusOf } from './operator.ts';

describe('a scene is called', () => {
  it('PLANNED while nobody has begun, and every window is waiting', async () => {
    const world = new SceneWorld();
    const status = await statusOf(world, await world.plan());
    expect(status.state).toBe('PLANNED');
    expect(status.windows).toEqual(Array.from({ length: 3 }, () => ['waiting', 'waiting', 'waiting']));
    expect(status.oldestLease).toBeNull();
  });

  it('RUNNING while somebody is at work, and shows whose lease is the oldest', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    const hold = world.engine.faults.hold('objects.create');
    const working = world.work();
    await hold.reached;
    const status = await statusOf(world, id);
    expect(status.state).toBe('RUNNING');
    expect(status.windows[0]?.[0]).toBe('running');
    expect(status.oldestLease).toMatchObject({ what: '0000_0000', claimedAt: world.engine.clock.now() });
    hold.release();
    await working;
  });

  it('without the lease of a worker that is known to have died', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    const hold = world.engine.faults.hold('objects.create');
    const working = world.work();
    await hold.reached;
    const owners: string[] = [];
    const isDead = (owner: string): boolean => owners.push(owner) > 0;
    const { record } = await sceneOf(world, id);
    const status = await sceneStatus(world.context, record, { stalledAfterMs: HOUR, deadLetters: [], isDead });
    expect([status.oldestLease, status.windows[0]?.[0], status.state]).toEqual([null, 'lapsed', 'RUNNING']);
    expect(owners.length).toBeGreaterThan(0);
    hold.release();
    await working;
  });

  it('COMPLETE once it is assembled, with its EMPTY window told apart', async () => {
    const { world, id } = await finishedScene();
    const status = await statusOf(world, id);
    expect(status.state).toBe('COMPLETE');
    expect(status.counts).toEqual({ written: 8, empty: 1, running: 0, lapsed: 0, dead: 0, waiting: 0 });
    expect(status.windows[2]).toEqual(['written', 'written', 'empty']);
  });

  it('STALLED when nothing has happened for an hour, not a millisecond before', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    await world.engine.clock.advance(HOUR);
    expect((await statusOf(world, id)).state).toBe('PLANNED');
    await world.engine.clock.advance(1);
    expect((await statusOf(world, id)).state).toBe('STALLED');
  });

  it('STALLED at once when all that is missing is with the dead letters', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    const [first = ''] = await world.drain('tiles');
    await world.engine.queue.send('tiles', [first]);
    for (let column = 1; column < 9; column++) {
      const window = `000${Math.floor(column / 3)}_000${column % 3}`;
      await world.engine.manifest.putRow({ state: 'EMPTY', sceneJobId: id, window });
    }
    world.engine.faults.failBefore('objects.create', 3, new Error('broken tile'));
    await world.work();
    const status = await statusOf(world, id);
    expect([status.state, status.windows[0]?.[0]]).toEqual(['STALLED', 'dead']);
  });

  it.each(['SUPERSEDED', 'FAILED'] as const)('%s where its plan is', async (state) => {
    const world = new SceneWorld();
    const id = await world.plan();
    await world.engine.manifest.closePlan(id, state, 'why');
    expect((await statusOf(world, id)).state).toBe(state);
  });
});
