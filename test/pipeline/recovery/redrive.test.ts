import { describe, expect, it } from '@jest/globals';
import { causeOf, filterLetters, groupLetters, redrive } from '../../../lambda/pipeline/recovery/redrive.ts';
import { MemoryDeadLetters } from '../../support/memory/dead-letters.ts';
import { SceneWorld } from '../../support/scene-world.ts';

/** A scene of whose windows two could not be written, however often they were tried. */
const brokenScene = async () => {
  const world = new SceneWorld();
  const id = await world.plan();
  world.engine.faults.failBefore(`objects.create tiles/${id}/0000_0001.tif`, 3, new Error('broken tile'));
  world.engine.faults.failBefore(`objects.create tiles/${id}/0001_0001.tif`, 3, new Error('broken tile'));
  await world.work();
  return { world, id, letters: new MemoryDeadLetters(world.engine.queue) };
};
const stateOf = async (world: SceneWorld, id: string) => (await world.engine.manifest.getPlan(id))?.state;

describe('a redrive', () => {
  it('shows what died of what, a group for each cause', async () => {
    const { letters } = await brokenScene();
    expect(groupLetters(await letters.list())).toMatchObject([
      { queue: 'tiles', error: 'Error: broken tile', letters: [{}, {}], scenes: ['S'] },
    ]);
  });

  it('of all finishes the scene', async () => {
    const { world, id, letters } = await brokenScene();
    expect(await redrive(world.context, letters, await letters.list(), 'all')).toBe(2);
    expect(await letters.list()).toEqual([]);
    await world.work();
    expect(await stateOf(world, id)).toBe('ASSEMBLED');
    expect(world.outcomes()).toEqual({ written: 8, empty: 1 });
  });

  it('of some leaves the others where they are', async () => {
    const { world, letters } = await brokenScene();
    const [first] = await letters.list();
    expect(await redrive(world.context, letters, first === undefined ? [] : [first])).toBe(1);
    expect(await letters.counts()).toEqual({ scenes: 0, tiles: 1, assemblies: 0 });
  });

  it('picks by scene, by queue and by error', async () => {
    const { id, letters } = await brokenScene();
    const all = await letters.list();
    expect(filterLetters(all, { scene: 'S' })).toHaveLength(2);
    expect(filterLetters(all, { scene: id.slice(0, 8) })).toHaveLength(2);
    expect(filterLetters(all, { scene: 'T' })).toEqual([]);
    expect(filterLetters(all, { queue: 'assemblies' })).toEqual([]);
    expect(filterLetters(all, { error: 'broken' })).toHaveLength(2);
    expect(filterLetters(all, { error: 'other', scene: 'S' })).toEqual([]);
  });

  it('opens a plan again that was given up', async () => {
    const { world, id, letters } = await brokenScene();
    await world.engine.manifest.closePlan(id, 'FAILED', '2 window(s) missing');
    await redrive(world.context, letters, await letters.list(), 'all');
    expect(await stateOf(world, id)).toBe('OPEN');
  });

  it('from the console does just as well: the same bodies pass the same gates', async () => {
    const { world, id } = await brokenScene();
    // What StartMessageMoveTask does: bodies go from one queue to the other, and nobody is told.
    await world.engine.queue.send(
      'tiles',
      world.engine.queue.deadLetters.splice(0).map(({ body }) => body),
    );
    await world.work();
    expect(await stateOf(world, id)).toBe('ASSEMBLED');
  });

  it('that is repeated, or meets windows that were done meanwhile, changes nothing', async () => {
    const { world, id, letters } = await brokenScene();
    const bodies = (await letters.list()).map(({ body }) => body);
    await redrive(world.context, letters, await letters.list(), 'all');
    await world.work();
    const keys = world.engine.objects.keys();
    await world.engine.queue.send('tiles', bodies);
    await world.work();
    expect(world.engine.objects.keys()).toEqual(keys);
    expect(keys.every((key) => world.engine.objects.versions(key).length === 1)).toBe(true);
    expect(await stateOf(world, id)).toBe('ASSEMBLED');
  });
});

it('a cause is told without the window and the ids that differ', () => {
  expect(causeOf(`window 3,4: tiles/${'ab'.repeat(32)}/0003_0004.tif is gone`)).toBe('tiles/<id>/<window>.tif is gone');
  expect(causeOf(null)).toBeNull();
});
