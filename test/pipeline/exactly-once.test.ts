import { describe, expect, it } from '@jest/globals';
import { itemKey, mosaicKey, previewKey } from '../../lambda/identity/output-keys.ts';
import { type SceneJobId, parseSceneJobId } from '../../lambda/identity/job-key.ts';
import { VISIBILITY_MS } from '../../lambda/local/timing.ts';
import type { Hook } from '../support/memory/faults.ts';
import { SceneWorld, bandFile, smallPipeline } from '../support/scene-world.ts';

const sceneId = (text: string): SceneJobId => {
  const id = parseSceneJobId(text);
  if (id === null) throw new Error(`${text} is no scene id`);
  return id;
};

/** Every output's bytes, by key. */
const outputsOf = (world: SceneWorld): Record<string, string> =>
  Object.fromEntries(
    world.engine.objects.keys().map((key) => [key, world.engine.objects.versions(key).at(-1)?.sha256 ?? '']),
  );

const versionsOf = (world: SceneWorld): number[] =>
  world.engine.objects.keys().map((key) => world.engine.objects.versions(key).length);

describe('a scene', () => {
  it('becomes a tile a window, a mosaic, a preview and an item; a window without a valid pixel becomes only a row', async () => {
    const world = new SceneWorld();
    const id = sceneId(await world.plan());
    await world.work();
    expect(world.outcomes()).toEqual({ written: 8, empty: 1 });
    const keys = world.engine.objects.keys();
    expect(keys.filter((key) => key.startsWith(`tiles/${id}/`))).toHaveLength(8);
    expect(keys).toEqual(expect.arrayContaining([mosaicKey(id), previewKey(id), itemKey(id)]));
    const rows = await world.engine.manifest.listRows(id);
    expect(rows.map(({ window, state }) => `${window} ${state}`)).toEqual([
      ...['0000_0000', '0000_0001', '0000_0002', '0001_0000', '0001_0001', '0001_0002', '0002_0000', '0002_0001'].map(
        (window) => `${window} WRITTEN`,
      ),
      '0002_0002 EMPTY',
    ]);
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('ASSEMBLED');
  });

  it('of empty windows alone gets an item that says so, and no mosaic', async () => {
    const world = new SceneWorld();
    const nothing = bandFile(1).slice();
    world.sources.put('S_B04.tif', nothing);
    const pipeline = smallPipeline();
    const masked = { ...pipeline, mask: 'B04 == B04' };
    const id = sceneId(await world.plan(masked));
    await world.work();
    expect(world.engine.objects.keys()).toEqual([itemKey(id)]);
    const item = JSON.parse(new TextDecoder().decode((await world.engine.objects.get(itemKey(id))) ?? undefined));
    expect(item.assets.mosaic).toBeUndefined();
  });

  it('has rows whose bytes, ETag and checksum are those of their objects', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    await world.work();
    for (const row of await world.engine.manifest.listRows(id)) {
      if (row.state === 'EMPTY') continue;
      expect(await world.engine.objects.head(row.key)).toMatchObject({
        bytes: row.bytes,
        etag: row.etag,
        sha256: row.sha256,
      });
    }
  });
});

