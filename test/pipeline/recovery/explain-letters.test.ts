import { describe, expect, it } from '@jest/globals';
import { UNEXPLAINED, explained } from '../../../lambda/pipeline/recovery/explain-letters.ts';
import { groupLetters } from '../../../lambda/pipeline/recovery/redrive.ts';
import { MemoryDeadLetters } from '../../support/memory/dead-letters.ts';
import { SceneWorld } from '../../support/scene-world.ts';

/** The dead letters of a queue that keeps no reason, as SQS keeps none, told by their jobs' claims. */
const told = async (world: SceneWorld) => {
  const letters = world.engine.queue.deadLetters;
  letters.splice(0, letters.length, ...letters.map((letter) => ({ ...letter, reason: null })));
  const store = explained(new MemoryDeadLetters(world.engine.queue), world.engine.claims);
  return groupLetters(await store.list()).map(({ queue, error, letters: { length } }) => ({ queue, error, length }));
};

/** A scene of whose windows two could not be written, however often they were tried. */
const brokenScene = async () => {
  const world = new SceneWorld();
  const id = await world.plan();
  for (const window of ['0000_0001', '0001_0001']) {
    world.engine.faults.failBefore(`objects.create tiles/${id}/${window}.tif`, 3, new Error(`${window} is broken`));
  }
  await world.work();
  return { world, id };
};

describe('dead letters of a queue that keeps no reason', () => {
  it('are grouped by the error that the last attempt left on their claim', async () => {
    const { world } = await brokenScene();
    expect(await told(world)).toEqual([{ queue: 'tiles', error: 'Error: <window> is broken', length: 2 }]);
  });

  it('say so where the worker was killed and could leave none', async () => {
    const { world } = await brokenScene();
    for (const [id, row] of world.engine.claims.rows) world.engine.claims.rows.set(id, { ...row, lastError: null });
    expect(await told(world)).toEqual([{ queue: 'tiles', error: UNEXPLAINED.killed, length: 2 }]);
  });

  it('say so where their job was done since', async () => {
    const { world } = await brokenScene();
    const { deadLetters } = world.engine.queue;
    await world.engine.queue.send(
      'tiles',
      deadLetters.map(({ body }) => body),
    );
    await world.work();
    expect(await told(world)).toEqual([{ queue: 'tiles', error: UNEXPLAINED.done, length: 2 }]);
  });

  it('say so where nobody ever claimed the job, and where the letter cannot be read', async () => {
    const world = new SceneWorld();
    await world.plan();
    const [body = ''] = await world.drain('tiles');
    const letter = { receiveCount: 3, reason: null };
    world.engine.queue.deadLetters.push({ queue: 'tiles', body, ...letter });
    world.engine.queue.deadLetters.push({ queue: 'assemblies', body: 'torn', ...letter });
    world.engine.queue.deadLetters.push({ queue: 'scenes', body: 'torn', ...letter });
    expect(await told(world)).toEqual([
      { queue: 'tiles', error: UNEXPLAINED.unclaimed, length: 1 },
      { queue: 'assemblies', error: 'the assembly message is no JSON', length: 1 },
      { queue: 'scenes', error: null, length: 1 },
    ]);
  });
});
