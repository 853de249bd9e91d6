import type { BuriedMessage } from '../../lambda/gates/dead-letters.ts';
import { parsePlan } from '../../lambda/identity/plan-record.ts';
import type { PipelineContext } from '../../lambda/pipeline/context.ts';
import { overwriteScene } from '../../lambda/pipeline/recovery/overwrite-scene.ts';
import { purgeScene } from '../../lambda/pipeline/recovery/purge-scene.ts';
import { sceneStatus } from '../../lambda/pipeline/recovery/scene-status.ts';
import type { PlannedScene } from '../../lambda/pipeline/recovery/select-scenes.ts';
import type { SourcePool } from '../../lambda/pipeline/source-pool.ts';
import { memoryScratch } from '../../lambda/raster/mosaic/memory-scratch.ts';
import type { QueuedMessage } from './queue.ts';

/** A scene that nothing has happened to for so long is stalled, ms; as the verbs take it on AWS. */
const STALLED_AFTER_MS = 32 * 60_000;

const planned = async ({ manifest }: PipelineContext, id: string): Promise<PlannedScene> => {
  const record = await manifest.getPlan(id);
  if (record === null) throw new RangeError(`there is no scene ${id}`);
  return { record, plan: parsePlan(record.plan) };
};

/** `tileonce purge`. @throws SceneInFlightError, LeaseLostError, and whatever befalls its process. */
export const purge = async (
  context: PipelineContext,
  id: string,
  deadLetters: readonly QueuedMessage[],
): Promise<void> => {
  const { record, plan } = await planned(context, id);
  const letters = deadLetters.map(({ id: letter, queue, body, receives }): BuriedMessage => ({
    id: String(letter),
    queue,
    body,
    receiveCount: receives,
    reason: null,
    diedAt: null,
  }));
  const { state } = await sceneStatus(context, record, { stalledAfterMs: STALLED_AFTER_MS, deadLetters: letters });
  await purgeScene(context, plan, state);
};

/** `tileonce backfill --policy overwrite`. @throws TileonceError where it is refused, and whatever befalls its process. */
export const overwrite = async (
  context: PipelineContext,
  pool: SourcePool,
  id: string,
  backfill: string,
): Promise<void> => {
  const makeScratch = () => Promise.resolve({ ...memoryScratch(), [Symbol.asyncDispose]: () => Promise.resolve() });
  await overwriteScene(context, { pool, makeScratch }, await planned(context, id), { backfill, concurrency: 2 });
};