describe('a scene that rings again', () => {
  it('costs one refused claim, opens no source and writes nothing', async () => {
    const world = new SceneWorld();
    await world.plan();
    await world.work();
    const before = outputsOf(world);
    const opened = world.sources.opened;
    expect((await world.ring()).kind).toBe('complete');
    expect((await world.ring(smallPipeline(), 'S_B08.tif')).kind).toBe('complete');
    await world.work();
    expect(world.sources.opened).toBe(opened);
    expect(outputsOf(world)).toEqual(before);
    expect(new Set(versionsOf(world))).toEqual(new Set([1]));
  });

  it('while its fan-out is under way is told when the lease ends', async () => {
    const world = new SceneWorld();
    const hold = world.engine.faults.hold('manifest.createPlan');
    const first = world.ring();
    await hold.reached;
    expect((await world.ring()).kind).toBe('live');
    hold.release();
    expect((await first).kind).toBe('planned');
  });

  it('gets what is missing sent again, with the pins of now', async () => {
    const world = new SceneWorld();
    await world.plan();
    const lost = await world.drain('tiles');
    expect(lost).toHaveLength(9);
    expect(await world.ring()).toMatchObject({ kind: 'resumed', sent: 9 });
    await world.work();
    expect(world.outcomes()).toEqual({ written: 8, empty: 1 });
  });

  it('soon after its fan-out, for a sibling, costs one refused claim and no message', async () => {
    const world = new SceneWorld();
    await world.plan();
    const patient = () => world.ring(smallPipeline(), 'S_B08.tif', world.context, false, 960_000);
    expect(await patient()).toMatchObject({ kind: 'resumed', sent: 0 });
    await world.engine.clock.advance(960_000);
    expect(await patient()).toMatchObject({ kind: 'resumed', sent: 9 });
  });

  it('soon after its fan-out, but superseded in between, is sent whole', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    await world.engine.manifest.closePlan(id, 'SUPERSEDED', 'replaced and put back');
    expect(await world.ring(smallPipeline(), 'S_B08.tif', world.context, false, 960_000)).toMatchObject({ sent: 9 });
  });

  it('soon after its fan-out, superseded in between, is sent whole though the first sending failed', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    await world.drain('tiles');
    await world.engine.manifest.closePlan(id, 'SUPERSEDED', 'replaced and put back');
    world.engine.faults.failBefore('queue.send tiles');
    const ring = () => world.ring(smallPipeline(), 'S_B08.tif', world.context, false, 960_000);
    await expect(ring()).rejects.toThrow(/out of reach/);
    expect(await ring()).toMatchObject({ sent: 9 });
    await world.work();
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('ASSEMBLED');
  });

  it('with every row there but no item is sent to assembly', async () => {
    const world = new SceneWorld();
    await world.plan();
    const stop = world.engine.faults.outage('objects.create scenes');
    await world.work();
    stop();
    const fresh = new SceneWorld();
    const id = await fresh.plan();
    fresh.engine.faults.failBefore('manifest.closePlan', 3, new Error('crashed'));
    await fresh.work();
    expect((await fresh.engine.manifest.getPlan(id))?.state).toBe('OPEN');
    expect(await fresh.ring()).toMatchObject({ kind: 'resumed', sent: 0 });
    await fresh.engine.clock.advance(VISIBILITY_MS);
    await fresh.work();
    expect((await fresh.engine.manifest.getPlan(id))?.state).toBe('ASSEMBLED');
  });

  it('without one of its bands does nothing, and is whole once that is there', async () => {
    const world = new SceneWorld();
    world.sources.remove('S_B08.tif');
    expect(await world.ring()).toEqual({
      kind: 'incomplete',
      missing: [{ band: 'B08', keys: expect.arrayContaining(['S_B08.tif']) }],
    });
    expect(await world.drain('tiles')).toEqual([]);
    world.sources.put('S_B08.tif', bandFile(2));
    expect((await world.ring(smallPipeline(), 'S_B08.tif')).kind).toBe('planned');
  });
});

describe('messages that come twice', () => {
  it('make one version of every object, and the twins are refused', async () => {
    const world = new SceneWorld();
    await world.plan();
    const bodies = await world.drain('tiles');
    await world.engine.queue.send('tiles', [...bodies, ...bodies]);
    await world.work();
    expect(world.outcomes()).toMatchObject({ written: 8, empty: 1 });
    expect(new Set(versionsOf(world))).toEqual(new Set([1]));
  });

  it('at the same time on two workers make one version too', async () => {
    const world = new SceneWorld();
    await world.plan();
    const bodies = await world.drain('tiles');
    await world.engine.queue.send('tiles', [...bodies, ...bodies]);
    await Promise.all([world.work(), world.work(), world.work()]);
    await world.engine.clock.advance(VISIBILITY_MS * 2);
    await world.work();
    expect(world.outcomes()).toMatchObject({ written: 8, empty: 1 });
    expect(new Set(versionsOf(world))).toEqual(new Set([1]));
  });
});

describe('a source that is replaced in mid-scene', () => {
  it('is never mixed: the plan is superseded, and the scene is rung for again', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    world.sources.put('S_B08.tif', bandFile(7));
    await world.work();
    expect(world.engine.objects.keys()).toEqual([]);
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('SUPERSEDED');
    expect(await world.drain('scenes')).toHaveLength(1);
    const again = await world.plan();
    expect(again).not.toBe(id);
    await world.work();
    expect((await world.engine.manifest.getPlan(again))?.state).toBe('ASSEMBLED');
  });

  it('and put back goes on under its first identity', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    world.sources.put('S_B08.tif', bandFile(7));
    await world.work();
    world.sources.put('S_B08.tif', bandFile(2));
    expect(await world.ring()).toMatchObject({ kind: 'resumed', sceneJobId: id, sent: 9 });
    await world.work();
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('ASSEMBLED');
  });
});

describe('a source that is put back while its plan is being superseded', () => {
  it('is rung for once more: the first doorbell was answered while the plan was still open', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    world.sources.put('S_B08.tif', bandFile(7));
    const hold = world.engine.faults.hold('manifest.movePlan');
    const working = world.work();
    await hold.reached;
    world.sources.put('S_B08.tif', bandFile(2));
    expect(await world.drain('scenes')).toHaveLength(1);
    await world.ring();
    hold.release();
    await working;
    expect(await world.drain('scenes')).toHaveLength(1);
    expect(await world.ring()).toMatchObject({ sceneJobId: id });
    await world.work();
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('ASSEMBLED');
  });
});

describe('a deploy in mid-scene that changes pixels', () => {
  it('finishes nothing that older code began: the plan is superseded', async () => {
    const old = new SceneWorld({ pixelVersion: 1 });
    const id = await old.plan();
    const newer = { ...old.context, pixelVersion: 2 };
    await old.work(newer);
    expect(old.engine.objects.keys()).toEqual([]);
    expect((await old.engine.manifest.getPlan(id))?.state).toBe('SUPERSEDED');
  });

  it('does not assemble what older code tiled either', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    const hold = await world.drain('tiles');
    await world.engine.queue.send('tiles', hold);
    world.engine.faults.failBefore('manifest.closePlan', 3, new Error('crashed'));
    await world.work();
    await world.ring();
    await world.work({ ...world.context, pixelVersion: world.context.pixelVersion + 1 });
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('SUPERSEDED');
  });
});

