import { describe, expect, it } from '@jest/globals';
import { StoreUnavailableError } from '../../lambda/errors.ts';
import { CONFLICT_RETRIES, DivergentTileError, writeOnce } from '../../lambda/gates/conditional-write.ts';
import type { CreateAnswer, NewObject, ObjectInfo, ObjectStore } from '../../lambda/gates/object-store.ts';
import { sha256Hex } from '../../lambda/identity/sha256.ts';
import type { MetricName } from '../../lambda/telemetry.ts';
import { MemoryObjectStore } from '../support/memory/object-store.ts';
import { MemoryEngine } from '../support/memory-engine.ts';

const object = (text: string, digest: string): NewObject => {
  const body = new TextEncoder().encode(text);
  return { key: 'tiles/a.tif', body, contentType: 'image/tiff', sha256: sha256Hex(body), digest };
};

const setUp = (options: { keepsDigest?: boolean; digestOf?: (key: string) => Promise<string | null> } = {}) => {
  const engine = new MemoryEngine({ keepsDigest: options.keepsDigest ?? true });
  const counts = new Map<MetricName, number>();
  const context = {
    objects: engine.objects as ObjectStore,
    // Pauses pass at once: what matters is how many there are.
    clock: { ...pausing, now: engine.clock.now },
    telemetry: {
      event: () => undefined,
      count: (metric: MetricName, value: number) => void counts.set(metric, (counts.get(metric) ?? 0) + value),
    },
    digestOf: options.digestOf ?? (() => Promise.resolve(null)),
  };
  return { engine, counts, context };
};
const pausing = { monotonic: () => 0, random: () => 0.5, sleep: () => Promise.resolve() };

describe('a conditional write', () => {
  it('creates an object that is not there', async () => {
    const { context, engine } = setUp();
    const outcome = await writeOnce(context, object('ours', 'digest'));
    expect(outcome.kind).toBe('written');
    expect(engine.objects.versions('tiles/a.tif')).toHaveLength(1);
    expect(outcome.object.etag).toBe(engine.objects.versions('tiles/a.tif')[0]?.etag);
  });

  it('finds its own pixels there, and describes the object that is there, not the one it would have written', async () => {
    const { context, engine, counts } = setUp();
    await writeOnce(context, object('compressed one way', 'digest'));
    const outcome = await writeOnce(context, object('compressed another way', 'digest'));
    expect(outcome.kind).toBe('already-present');
    expect(outcome.object.sha256).toBe(sha256Hex('compressed one way'));
    expect(outcome.object.bytes).toBe('compressed one way'.length);
    expect(engine.objects.versions('tiles/a.tif')).toHaveLength(1);
    expect(counts.get('ConditionalWritePreconditionFailed')).toBe(1);
  });

  it("never overwrites another's pixels, and says so", async () => {
    const { context, engine, counts } = setUp();
    await writeOnce(context, object('theirs', 'their digest'));
    await expect(writeOnce(context, object('ours', 'our digest'))).rejects.toThrow(DivergentTileError);
    expect(engine.objects.versions('tiles/a.tif')).toHaveLength(1);
    expect(counts.get('DivergentTiles')).toBe(1);
  });

  it('looks inside the object where the store keeps no digest', async () => {
    const { context } = setUp({ keepsDigest: false, digestOf: () => Promise.resolve('digest') });
    await writeOnce(context, object('x', 'digest'));
    expect((await writeOnce(context, object('x', 'digest'))).kind).toBe('already-present');
    await expect(writeOnce(context, object('x', 'other'))).rejects.toThrow(DivergentTileError);
  });

  it('takes an object without any digest for another', async () => {
    const { context } = setUp({ keepsDigest: false });
    await writeOnce(context, object('x', 'digest'));
    await expect(writeOnce(context, object('x', 'digest'))).rejects.toThrow(DivergentTileError);
  });

  it('finds its own object after a lost reply', async () => {
    const { context, engine } = setUp();
    engine.faults.dropReply('objects.create');
    await expect(writeOnce(context, object('x', 'digest'))).rejects.toThrow(StoreUnavailableError);
    expect((await writeOnce(context, object('x', 'digest'))).kind).toBe('already-present');
    expect(engine.objects.versions('tiles/a.tif')).toHaveLength(1);
  });

  it('retries a 409, which is not "present"', async () => {
    const { context, engine, counts } = setUp();
    engine.faults.conflict('objects.create', 3);
    expect((await writeOnce(context, object('x', 'digest'))).kind).toBe('written');
    expect(counts.get('Conflict409Retried')).toBe(3);
    expect(engine.objects.versions('tiles/a.tif')).toHaveLength(1);
  });

  it('would lose the object if a 409 were taken for present', async () => {
    const { context, engine } = setUp();
    engine.faults.conflict('objects.create', 1);
    class TakesConflictForDone extends MemoryObjectStore {
      override async create(wanted: NewObject): Promise<CreateAnswer> {
        const answer = await super.create(wanted);
        return answer.kind === 'conflict' ? { kind: 'created', etag: 'none' } : answer;
      }
    }
    const careless = new TakesConflictForDone(engine.faults);
    expect((await writeOnce({ ...context, objects: careless }, object('x', 'digest'))).kind).toBe('written');
    expect(careless.keys()).toEqual([]);
  });

  it('gives the item up after a bounded number of 409s', async () => {
    const { context, engine } = setUp();
    engine.faults.conflict('objects.create', Infinity);
    await expect(writeOnce(context, object('x', 'digest'))).rejects.toThrow(StoreUnavailableError);
    expect(CONFLICT_RETRIES).toBeLessThan(10);
  });

  it('creates again where the object vanished between the refusal and the look', async () => {
    const { context, engine } = setUp();
    class Vanishing extends MemoryObjectStore {
      override async head(key: string): Promise<ObjectInfo | null> {
        const [only, ...later] = this.versions(key);
        if (only !== undefined && later.length === 0) await this.remove(key, only.etag);
        return super.head(key);
      }
    }
    const vanishing = new Vanishing(engine.faults);
    await vanishing.create(object('x', 'digest'));
    expect((await writeOnce({ ...context, objects: vanishing }, object('x', 'digest'))).kind).toBe('written');
  });

  it('passes on what the store says when it is out of reach', async () => {
    const { context, engine } = setUp();
    engine.faults.failBefore('objects.create');
    await expect(writeOnce(context, object('x', 'digest'))).rejects.toThrow(StoreUnavailableError);
    expect(engine.objects.keys()).toEqual([]);
  });
});
