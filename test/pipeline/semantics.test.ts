import { describe, expect, it } from '@jest/globals';
import { bareEtag, realVersionId, versionToken } from '../../lambda/identity/version-token.ts';
import type { PipelineContext } from '../../lambda/pipeline/context.ts';
import { parsePipeline } from '../../lambda/pipeline/definition/parse-pipeline.ts';
import type { FanOutOutcome } from '../../lambda/pipeline/fan-out.ts';
import { runtimeTiming, timingOf } from '../../lib/timing.ts';
import { plainSources } from '../sim/gated-stores.ts';
import { SourceObjects } from '../sim/source-objects.ts';
import { SceneWorld, bandFile, smallPipeline } from '../support/scene-world.ts';

const DAY = 24 * 3600;

const idOf = (outcome: FanOutOutcome): string => ('sceneJobId' in outcome ? outcome.sceneJobId : outcome.kind);
const stateOf = async (world: SceneWorld, id: string) => (await world.engine.manifest.getPlan(id))?.state;

/** A finished scene, and what it cost. */
const finished = async (pipeline = smallPipeline()) => {
  const world = new SceneWorld();
  const id = await world.plan(pipeline);
  await world.work();
  expect(await stateOf(world, id)).toBe('ASSEMBLED');
  return { world, id, keys: world.engine.objects.keys(), won: world.counts.get('ClaimsWon') ?? 0 };
};

describe('a window message that comes twice', () => {
  it('is worked on, waits while that lasts without its receive being counted, then gets the stored result', async () => {
    const world = new SceneWorld();
    await world.plan();
    const [body = ''] = await world.drain('tiles');
    await world.engine.queue.send('tiles', [body, body]);
    const hold = world.engine.faults.hold('objects.create');
    const first = world.work();
    await hold.reached;
    await world.work();
    expect(world.outcomes()).toEqual({ refused: 1 });
    const counts = world.engine.queue.messages.map(({ receiveCount }) => receiveCount);
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, 1]);
    hold.release();
    await first;
    await world.engine.clock.advance(1_000_000);
    await world.work();
    expect(world.outcomes()).toEqual({ written: 1, refused: 2 });
    expect(world.engine.queue.messages).toEqual([]);
  });
});

describe('time to live', () => {
  it('stands on a claimed row alone, and is longer than any redelivery can take', async () => {
    const world = new SceneWorld();
    await world.plan();
    world.engine.faults.failBefore('objects.create', 3, new Error('crashed'));
    await world.work();
    const rows = [...world.engine.claims.rows.values()];
    const expiries = rows.filter(({ state }) => state === 'COMMITTED').map(({ expiresAt }) => expiresAt);
    expect(new Set(expiries)).toEqual(new Set([null]));
    const { claimedRowTtlSeconds, visibilityMs, maxReceives } = runtimeTiming(timingOf());
    for (const { expiresAt, claimedAt } of rows.filter(({ state }) => state === 'CLAIMED')) {
      expect(expiresAt).toBe(Math.floor(claimedAt / 1000) + claimedRowTtlSeconds);
    }
    expect(claimedRowTtlSeconds).toBeGreaterThan((14 + 4) * DAY + (maxReceives * visibilityMs) / 1000);
  });
});

describe('an event', () => {
  it('that is old rings for what is there now: nothing old is made again, nothing new is missed', async () => {
    const { world, id, keys } = await finished();
    world.sources.put('S_B08.tif', bandFile(7));
    const oldEvent = await world.ring(smallPipeline(), 'S_B04.tif');
    expect(idOf(oldEvent)).not.toBe(id);
    await world.work();
    expect(await stateOf(world, idOf(oldEvent))).toBe('ASSEMBLED');
    expect(world.engine.objects.keys()).toEqual(expect.arrayContaining(keys));
  });

  it('and its elder, in whichever order they arrive, make one scene', async () => {
    const world = new SceneWorld();
    world.sources.put('S_B04.tif', bandFile(5));
    const younger = await world.ring(smallPipeline(), 'S_B04.tif');
    const elder = await world.ring(smallPipeline(), 'S_B04.tif');
    expect(idOf(elder)).toBe(idOf(younger));
    await world.work();
    const plans = await world.engine.manifest.listPlans();
    expect(plans.map(({ state }) => state)).toEqual(['ASSEMBLED']);
  });

  it('of the same bytes uploaded again costs no tile and opens no source', async () => {
    const { world, won } = await finished();
    const opened = world.sources.opened;
    world.sources.put('S_B04.tif', bandFile(1).slice());
    expect((await world.ring()).kind).toBe('complete');
    await world.work();
    expect(world.sources.opened).toBe(opened);
    expect(world.counts.get('ClaimsWon')).toBe(won);
  });

  it('of other bytes under the same key makes a new scene beside the old one, whose objects stay as they are', async () => {
    const { world, id, keys } = await finished();
    const etags = keys.map((key) => world.engine.objects.versions(key).at(-1)?.etag);
    world.sources.put('S_B04.tif', bandFile(9));
    const again = await world.plan();
    await world.work();
    expect(again).not.toBe(id);
    expect(world.engine.objects.keys()).toHaveLength(2 * keys.length);
    expect(keys.map((key) => world.engine.objects.versions(key).at(-1)?.etag)).toEqual(etags);
  });
});