describe('assembly', () => {
  it('reports a gap by name and count, and writes nothing', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    world.engine.faults.failBefore('queue.send assemblies', 3, new Error('crashed'));
    await world.work();
    world.engine.queue.deadLetters.splice(0);
    for (const window of ['0001_0000', '0001_0001', '0001_0002']) {
      const row = await world.engine.manifest.getRow(id, window);
      if (row?.state === 'WRITTEN') await world.engine.manifest.deleteRow(id, window, row.etag);
    }
    await world.engine.queue.send('assemblies', [JSON.stringify({ v: 1, sceneJobId: id, location: '' })]);
    await world.work();
    expect(world.engine.queue.deadLetters).toMatchObject([
      {
        queue: 'assemblies',
        reason: expect.stringMatching(/3 window\(s\) have no row \(0001_0000, 0001_0001, 0001_0002\)/),
      },
    ]);
    expect(world.engine.objects.keys().filter((key) => key.startsWith('scenes/'))).toEqual([]);
  });

  it('that is rung for while windows are under way is left to the last of them, and is no failure', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    const bodies = await world.drain('tiles');
    const [first, rest] = [bodies.slice(0, 4), bodies.slice(4)];
    await world.engine.queue.send('tiles', first);
    await world.engine.queue.send('assemblies', [JSON.stringify({ v: 1, sceneJobId: id, location: '' })]);
    await world.work();
    expect([world.engine.queue.messages, world.engine.queue.deadLetters]).toEqual([[], []]);
    expect(world.engine.objects.keys().filter((key) => key.startsWith('scenes/'))).toEqual([]);
    await world.engine.queue.send('tiles', rest);
    await world.work();
    expect((await world.engine.manifest.getPlan(id))?.state).toBe('ASSEMBLED');
  });

  it('refuses a tile that is no longer the object of its row', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    world.engine.faults.failBefore('queue.send assemblies', 3, new Error('crashed'));
    await world.work();
    const row = await world.engine.manifest.getRow(id, '0000_0000');
    if (row?.state !== 'WRITTEN') throw new Error('the first window is written');
    await world.engine.objects.remove(row.key, row.etag);
    await world.ring();
    await world.work();
    const reasons = world.engine.queue.deadLetters.map(({ reason }) => reason);
    expect(reasons.join('\n')).toMatch(/1 window\(s\) have a row but no object \(0000_0000\)/);
    expect(world.engine.objects.keys().filter((key) => key.startsWith('scenes/'))).toEqual([]);
  });
});

describe('a worker that dies at any call', () => {
  class Died extends Error {}

  /** Runs a scene; before its `dieAt`-th call to a store the process is dead for good. */
  const runDyingAt = async (dieAt: number): Promise<SceneWorld> => {
    let steps = 0;
    let dead = false;
    const hook: Hook = ({ phase }) => {
      if (dead) throw new Died();
      // Dying with a reply on its way back is dying before the next call: only the ways there are counted.
      if (phase === 'after') return;
      steps++;
      if (steps === dieAt) {
        dead = true;
        throw new Died();
      }
    };
    const world = new SceneWorld({ hook });
    const pipeline = { ...smallPipeline(), tilePx: 32 };
    const live = async (): Promise<void> => {
      await world.ring(pipeline);
      await world.work();
    };
    await live().catch((error: unknown) => {
      if (!(error instanceof Died)) throw error;
    });
    dead = false;
    steps = Number.NEGATIVE_INFINITY;
    // What the dead process held comes back by its lease and its visibility; then somebody rings, as a backfill would.
    await world.engine.clock.advance(VISIBILITY_MS * 2);
    await live();
    await world.engine.clock.advance(VISIBILITY_MS * 2);
    await world.work();
    return world;
  };

  it('leaves the same outputs as one that does not, each written once', async () => {
    let steps = 0;
    const counting = new SceneWorld({ hook: ({ phase }) => void (steps += phase === 'before' ? 1 : 0) });
    await counting.ring({ ...smallPipeline(), tilePx: 32 });
    await counting.work();
    const undisturbed = outputsOf(counting);
    expect(Object.keys(undisturbed)).toHaveLength(3 + 3);
    for (let dieAt = 1; dieAt <= steps; dieAt++) {
      const world = await runDyingAt(dieAt);
      expect({ dieAt, outputs: outputsOf(world) }).toEqual({ dieAt, outputs: undisturbed });
      expect({ dieAt, versions: versionsOf(world) }).toEqual({ dieAt, versions: versionsOf(counting) });
      expect({ dieAt, dead: world.engine.queue.deadLetters }).toEqual({ dieAt, dead: [] });
    }
  }, 60_000);
});
