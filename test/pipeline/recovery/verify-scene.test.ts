import { describe, expect, it } from '@jest/globals';
import { itemKey, mosaicKey } from '../../../lambda/identity/output-keys.ts';
import { repairScene } from '../../../lambda/pipeline/recovery/repair-scene.ts';
import { replayDelivery } from '../../../lambda/pipeline/recovery/replay-delivery.ts';
import { type Finding, verifyScene } from '../../../lambda/pipeline/recovery/verify-scene.ts';
import { type SceneWorld, bandFile } from '../../support/scene-world.ts';
import { finishedScene, outputsOf, removeBehind, replaceBehind, sceneOf, statusOf, toolsOf } from './operator.ts';

const verify = async (world: SceneWorld, id: string): Promise<Finding[]> =>
  verifyScene(world.context, await sceneOf(world, id), { readBytes: true });
const kinds = (findings: readonly Finding[]): string[] => findings.map(({ kind, window }) => `${kind} ${window ?? ''}`);
const keyOf = (id: string, window = '0000_0000'): string => `tiles/${id}/${window}.tif`;

describe('verify', () => {
  it('finds nothing in a finished scene', async () => {
    const { world, id } = await finishedScene();
    expect(await verify(world, id)).toEqual([]);
  });

  it('finds a row whose object is gone', async () => {
    const { world, id } = await finishedScene();
    await removeBehind(world, keyOf(id));
    expect(kinds(await verify(world, id))).toEqual(['object-gone 0000_0000']);
  });

  it('finds an object that is not its row’s, and says in what', async () => {
    const { world, id } = await finishedScene();
    await replaceBehind(world, keyOf(id));
    const [finding, ...others] = await verify(world, id);
    expect(others).toEqual([]);
    expect(finding?.message).toMatch(/0000_0000\.tif: 8 bytes, its row says \d+; ETag etag-\d+, its row says etag-\d+/);
  });

  it('finds bytes that changed under the same size and ETag', async () => {
    const { world, id } = await finishedScene();
    const row = await world.engine.manifest.getRow(id, '0000_0000');
    if (row?.state !== 'WRITTEN') throw new Error('no row');
    await world.engine.manifest.replaceRow({ ...row, sha256: 'other' }, row.etag);
    expect(kinds(await verify(world, id))).toEqual(['object-differs 0000_0000']);
  });

  it('finds a window without a row, and then its object is a stray', async () => {
    const { world, id } = await finishedScene();
    const row = await world.engine.manifest.getRow(id, '0000_0000');
    await world.engine.manifest.deleteRow(id, '0000_0000', row?.state === 'WRITTEN' ? row.etag : null);
    expect(kinds(await verify(world, id))).toEqual(['row-missing 0000_0000', 'stray ']);
  });

  it('finds an object where the ledger says EMPTY', async () => {
    const { world, id } = await finishedScene();
    await replaceBehind(world, keyOf(id, '0002_0002'));
    expect(kinds(await verify(world, id))).toEqual(['stray ']);
  });

  it('finds a mosaic that is gone, and one that is not the item’s', async () => {
    const { world, id } = await finishedScene();
    const { plan } = await sceneOf(world, id);
    await replaceBehind(world, mosaicKey(plan.sceneJobId));
    expect(kinds(await verify(world, id))).toEqual(['scene-file-differs ']);
    await removeBehind(world, mosaicKey(plan.sceneJobId));
    expect(kinds(await verify(world, id))).toEqual(['scene-file-missing ']);
    await removeBehind(world, itemKey(plan.sceneJobId));
    expect(kinds(await verify(world, id))).toEqual(['scene-file-missing ']);
  });
});

describe('a replayed delivery', () => {
  it('changes nothing in a finished scene', async () => {
    const { world, id } = await finishedScene();
    const opened = world.sources.opened;
    expect(await replayDelivery(world.context, toolsOf(world), await sceneOf(world, id))).toEqual({
      kind: 'replayed',
      findings: [],
    });
    expect(world.sources.opened).toBe(opened);
  });

  it('that does something is told', async () => {
    const { world, id } = await finishedScene();
    // As if committed rows had expired: the work is done again, and finds its object there.
    world.engine.claims.rows.clear();
    const replayed = await replayDelivery(world.context, toolsOf(world), await sceneOf(world, id));
    expect(replayed.kind === 'replayed' && replayed.findings.map(({ message }) => message)).toEqual([
      'a repeated upload was answered "planned", not "complete"',
      'a repeated window was answered "worked", not "committed"',
      'a repeated assembly was answered "worked", not "committed"',
    ]);
  });

  it('is not made where it would mean another scene', async () => {
    const { world, id } = await finishedScene();
    world.sources.put('S_B04.tif', bandFile(9));
    const scene = await sceneOf(world, id);
    expect(await replayDelivery(world.context, toolsOf(world), scene)).toEqual({
      kind: 'skipped',
      why: 'its sources are others now',
    });
    expect(await world.engine.manifest.listPlans()).toHaveLength(1);
  });
});

describe('a repair', () => {
  const repairAll = async (world: SceneWorld, id: string) => {
    const repaired = await repairScene(world.context, await sceneOf(world, id), await verify(world, id));
    await world.work();
    return repaired;
  };

  it('makes a window again whose object is gone, and the scene is as it was', async () => {
    const { world, id } = await finishedScene();
    const before = outputsOf(world);
    await removeBehind(world, keyOf(id));
    expect(await repairAll(world, id)).toEqual({ windows: ['0000_0000'], assembly: true });
    expect(await verify(world, id)).toEqual([]);
    expect(outputsOf(world)).toEqual(before);
    expect((await statusOf(world, id)).state).toBe('COMPLETE');
  });

  it('makes a window again whose object is another’s', async () => {
    const { world, id } = await finishedScene();
    const before = outputsOf(world);
    await replaceBehind(world, keyOf(id, '0001_0001'));
    await repairAll(world, id);
    expect(await verify(world, id)).toEqual([]);
    expect(outputsOf(world)).toEqual(before);
  });

  it('makes a mosaic again that is gone, or another’s', async () => {
    const { world, id } = await finishedScene();
    const before = outputsOf(world);
    const key = mosaicKey((await sceneOf(world, id)).plan.sceneJobId);
    for (const spoil of [removeBehind, replaceBehind]) {
      await spoil(world, key);
      expect(await repairAll(world, id)).toEqual({ windows: [], assembly: true });
      expect(await verify(world, id)).toEqual([]);
      expect(outputsOf(world)).toEqual(before);
    }
  });

  it('of nothing does nothing', async () => {
    const { world, id } = await finishedScene();
    expect(await repairAll(world, id)).toEqual({ windows: [], assembly: false });
    expect(world.engine.queue.messages).toEqual([]);
  });
});