describe('sources on an unversioned bucket', () => {
  /** The world's scene in a bucket whose ETags change with every upload and whose checksums do not. */
  const inBucket = () => {
    const world = new SceneWorld();
    const objects = new SourceObjects('file', () => 0);
    const upload = (key: string, seed: number): void =>
      objects.upload(key, { bytes: bandFile(seed), token: `t${seed}` });
    upload('S_B04.tif', 1);
    upload('S_B08.tif', 2);
    const context: PipelineContext = { ...world.context, sources: () => plainSources(objects) };
    return { world, upload, context, ring: () => world.ring(smallPipeline(), 'S_B04.tif', context) };
  };

  it('that are encrypted again in mid-scene are the same sources: the scene goes on', async () => {
    const { world, upload, context, ring } = inBucket();
    const id = idOf(await ring());
    upload('S_B04.tif', 1);
    await world.work(context);
    expect(await stateOf(world, id)).toBe('ASSEMBLED');
    expect(world.counts.get('PlansSuperseded')).toBeUndefined();
    expect(idOf(await ring())).toBe(id);
  });

  it('that go from A to B to A end as A, with nothing of B in it', async () => {
    const { world, upload, context, ring } = inBucket();
    const first = idOf(await ring());
    upload('S_B08.tif', 7);
    await world.work(context);
    expect(await stateOf(world, first)).toBe('SUPERSEDED');
    const second = idOf(await ring());
    upload('S_B08.tif', 2);
    await world.work(context);
    expect(await stateOf(world, second)).toBe('SUPERSEDED');
    expect(idOf(await ring())).toBe(first);
    await world.work(context);
    expect(await stateOf(world, first)).toBe('ASSEMBLED');
    expect(world.engine.objects.keys().some((key) => key.includes(second))).toBe(false);
  });

  it('have no version to pin, and neither have those of a bucket whose versioning is suspended', async () => {
    const { world, ring } = inBucket();
    const planned = await ring();
    expect('plan' in planned && planned.plan.sources.map(({ versionId }) => versionId)).toEqual([null, null]);
    expect(realVersionId('null')).toBeNull();
    expect(await world.drain('tiles')).toHaveLength(9);
  });

  it('uploaded in parts are told by an ETag that is no checksum, and taken as it is', () => {
    expect(versionToken({ etag: '"9b2cf5a1-3"' })).toBe('9b2cf5a1-3');
    expect(bareEtag('"9b2cf5a1-3"')).toBe('9b2cf5a1-3');
  });
});

describe('pipelines', () => {
  const parsed = (text: string) => parsePipeline(text, 'test.json');
  const bands = '"bands": { "B04": { "suffix": "B04.tif" }, "B08": { "suffix": "B08.tif" } }';
  const rest = '"expression": "(B08 - B04) / (B08 + B04)", "dst_crs": "source", "tile_px": 16';
  const written = (extra: string) => parsed(`{ "pipeline": "ndvi", "version": "1", ${extra} ${bands}, ${rest} }`);

  it('on one bucket with namespaces of their own share nothing', async () => {
    const world = new SceneWorld();
    const staging = await world.plan(written('"namespace": "staging",'));
    const production = await world.plan(written('"namespace": "production",'));
    await world.work();
    expect(staging).not.toBe(production);
    expect([await stateOf(world, staging), await stateOf(world, production)]).toEqual(['ASSEMBLED', 'ASSEMBLED']);
    const owners = world.engine.objects.keys().map((key) => key.split('/')[1]);
    expect(new Set(owners)).toEqual(new Set([staging, production]));
    expect(owners.filter((owner) => owner === staging)).toHaveLength(owners.length / 2);
  });

  it('of a new version run everything again', async () => {
    const { world, id, won } = await finished();
    const bumped = await world.plan(smallPipeline('2'));
    await world.work();
    expect(bumped).not.toBe(id);
    expect(world.counts.get('ClaimsWon')).toBe(2 * won);
  });

  it('written in another order and layout run nothing again', async () => {
    const { world, won } = await finished(written(''));
    const reordered = parsed(`{\n // the same\n ${rest},\n ${bands},\n "version": "1", "pipeline": "ndvi" }`);
    expect((await world.ring(reordered)).kind).toBe('complete');
    await world.work();
    expect(world.counts.get('ClaimsWon')).toBe(won);
  });
});

describe('a plan that was closed and is wanted again', () => {
  const assembly = (id: string): string => JSON.stringify({ v: 1, sceneJobId: id, location: '' });

  it('ends ASSEMBLED where its assembly had been committed while it was superseded', async () => {
    const { world, id } = await finished();
    await world.engine.manifest.movePlan(id, ['ASSEMBLED'], 'SUPERSEDED', 'replaced while its item was being written');
    expect(await world.ring()).toMatchObject({ kind: 'resumed', sceneJobId: id, sent: 0 });
    await world.work();
    expect(await stateOf(world, id)).toBe('ASSEMBLED');
  });

  it('ends ASSEMBLED where it had been given up and its dead letter is replayed', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    world.engine.faults.failBefore('queue.send assemblies', 3, new Error('the stream lost it'));
    await world.work();
    expect(await world.engine.manifest.closePlan(id, 'FAILED', 'given up')).toBe(true);
    await world.engine.queue.send('assemblies', [assembly(id)]);
    await world.work();
    expect(await stateOf(world, id)).toBe('ASSEMBLED');
  });

  it('is superseded by newer code also where it had been given up', async () => {
    const world = new SceneWorld();
    const id = await world.plan();
    await world.engine.manifest.closePlan(id, 'FAILED', 'given up');
    await world.work({ ...world.context, pixelVersion: world.context.pixelVersion + 1 });
    expect(await stateOf(world, id)).toBe('SUPERSEDED');
    expect(await world.drain('scenes')).toHaveLength(1);
  });
});

it('code of another pixel version gives the same objects another identity', async () => {
  const world = new SceneWorld();
  const newer = { ...world.context, pixelVersion: world.context.pixelVersion + 1 };
  expect(idOf(await world.ring(smallPipeline(), 'S_B04.tif', newer))).not.toBe(await world.plan());
});
