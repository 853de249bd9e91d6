import { describe, expect, it } from '@jest/globals';
import { SourceChangedError } from '../../lambda/errors.ts';
import type { PlannedSource } from '../../lambda/identity/plan.ts';
import { sha256Hex } from '../../lambda/identity/sha256.ts';
import { realVersionId, versionToken } from '../../lambda/identity/version-token.ts';
import type { PipelineContext } from '../../lambda/pipeline/context.ts';
import type { FanOutOutcome } from '../../lambda/pipeline/fan-out.ts';
import type { SourceStore } from '../../lambda/pipeline/source-store.ts';
import { BytesReader } from '../support/bytes-reader.ts';
import { SceneWorld, bandFile, smallPipeline } from '../support/scene-world.ts';

interface Version {
  readonly id: string;
  readonly etag: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A bucket whose versioning was on and may be suspended: from then on uploads replace the version `null` in place. */
class Bucket {
  suspended = false;
  readonly #versions = new Map<string, Version[]>();
  #uploads = 0;

  upload(key: string, seed: number): void {
    const upload = ++this.#uploads;
    const id = this.suspended ? 'null' : `v${upload}`;
    const kept = (this.#versions.get(key) ?? []).filter((version) => version.id !== 'null' || id !== 'null');
    this.#versions.set(key, [...kept, { id, etag: `etag-${upload}`, bytes: bandFile(seed) }]);
  }

  /** GetObject with If-Match, and with a versionId where there is a real one, as S3 answers it. */
  #get({ key, versionId, etag }: PlannedSource): Version {
    const versions = this.#versions.get(key) ?? [];
    const found = versionId === null ? versions.at(-1) : versions.find(({ id }) => id === versionId);
    if (found?.etag !== etag) throw new SourceChangedError(key, 'it is no longer the object that was planned');
    return found;
  }

  readonly store: SourceStore = {
    look: async (bucket, key) => {
      const current = this.#versions.get(key)?.at(-1);
      if (current === undefined) return null;
      const { id, etag, bytes } = current;
      const token = versionToken({ etag, checksumSha256: Buffer.from(sha256Hex(bytes), 'hex').toString('base64') });
      const versionId = realVersionId(id);
      return { bucket, key, versionToken: token, etag, versionId, bytes: bytes.length, uploadedAt: 0 };
    },
    open: async (source) => {
      const { bytes } = this.#get(source);
      const reader = new BytesReader(source.key, bytes);
      return {
        name: reader.name,
        size: reader.size,
        read: async (ranges) => {
          this.#get(source);
          return reader.read(ranges);
        },
        [Symbol.asyncDispose]: () => Promise.resolve(),
      };
    },
  };
}

const idOf = (outcome: FanOutOutcome): string => ('sceneJobId' in outcome ? outcome.sceneJobId : outcome.kind);
const pinsOf = (outcome: FanOutOutcome) =>
  'plan' in outcome ? outcome.plan.sources.map((source) => source.versionId) : [];

const setUp = () => {
  const world = new SceneWorld();
  const bucket = new Bucket();
  bucket.upload('S_B04.tif', 1);
  bucket.upload('S_B08.tif', 2);
  const context: PipelineContext = { ...world.context, sources: () => bucket.store };
  return {
    world,
    bucket,
    ring: () => world.ring(smallPipeline(), 'S_B04.tif', context),
    work: () => world.work(context),
    stateOf: async (id: string) => (await world.engine.manifest.getPlan(id))?.state,
    tiles: (id: string) => world.engine.objects.keys().filter((key) => key.startsWith(`tiles/${id}/`)).length,
  };
};

describe('a bucket whose versioning is suspended', () => {
  it('keeps what was planned before: a real version is read to the end, also once its object was replaced', async () => {
    const { bucket, ring, work, stateOf, tiles } = setUp();
    const before = await ring();
    expect(pinsOf(before)).toEqual(['v1', 'v2']);
    bucket.suspended = true;
    bucket.upload('S_B08.tif', 7);
    await work();
    expect([await stateOf(idOf(before)), tiles(idOf(before))]).toEqual(['ASSEMBLED', 8]);
    const after = await ring();
    expect(idOf(after)).not.toBe(idOf(before));
    expect(pinsOf(after)).toEqual(['v1', null]);
  });

  it('pins nothing by the version "null": replaced in place, the scene is superseded and never mixed', async () => {
    const { bucket, ring, work, stateOf, tiles } = setUp();
    bucket.suspended = true;
    bucket.upload('S_B08.tif', 7);
    const first = await ring();
    bucket.upload('S_B08.tif', 9);
    await work();
    expect([await stateOf(idOf(first)), tiles(idOf(first))]).toEqual(['SUPERSEDED', 0]);
    const second = await ring();
    await work();
    expect([await stateOf(idOf(second)), tiles(idOf(second))]).toEqual(['ASSEMBLED', 8]);
  });

  it('gives the same bytes the same identity, under a real version or under none', async () => {
    const { bucket, ring, work } = setUp();
    const first = await ring();
    await work();
    bucket.suspended = true;
    bucket.upload('S_B08.tif', 2);
    expect(await ring()).toMatchObject({ kind: 'complete', sceneJobId: idOf(first) });
  });
});
