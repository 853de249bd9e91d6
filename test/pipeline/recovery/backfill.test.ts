import { describe, expect, it } from '@jest/globals';
import {
  newKeyRing,
  newKeyScenes,
  planBackfill,
  ringAll,
  sameKeyRings,
} from '../../../lambda/pipeline/recovery/backfill.ts';
import { allScenes } from '../../../lambda/pipeline/recovery/select-scenes.ts';
import { SceneWorld, smallPipeline } from '../../support/scene-world.ts';
import { finishedScene, outputsOf, sceneOf } from './operator.ts';

const ringing = (world: SceneWorld) => ({ concurrency: 2, settled: () => world.work() });

describe('a backfill', () => {
  it('says first how many jobs there are, how many are present and how many missing', async () => {
    const { world } = await finishedScene();
    await world.plan(smallPipeline('2'));
    const scenes = await allScenes(world.engine.manifest);
    expect(await planBackfill(world.context, 'skip', scenes)).toMatchObject({ jobs: 9, present: 9, missing: 9 });
    expect(await planBackfill(world.context, 'overwrite', scenes)).toMatchObject({ jobs: 18, estimatedUsd: 0.0011 });
  });

  it('that skips costs a finished scene one refused claim, and finishes one that is not', async () => {
    const { world } = await finishedScene();
    const before = outputsOf(world);
    const unfinished = await world.plan(smallPipeline('2'));
    await world.drain('tiles');
    const opened = world.sources.opened;
    const rings = sameKeyRings((await allScenes(world.engine.manifest)).slice(0, 1));
    expect((await ringAll(world.context, rings, ringing(world))).map(({ kind }) => kind)).toEqual(['complete']);
    expect(world.sources.opened).toBe(opened);
    await ringAll(world.context, sameKeyRings(await allScenes(world.engine.manifest)), ringing(world));
    expect((await world.engine.manifest.getPlan(unfinished))?.state).toBe('ASSEMBLED');
    expect(outputsOf(world)).toMatchObject(before);
  });

  it('under a new key puts outputs beside the old, and leaves those alone', async () => {
    const { world, id } = await finishedScene();
    const before = outputsOf(world);
    const ring = newKeyRing(await sceneOf(world, id), smallPipeline('2'));
    const [outcome] = await ringAll(world.context, [ring], ringing(world));
    expect(outcome?.kind).toBe('planned');
    expect(Object.keys(outputsOf(world))).toHaveLength(2 * Object.keys(before).length);
    expect(outputsOf(world)).toMatchObject(before);
  });

  it('under a new key refuses a version that is not new, and another pipeline', async () => {
    const { world, id } = await finishedScene();
    const scene = await sceneOf(world, id);
    expect(() => newKeyRing(scene, smallPipeline('1'))).toThrow(/version 1 of pipeline ndvi has made S already/);
    expect(() => newKeyRing(scene, { ...smallPipeline('2'), pipeline: 'evi' })).toThrow(/made by pipeline ndvi/);
  });

  it('under a new key that was interrupted goes on by the same command, and is refused once it is done', async () => {
    const { world, id } = await finishedScene();
    const begun = await world.plan(smallPipeline('2'));
    await world.drain('tiles');
    const both = await allScenes(world.engine.manifest);
    expect(both).toHaveLength(2);
    for (const chosen of [both, both.toReversed()]) {
      expect(newKeyScenes(chosen, smallPipeline('2')).map(({ plan }) => plan.sceneJobId)).toEqual([begun]);
    }
    const rings = newKeyScenes(both, smallPipeline('2')).map((scene) => newKeyRing(scene, smallPipeline('2')));
    expect((await ringAll(world.context, rings, ringing(world))).map(({ kind }) => kind)).toEqual(['resumed']);
    expect((await world.engine.manifest.getPlan(begun))?.state).toBe('ASSEMBLED');
    const done = await allScenes(world.engine.manifest);
    expect(() => newKeyScenes(done, smallPipeline('2'))).toThrow(/version 2 of pipeline ndvi has made S already/);
    expect(newKeyScenes(done, smallPipeline('3'))).toHaveLength(1);
    expect(newKeyScenes([await sceneOf(world, id)], smallPipeline('2'))).toHaveLength(1);
  });

  it('under a new key refuses other content under the number of a version that is begun', async () => {
    const world = new SceneWorld();
    const scene = await sceneOf(world, await world.plan(smallPipeline('2')));
    expect(newKeyRing(scene, smallPipeline('2')).pipeline.version).toBe('2');
    const other = { ...smallPipeline('2'), nodata: -1 };
    expect(() => newKeyRing(scene, other)).toThrow(/version 2 of pipeline ndvi/);
  });

  it('has no more scenes under way at once than it was told', async () => {
    const world = new SceneWorld();
    for (const version of ['1', '2', '3', '4', '5']) await world.plan(smallPipeline(version));
    await world.drain('tiles');
    let running = 0;
    let most = 0;
    await ringAll(world.context, sameKeyRings(await allScenes(world.engine.manifest)), {
      concurrency: 2,
      settled: async () => {
        most = Math.max(most, ++running);
        await world.work();
        running--;
      },
    });
    expect(most).toBe(2);
    expect((await world.engine.manifest.listPlans()).every(({ state }) => state === 'ASSEMBLED')).toBe(true);
  });
});
