import { memoryScratch } from '../../../lambda/raster/mosaic/memory-scratch.ts';
import type { WorkTools } from '../../../lambda/pipeline/recovery/replay-delivery.ts';
import { type PlannedScene, allScenes, selectScene } from '../../../lambda/pipeline/recovery/select-scenes.ts';
import { type SceneStatus, sceneStatus } from '../../../lambda/pipeline/recovery/scene-status.ts';
import { SourcePool } from '../../../lambda/pipeline/source-pool.ts';
import { MemoryDeadLetters } from '../../support/memory/dead-letters.ts';
import { SceneWorld } from '../../support/scene-world.ts';

export const HOUR = 3_600_000;

/** A world whose one scene is finished: eight tiles and an EMPTY window. */
export const finishedScene = async (): Promise<{ world: SceneWorld; id: string }> => {
  const world = new SceneWorld();
  const id = await world.plan();
  await world.work();
  return { world, id };
};

export const sceneOf = async (world: SceneWorld, id: string): Promise<PlannedScene> =>
  selectScene(await allScenes(world.engine.manifest), id);

export const toolsOf = (world: SceneWorld): WorkTools => ({
  pool: new SourcePool(world.context.sources, { capacity: 4, cacheBytes: 1 << 20 }),
  makeScratch: () => Promise.resolve({ ...memoryScratch(), [Symbol.asyncDispose]: () => Promise.resolve() }),
});

export const statusOf = async (world: SceneWorld, id: string): Promise<SceneStatus> =>
  sceneStatus(world.context, (await sceneOf(world, id)).record, {
    stalledAfterMs: HOUR,
    deadLetters: await new MemoryDeadLetters(world.engine.queue).list(),
  });

/** Removes what stands under a key, as somebody who goes round the ledger would. */
export const removeBehind = async (world: SceneWorld, key: string): Promise<void> => {
  const info = await world.engine.objects.head(key);
  if (info === null) throw new Error(`${key} is not there`);
  await world.engine.objects.remove(key, info.etag);
};

/** Puts other bytes under a key, as somebody who goes round the ledger would. */
export const replaceBehind = async (world: SceneWorld, key: string, text = 'not ours'): Promise<void> => {
  const info = await world.engine.objects.head(key);
  const body = new Uint8Array(Buffer.from(text));
  const object = { key, body, contentType: 'image/tiff', sha256: `sha of ${text}`, digest: `digest of ${text}` };
  if (info === null) await world.engine.objects.create(object);
  else await world.engine.objects.replace(object, info.etag);
};

/** Every output's checksum, by key. */
export const outputsOf = (world: SceneWorld): Record<string, string> =>
  Object.fromEntries(
    world.engine.objects.keys().map((key) => [key, world.engine.objects.versions(key).at(-1)?.sha256 ?? '']),
  );
