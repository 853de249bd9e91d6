import { describe, expect, it, jest } from '@jest/globals';
import { type SceneJobId, assemblyJobId } from '../../../lambda/identity/job-key.ts';
import { itemKey, mosaicKey, previewKey } from '../../../lambda/identity/output-keys.ts';
import { countScene } from '../../../lambda/pipeline/count-scene.ts';
import { leftOfPurge } from '../../../lambda/pipeline/recovery/left-of-purge.ts';
import { purgeScene } from '../../../lambda/pipeline/recovery/purge-scene.ts';
import { plannedRepair, repairScene, repairText } from '../../../lambda/pipeline/recovery/repair-scene.ts';
import { replayDelivery } from '../../../lambda/pipeline/recovery/replay-delivery.ts';
import { allScenes } from '../../../lambda/pipeline/recovery/select-scenes.ts';
import { ownerlessFindings } from '../../../lambda/pipeline/recovery/stray-findings.ts';
import { type Finding, verifyScene } from '../../../lambda/pipeline/recovery/verify-scene.ts';
import { type SceneWorld, bandFile } from '../../support/scene-world.ts';
import { HOUR, finishedScene, outputsOf, removeBehind, replaceBehind, sceneOf, statusOf, toolsOf } from './operator.ts';

const verify = async (world: SceneWorld, id: string): Promise<Finding[]> =>
  verifyScene(world.context, await sceneOf(world, id), { readBytes: true });
