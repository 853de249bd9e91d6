import { describe, expect, it } from '@jest/globals';
import { itemKey, mosaicKey } from '../../../lambda/identity/output-keys.ts';
import { overwriteScene } from '../../../lambda/pipeline/recovery/overwrite-scene.ts';
import { ManifestGapError } from '../../../lambda/pipeline/check-manifest.ts';
import { purgeScene } from '../../../lambda/pipeline/recovery/purge-scene.ts';
import { verifyScene } from '../../../lambda/pipeline/recovery/verify-scene.ts';
import type { PipelineContext } from '../../../lambda/pipeline/context.ts';
import { type SceneWorld, bandFile } from '../../support/scene-world.ts';
import { finishedScene, outputsOf, removeBehind, replaceBehind, sceneOf, toolsOf } from './operator.ts';

const overwrite = async (world: SceneWorld, id: string, backfill = 'first', context: PipelineContext = world.context) =>
  overwriteScene(context, toolsOf(world), await sceneOf(world, id), { backfill, concurrency: 3 });
const tile = (id: string, window = '0000_0000'): string => `tiles/${id}/${window}.tif`;
const verified = async (world: SceneWorld, id: string) =>
  verifyScene(world.context, await sceneOf(world, id), { readBytes: true });
const methodsOn = (world: SceneWorld, key: string): string[] =>
  world.engine.objects.versions(key).map(({ how }) => how);

describe('an overwriting backfill', () => {
  it('of unchanged pixels sends nothing and assembles nothing', async () => {
    const { world, id } = await finishedScene();
    const before = outputsOf(world);
    expect(await overwrite(world, id)).toMatchObject({
      windows: { unchanged: 9, overwritten: 0, superseded: 0 },
      assembly: 'not needed',
    });
    expect(outputsOf(world)).toEqual(before);
    expect(methodsOn(world, tile(id))).toEqual(['created']);
  });

  it('puts a spoilt window right under the ETag it was inspected with, its row too, and assembles again', async () => {
    const { world, id } = await finishedScene();
    const before = outputsOf(world);
    await replaceBehind(world, tile(id));
    const done = await overwrite(world, id);
    expect(done).toMatchObject({ windows: { overwritten: 1, unchanged: 8 }, assembly: 'assembled' });
    expect(methodsOn(world, tile(id))).toEqual(['created', 'replaced', 'replaced']);
    expect(outputsOf(world)).toEqual(before);
    expect(await verified(world, id)).toEqual([]);
  });

  it('creates where there was no object, and removes one where there is no pixel', async () => {
    const { world, id } = await finishedScene();
    await removeBehind(world, tile(id));
    await replaceBehind(world, tile(id, '0002_0002'));
    expect((await overwrite(world, id)).windows).toMatchObject({ overwritten: 1, emptied: 1, unchanged: 7 });
    expect(methodsOn(world, tile(id))).toEqual(['created', 'removed', 'created']);
    expect(methodsOn(world, tile(id, '0002_0002'))).toEqual(['created', 'removed']);
    expect(await verified(world, id)).toEqual([]);
  });

  it('replaces mosaic, preview and item where the tiles are others, under their ETags', async () => {
    const { world, id } = await finishedScene();
    const { plan } = await sceneOf(world, id);
    for (const key of [mosaicKey(plan.sceneJobId), itemKey(plan.sceneJobId)]) await replaceBehind(world, key);
    await replaceBehind(world, tile(id));
    await overwrite(world, id);
    expect(await verified(world, id)).toEqual([]);
    expect(methodsOn(world, mosaicKey(plan.sceneJobId))).toEqual(['created', 'replaced', 'replaced']);
    expect(methodsOn(world, itemKey(plan.sceneJobId))).toEqual(['created', 'replaced', 'replaced']);
  });

  it('leaves what another wrote since the inspection, and says so', async () => {
    const { world, id } = await finishedScene();
    await replaceBehind(world, tile(id));
    const hold = world.engine.faults.hold('objects.replace');
    const running = overwrite(world, id);
    await hold.reached;
    await replaceBehind(world, tile(id), 'a rival was here');
    hold.release();
    await expect(running).rejects.toThrow(/0000_0000/);
    expect(world.engine.objects.versions(tile(id)).at(-1)?.sha256).toBe('sha of a rival was here');
  });

  it('makes nothing of a scene that is purged meanwhile', async () => {
    const { world, id } = await finishedScene();
    const scene = await sceneOf(world, id);
    await replaceBehind(world, tile(id));
    const hold = world.engine.faults.hold(`objects.head ${tile(id)}`);
    const running = overwriteScene(world.context, toolsOf(world), scene, { backfill: 'first', concurrency: 1 });
    const failure = running.catch((error: unknown) => error);
    await hold.reached;
    await purgeScene(world.context, scene.plan, 'COMPLETE');
    hold.release();
    expect(await failure).toBeInstanceOf(ManifestGapError);
    expect([world.engine.objects.keys(), await world.engine.manifest.listRows(id)]).toEqual([[], []]);
  });

  it('counts its own write as written where the reply was lost', async () => {
    const { world, id } = await finishedScene();
    await replaceBehind(world, tile(id));
    world.engine.faults.dropReply('objects.replace');
    await expect(overwrite(world, id)).rejects.toThrow(/out of reach/);
    // The PUT had its effect and its reply was lost: the next inspection finds our bytes and puts the row right.
    expect((await overwrite(world, id)).windows).toMatchObject({ overwritten: 0, superseded: 0 });
    expect(await verified(world, id)).toEqual([]);
  });

  it('is resumed by its name: what it did is not computed again', async () => {
    const { world, id } = await finishedScene();
    await replaceBehind(world, tile(id));
    await overwrite(world, id);
    const opened = world.sources.opened;
    expect(await overwrite(world, id)).toMatchObject({ windows: { 'done-before': 9 }, assembly: 'done-before' });
    expect(world.sources.opened).toBe(opened);
  });

  it('that runs twice at once overwrites once', async () => {
    const { world, id } = await finishedScene();
    await replaceBehind(world, tile(id));
    await Promise.all([overwrite(world, id, 'a'), overwrite(world, id, 'b')].map((run) => run.catch(() => null)));
    await overwrite(world, id, 'c');
    expect(methodsOn(world, tile(id)).filter((how) => how === 'replaced')).toHaveLength(2);
    expect(await verified(world, id)).toEqual([]);
  });

  it('refuses a scene whose sources are others now, or that this release would make otherwise, and changes nothing', async () => {
    const { world, id } = await finishedScene();
    const before = outputsOf(world);
    world.sources.put('S_B04.tif', bandFile(9));
    await expect(overwrite(world, id)).rejects.toThrow(/is not overwritten: its sources are others now/);
    expect(outputsOf(world)).toEqual(before);
  });
});
