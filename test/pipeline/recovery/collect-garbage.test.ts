import { describe, expect, it } from '@jest/globals';
import { collectGarbage } from '../../../lambda/pipeline/recovery/collect-garbage.ts';
import { parseSceneJobId } from '../../../lambda/identity/job-key.ts';
import { tileKey } from '../../../lambda/identity/output-keys.ts';
import { allScenes } from '../../../lambda/pipeline/recovery/select-scenes.ts';
import { ownerlessFindings } from '../../../lambda/pipeline/recovery/stray-findings.ts';
import { SceneWorld } from '../../support/scene-world.ts';
import { HOUR, finishedScene, outputsOf, removeBehind, replaceBehind } from './operator.ts';

const DAY = 24 * HOUR;
const NOBODY = parseSceneJobId('ab'.repeat(32));
const strayKey = NOBODY === null ? '' : tileKey(NOBODY, { row: 0, column: 0 });
const collect = (world: SceneWorld, dryRun = false) => collectGarbage(world.context, { olderThanMs: DAY, dryRun });

/** Another deployment, whose ledger and claims are empty, over the same objects. */
const withoutLedger = async (lost: SceneWorld): Promise<{ world: SceneWorld; id: string }> => {
  const world = new SceneWorld();
  for (const key of lost.engine.objects.keys()) {
    const info = await lost.engine.objects.head(key);
    const body = await lost.engine.objects.get(key);
    if (info === null || body === null) throw new Error(`${key} is gone`);
    const { sha256, digest } = info;
    const copy = { key, body: new Uint8Array(body), contentType: 'image/tiff' };
    await world.engine.objects.create({ ...copy, sha256: sha256 ?? '', digest: digest ?? '' });
  }
  const [record] = await lost.engine.manifest.listPlans();
  return { world, id: record?.sceneJobId ?? '' };
};

describe('gc', () => {
  it('removes an object that no row owns once it is a day old, and nothing else', async () => {
    const { world } = await finishedScene();
    const before = outputsOf(world);
    await replaceBehind(world, strayKey);
    expect(await collect(world)).toMatchObject({ strays: 1, young: 1, removed: 0 });
    await world.engine.clock.advance(DAY + 1);
    expect(await collect(world, true)).toMatchObject({ strays: 1, removed: 0 });
    expect(world.engine.objects.keys()).toContain(strayKey);
    expect(await collect(world)).toMatchObject({ strays: 1, removed: 1, bytes: 8 });
    expect(outputsOf(world)).toEqual(before);
    expect(await collect(world)).toMatchObject({ strays: 0 });
  });

  it('removes the tile of a worker that died before its row, and the window is made anew', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    world.engine.faults.failBefore('manifest.putRow', 1, new Error('crashed'));
    const [first = '', ...rest] = await world.drain('tiles');
    await world.engine.queue.send('tiles', [first]);
    world.engine.faults.failBefore('manifest.putRow', 2, new Error('crashed'));
    await world.work();
    expect(world.engine.queue.deadLetters).toHaveLength(1);
    await world.engine.clock.advance(DAY + 1);
    expect(await collect(world)).toMatchObject({ removed: 1 });
    await world.engine.queue.send('tiles', [first, ...rest]);
    await world.work();
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('ASSEMBLED');
  });

  it("removes somebody's object under the key of an EMPTY window, whose row stays and whose job stays done", async () => {
    const { world, id } = await finishedScene();
    const rows = await world.engine.manifest.listRows(id);
    const scene = parseSceneJobId(id);
    if (scene === null) throw new Error('no scene id');
    const key = tileKey(scene, { row: 2, column: 2 });
    await replaceBehind(world, key);
    expect(await collectGarbage(world.context, { olderThanMs: -1, dryRun: false })).toMatchObject({ removed: 1 });
    expect(world.engine.objects.keys()).not.toContain(key);
    expect(await world.engine.manifest.listRows(id)).toEqual(rows);
    expect([...world.engine.claims.rows.values()].every(({ state }) => state === 'COMMITTED')).toBe(true);
  });

  it('leaves an object alone whose job somebody is at work on', async () => {
    const world = new SceneWorld();
    await world.plan();
    const hold = world.engine.faults.hold('manifest.putRow');
    const working = world.work();
    await hold.reached;
    expect(await collectGarbage(world.context, { olderThanMs: -1, dryRun: false })).toMatchObject({
      inUse: 1,
      removed: 0,
    });
    hold.release();
    await working;
    expect(await collectGarbage(world.context, { olderThanMs: -1, dryRun: false })).toMatchObject({ strays: 0 });
  });

  it('keeps an object whose row came while it was looked at, and its job stays done', async () => {
    const { world, id } = await finishedScene();
    const [row] = await world.engine.manifest.listRows(id);
    if (row?.state !== 'WRITTEN') throw new Error('no row');
    await world.engine.manifest.deleteRow(id, row.window, row.etag);
    const hold = world.engine.faults.hold('claims.seize');
    const collecting = collectGarbage(world.context, { olderThanMs: -1, dryRun: false });
    await hold.reached;
    await world.engine.manifest.putRow(row);
    hold.release();
    expect(await collecting).toMatchObject({ inUse: 1, removed: 0 });
    expect(await world.engine.objects.head(row.key)).not.toBeNull();
    expect([...world.engine.claims.rows.values()].every(({ state }) => state === 'COMMITTED')).toBe(true);
  });

  it('leaves the finished scenes of a lost ledger, however old, and a new run finds them as they are', async () => {
    const { world: lost } = await finishedScene();
    const { world, id } = await withoutLedger(lost);
    const before = outputsOf(world);
    await world.engine.clock.advance(DAY + 1);
    const spared = { strays: 11, removed: 0, unknown: 11, unknownScenes: 1 };
    expect(await collect(world)).toMatchObject(spared);
    expect(world.engine.claims.rows.size).toBe(0);
    await world.plan();
    await world.work();
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('ASSEMBLED');
    expect(outputsOf(world)).toEqual(before);
    expect(await collect(world)).toMatchObject({ strays: 0 });
  });

  it('removes them where that is asked for in so many words', async () => {
    const { world: lost } = await finishedScene();
    const { world } = await withoutLedger(lost);
    await world.engine.clock.advance(DAY + 1);
    const report = await collectGarbage(world.context, { olderThanMs: DAY, dryRun: false, unknownScenes: true });
    expect(report).toMatchObject({ strays: 11, removed: 11, unknown: 0 });
    expect(world.engine.objects.keys()).toEqual([]);
  });

  it('takes what an unplanned scene without an item has for garbage: it is no finished output', async () => {
    const { world: lost } = await finishedScene();
    const { world, id } = await withoutLedger(lost);
    await removeBehind(world, `scenes/${id}/item.json`);
    await world.engine.clock.advance(DAY + 1);
    expect(await collect(world)).toMatchObject({ removed: 10, unknown: 0, unknownScenes: 0 });
  });

  it('shows an object of another’s name and never removes it', async () => {
    const { world } = await finishedScene();
    await replaceBehind(world, 'tiles/readme.txt');
    await world.engine.clock.advance(DAY + 1);
    expect(await collect(world)).toMatchObject({ strays: 1, foreign: 1, removed: 0 });
    expect(world.engine.objects.keys()).toContain('tiles/readme.txt');
    expect(await ownerlessFindings(world.context, await allScenes(world.engine.manifest))).toMatchObject([
      { kind: 'stray', message: 'tiles/readme.txt: not written by tileonce: move it away' },
    ]);
  });
});