const kinds = (findings: readonly Finding[]): string[] => findings.map(({ kind, window }) => `${kind} ${window ?? ''}`);
/** Changes an item's text, as somebody who goes round the ledger would. */
const alterItem = async (world: SceneWorld, id: SceneJobId, alter: (text: string) => string): Promise<void> => {
  const text = Buffer.from((await world.engine.objects.get(itemKey(id))) ?? []).toString();
  if (alter(text) === text) throw new Error('nothing was altered');
  await replaceBehind(world, itemKey(id), alter(text));
};
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

  it('tells of a stray once, with who removes it, whether it lies in a planned scene’s folder or not', async () => {
    const { world, id } = await finishedScene();
    const row = await world.engine.manifest.getRow(id, '0000_0000');
    await world.engine.manifest.deleteRow(id, '0000_0000', row?.state === 'WRITTEN' ? row.etag : null);
    const foreign = [`tiles/${id}/junk.tif`, `scenes/${id}/a/b.txt`, `scenes/${id}`, 'tiles/readme.txt'];
    const unplanned = `tiles/${'ab'.repeat(32)}/0000_0000.tif`;
    for (const key of [...foreign, unplanned]) await replaceBehind(world, key);
    const scenes = await allScenes(world.engine.manifest);
    const found = [...(await verify(world, id)), ...(await ownerlessFindings(world.context, scenes))];
    expect(found.flatMap(({ kind, message }) => (kind === 'stray' ? [message] : [])).toSorted()).toEqual(
      [
        ...foreign.map((key) => `${key}: not written by tileonce: move it away`),
        ...[keyOf(id), unplanned].map((key) => `${key}: no ledger row owns it: gc removes it when it is old enough`),
      ].toSorted(),
    );
  });

  it('does not ask to purge again for an object that no purge removes', async () => {
    const { world, id } = await finishedScene();
    await purgeScene(world.context, (await sceneOf(world, id)).plan, 'COMPLETE');
    await replaceBehind(world, `tiles/${id}/junk.tif`);
    expect((await verify(world, id)).map(({ message }) => message)).toEqual([
      `tiles/${id}/junk.tif: not written by tileonce: move it away`,
    ]);
  });

  it('opens no tile whose checksum the store keeps where bytes need not be read, and every one where they must', async () => {
    const { world, id } = await finishedScene();
    const open = jest.spyOn(world.engine.objects, 'open');
    const tilesOpened = (): number => open.mock.calls.filter(([key]) => key.startsWith('tiles/')).length;
    expect(await verifyScene(world.context, await sceneOf(world, id), { readBytes: false })).toEqual([]);
    expect(tilesOpened()).toBe(0);
    await verify(world, id);
    expect(tilesOpened()).toBe(8);
  });

  it('finds a mosaic that is gone, and one that is not the item’s', async () => {
    const { world, id } = await finishedScene();
    const { plan } = await sceneOf(world, id);
    await replaceBehind(world, mosaicKey(plan.sceneJobId));
    expect(kinds(await verify(world, id))).toEqual(['scene-file-differs ']);
    await removeBehind(world, mosaicKey(plan.sceneJobId));
    expect(kinds(await verify(world, id))).toEqual(['scene-file-missing ']);
    await removeBehind(world, itemKey(plan.sceneJobId));
    expect(kinds(await verify(world, id))).toEqual(['scene-file-missing ', 'scene-file-missing ']);
  });

  it.each([
    ['emptied', () => ''],
    ['given another name', (text: string) => text.replace('"id": "S-ndvi', '"id": "T-ndvi')],
    ['given another statistic', (text: string) => text.replace(/"maximum": [-\d.]+/, '"maximum": 7')],
    [
      'given another preview size',
      (text: string) => text.replace(/("proj:shape": \[\s*)\d+(?![\s\S]*proj:shape)/, '$199'),
    ],
    ['given a space more', (text: string) => `${text} `],
  ])('finds an item that was %s, names it alone, and it is made again as it was', async (_, alter) => {
    const { world, id } = await finishedScene();
    const before = outputsOf(world);
    const { plan } = await sceneOf(world, id);
    await alterItem(world, plan.sceneJobId, alter);
    const found = await verify(world, id);
    expect(found.map(({ key }) => key)).toEqual([itemKey(plan.sceneJobId)]);
    expect(found[0]?.message).toContain('it is not the item that plan and rows give');
    await repairScene(world.context, await sceneOf(world, id), found);
    await world.work();
    expect(await verify(world, id)).toEqual([]);
    expect(outputsOf(world)).toEqual(before);
  });

  it('names the preview, and the mosaic, where the item is right', async () => {
    const { world, id } = await finishedScene();
    const { plan } = await sceneOf(world, id);
    await replaceBehind(world, previewKey(plan.sceneJobId));
    expect((await verify(world, id)).map(({ key }) => key)).toEqual([previewKey(plan.sceneJobId)]);
    await replaceBehind(world, mosaicKey(plan.sceneJobId));
    expect((await verify(world, id)).map(({ key }) => key)).toEqual([
      mosaicKey(plan.sceneJobId),
      previewKey(plan.sceneJobId),
    ]);
  });

  it('says of an interrupted purge that it is to be run again', async () => {
    const { world, id } = await finishedScene();
    await world.engine.manifest.movePlan(id, ['ASSEMBLED'], 'PURGED', 'purged by an operator');
    const found = await verify(world, id);
    expect(found.map(({ message }) => message)).toEqual([
      `scene ${id.slice(0, 12)} is PURGED, 11 objects left: run purge again`,
    ]);
    expect(await leftOfPurge(world.context, await statusOf(world, id))).toBe(11);
    await purgeScene(world.context, (await sceneOf(world, id)).plan, 'PURGED');
    expect(await verify(world, id)).toEqual([]);
    expect(await leftOfPurge(world.context, await statusOf(world, id))).toBe(0);
  });

  it('finds a scene that has every row and no item, once nobody is at work on it', async () => {
    const { world, id } = await finishedScene();
    const { plan } = await sceneOf(world, id);
    await removeBehind(world, itemKey(plan.sceneJobId));
    await world.engine.manifest.movePlan(id, ['ASSEMBLED'], 'OPEN', null);
    expect(await verify(world, id)).toEqual([]);
    const found = await verifyScene(world.context, await sceneOf(world, id), { readBytes: true, stalled: true });
    expect(kinds(found)).toEqual(['not-assembled ']);
    await repairScene(world.context, await sceneOf(world, id), found);
    await world.work();
    expect((await statusOf(world, id)).state).toBe('COMPLETE');
    expect(await verify(world, id)).toEqual([]);
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

  it('that is only planned says for each finding what would be done, and is what is done then', async () => {
    const { world, id } = await finishedScene();
    await removeBehind(world, keyOf(id));
    const { plan } = await sceneOf(world, id);
    await alterItem(world, plan.sceneJobId, (text) => text.replace('1.1.0', '1.0.0'));
    await removeBehind(world, mosaicKey(plan.sceneJobId));
    await replaceBehind(world, `tiles/${id}/junk.tif`);
    const before = outputsOf(world);
    const found = await verify(world, id);
    expect(Object.fromEntries(found.map((finding) => [finding.kind, repairText(finding)]))).toEqual({
      'object-gone': 'would purge window 0000_0000 and send it again',
      'scene-file-differs': 'would remove it and assemble the scene again',
      'scene-file-missing': 'would assemble the scene again',
      stray: null,
    });
    const planned = plannedRepair(plan, found);
    expect(planned).toMatchObject({ scene: id, windows: ['0000_0000'], assembly: true });
    expect(planned.files.toSorted()).toEqual([itemKey(plan.sceneJobId), previewKey(plan.sceneJobId)].toSorted());
    expect(outputsOf(world)).toEqual(before);
    const { windows, assembly } = planned;
    expect(await repairAll(world, id)).toEqual({ windows, assembly });
    expect(kinds(await verify(world, id))).toEqual(['stray ']);
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

  it('makes a tile again that is gone and an item that was altered, both at once', async () => {
    const { world, id } = await finishedScene();
    const before = outputsOf(world);
    await removeBehind(world, keyOf(id));
    await alterItem(world, (await sceneOf(world, id)).plan.sceneJobId, (text) => text.replace('1.1.0', '1.0.0'));
    await repairAll(world, id);
    expect(await verify(world, id)).toEqual([]);
    expect(outputsOf(world)).toEqual(before);
    expect((await statusOf(world, id)).state).toBe('COMPLETE');
  });

  it('gets a scene out whose assembly was given up because its item is another’s', async () => {
    const { world, id } = await finishedScene();
    const before = outputsOf(world);
    const { plan, record } = await sceneOf(world, id);
    await alterItem(world, plan.sceneJobId, () => '{}');
    world.engine.claims.rows.delete(assemblyJobId(plan.sceneJobId));
    await world.engine.manifest.movePlan(id, ['ASSEMBLED'], 'OPEN', null);
    await countScene(world.context, { ...record, sceneJobId: plan.sceneJobId });
    for (let receive = 0; receive < 8; receive++) {
      await world.work();
      await world.engine.clock.advance(HOUR);
    }
    expect((await statusOf(world, id)).state).toBe('STALLED');
    const found = await verifyScene(world.context, await sceneOf(world, id), { readBytes: true, stalled: true });
    expect(kinds(found)).toEqual(['not-assembled ', 'scene-file-differs ']);
    await repairScene(world.context, await sceneOf(world, id), found);
    await world.work();
    expect((await statusOf(world, id)).state).toBe('COMPLETE');
    expect(outputsOf(world)).toEqual(before);
  });

  it('of a scene that somebody is assembling is refused, and removes nothing of it', async () => {
    const { world, id } = await finishedScene();
    const { plan } = await sceneOf(world, id);
    await alterItem(world, plan.sceneJobId, () => '{}');
    const jobId = assemblyJobId(plan.sceneJobId);
    const now = world.engine.clock.now();
    world.engine.claims.rows.delete(jobId);
    await world.engine.claims.claim({ jobId, owner: 'other', now, leaseUntil: now + HOUR, expiresAt: now });
    const before = outputsOf(world);
    await expect(repairAll(world, id)).rejects.toThrow(/in flight: it is being assembled/);
    expect(outputsOf(world)).toEqual(before);
  });

  it('of nothing does nothing', async () => {
    const { world, id } = await finishedScene();
    expect(await repairAll(world, id)).toEqual({ windows: [], assembly: false });
    expect(world.engine.queue.messages).toEqual([]);
  });
});
