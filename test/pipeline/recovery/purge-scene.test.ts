import { describe, expect, it } from '@jest/globals';
import { purgeScene } from '../../../lambda/pipeline/recovery/purge-scene.ts';
import { SceneWorld, smallPipeline } from '../../support/scene-world.ts';
import { finishedScene, outputsOf, sceneOf, statusOf } from './operator.ts';

const purge = async (world: SceneWorld, id: string) =>
  purgeScene(world.context, (await sceneOf(world, id)).plan, (await statusOf(world, id)).state);

describe('a purge', () => {
  it('removes every row, object, version and claim of the scene, and leaves a tombstone', async () => {
    const { world, id } = await finishedScene();
    expect(await purge(world, id)).toMatchObject({ rows: 9, objects: 11 });
    expect(world.engine.objects.keys()).toEqual([]);
    expect(await world.engine.objects.countVersions('')).toBe(0);
    expect(await world.engine.manifest.listRows(id)).toEqual([]);
    expect([...world.engine.claims.rows.keys()]).toEqual([id]);
    expect((await statusOf(world, id)).state).toBe('PURGED');
  });

  it('deletes the row before its object: a crash in between leaves no row without an object', async () => {
    const { world, id } = await finishedScene();
    world.engine.faults.failBefore('objects.remove', 1, new Error('crashed'));
    world.engine.faults.failBefore('objects.remove', 1, new Error('crashed'));
    await expect(purge(world, id)).rejects.toThrow('crashed');
    await expect(purge(world, id)).rejects.toThrow('crashed');
    const rows = (await world.engine.manifest.listRows(id)).filter(({ state }) => state === 'WRITTEN');
    const keys = rows.map(({ window }) => `tiles/${id}/${window}.tif`);
    expect(world.engine.objects.keys()).toEqual(expect.arrayContaining(keys));
    await purge(world, id);
    expect(world.engine.objects.keys()).toEqual([]);
    expect(await world.engine.manifest.countRows(id)).toBe(0);
  });

  it('is refused while the scene is under way, and nothing is deleted', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    const hold = world.engine.faults.hold('objects.create');
    const working = world.work();
    await hold.reached;
    await expect(purge(world, id)).rejects.toThrow(/in flight: it is RUNNING/);
    hold.release();
    await working;
    expect((await statusOf(world, id)).state).toBe('COMPLETE');
  });

  it('is refused while one job of a finished scene has a live lease', async () => {
    const { world, id } = await finishedScene();
    const before = outputsOf(world);
    const [job] = [...world.engine.claims.rows.keys()].filter((key) => key !== id);
    const row = world.engine.claims.rows.get(job ?? '');
    if (row === undefined || job === undefined) throw new Error('no claim');
    world.engine.claims.rows.set(job, { ...row, state: 'CLAIMED', leaseUntil: world.engine.clock.now() + 1 });
    await expect(purge(world, id)).rejects.toThrow(/has a live lease/);
    expect(outputsOf(world)).toEqual(before);
  });

  it('is not undone by a late event, nor by a window message', async () => {
    const { world, id } = await finishedScene();
    await purge(world, id);
    expect((await world.ring()).kind).toBe('purged');
    await world.work();
    expect(world.engine.objects.keys()).toEqual([]);
  });

  it('is undone by a person who asks for the scene, byte for byte', async () => {
    const { world, id } = await finishedScene();
    const before = outputsOf(world);
    await purge(world, id);
    await world.ring(smallPipeline(), 'S_B04.tif', world.context, true);
    await world.work();
    expect(outputsOf(world)).toEqual(before);
    expect((await statusOf(world, id)).state).toBe('COMPLETE');
  });
});
