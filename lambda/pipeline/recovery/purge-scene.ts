import { TileonceError } from '../../errors.ts';
import { rowEtag } from '../../gates/manifest-store.ts';
import { type WindowIndex, windowsOf } from '../../identity/grid.ts';
import { assemblyJobId, windowJobId, windowName } from '../../identity/job-key.ts';
import { itemKey, mosaicKey, previewKey, tileKey } from '../../identity/output-keys.ts';
import type { ScenePlan } from '../../identity/plan.ts';
import type { SceneState } from './scene-status.ts';
import { type AssertHeld, type DeletionContext, removeObject, withSeizedClaim } from './seized-claim.ts';

/** Somebody is at work on the scene. */
export class SceneInFlightError extends TileonceError {
  constructor(sceneJobId: string, what: string) {
    super(`scene ${sceneJobId} is in flight: ${what}`, {
      remedy: 'nothing was deleted; wait until it is done, or until its lease has run out',
    });
  }
}

export interface PurgeReport {
  readonly rows: number;
  readonly objects: number;
  readonly bytes: number;
}

/**
 * Removes what a scene made (docs/design.md, section 7): the plan becomes a tombstone, then for each window, under its
 * claim: row, object with its versions, claim; then the scene's own objects, item first. The fan-out's claim stays
 * COMMITTED beside the tombstone, so that a late event finds both and makes nothing.
 *
 * @param state what `sceneStatus` calls the scene.
 * @throws SceneInFlightError before anything is deleted.
 */
export const purgeScene = async (
  context: DeletionContext,
  plan: ScenePlan,
  state: SceneState,
  onProgress: (report: PurgeReport) => void = () => undefined,
): Promise<PurgeReport> => {
  const id = plan.sceneJobId;
  await refuseInFlight(context, plan, state);
  await context.manifest.movePlan(id, ['OPEN', 'ASSEMBLED', 'SUPERSEDED', 'FAILED'], 'PURGED', 'purged by an operator');
  await tombstoneFanOut(context, plan);
  const report = { rows: 0, objects: 0, bytes: 0 };
  const removed = (bytes: number | null): void => {
    if (bytes === null) return;
    report.objects++;
    report.bytes += bytes;
  };
  const scene = await withSeizedClaim<void>(context, assemblyJobId(id), async (held) => {
    for (const key of [itemKey(id), mosaicKey(id), previewKey(id)]) removed(await removeObject(context, key, held));
  });
  if (scene.kind === 'live') throw new SceneInFlightError(id, 'it is being assembled');
  for (const window of windowsOf(plan.windows)) {
    const outcome = await purgeWindow(context, plan, window);
    report.rows += outcome.row ? 1 : 0;
    removed(outcome.bytes);
    onProgress(report);
  }
  context.telemetry.event('warn', 'Scene:Purge:Done', { sceneJobId: id, ...report });
  return report;
};

/** @throws SceneInFlightError where a job of the scene has a live lease, or the scene is under way. */
export const refuseInFlight = async (
  context: Pick<DeletionContext, 'claims' | 'clock'>,
  plan: ScenePlan,
  state: SceneState,
): Promise<void> => {
  const id = plan.sceneJobId;
  if (state === 'PLANNED' || state === 'RUNNING') throw new SceneInFlightError(id, `it is ${state}`);
  const jobs: [what: string, jobId: string][] = [
    ['its fan-out', id],
    ['its assembly', assemblyJobId(id)],
    ...[...windowsOf(plan.windows)].map((window): [string, string] => [
      `window ${windowName(window)}`,
      windowJobId(id, window),
    ]),
  ];
  for (const [what, jobId] of jobs) {
    const claim = await context.claims.get(jobId);
    if (claim?.state === 'CLAIMED' && claim.leaseUntil >= context.clock.now()) {
      throw new SceneInFlightError(id, `${what} has a live lease`);
    }
  }
};

/** The fan-out of a purged scene counts as done, whatever became of it: its tombstone answers later rings. */
const tombstoneFanOut = async (context: DeletionContext, plan: ScenePlan): Promise<void> => {
  const { claims, clock, claimTiming } = context;
  const jobId = plan.sceneJobId;
  const owner = context.newOwner();
  const now = clock.now();
  const expiresAt = Math.floor(now / 1000) + claimTiming.claimedRowTtlSeconds;
  const answer = await claims.claim({ jobId, owner, now, leaseUntil: now + claimTiming.leaseMs, expiresAt });
  if (answer.kind === 'live') throw new SceneInFlightError(jobId, 'it is being planned');
  if (answer.kind === 'won') await claims.commit({ jobId, owner, now: clock.now(), result: '{"purged":true}' });
};

/**
 * Row, then object, then claim: a missing row costs a rebuild, a stale row a permanent hole.
 *
 * @throws SceneInFlightError where the window's claim is live.
 */
export const purgeWindow = async (
  context: DeletionContext,
  plan: ScenePlan,
  window: WindowIndex,
): Promise<{ row: boolean; bytes: number | null }> => {
  const name = windowName(window);
  const outcome = await withSeizedClaim(context, windowJobId(plan.sceneJobId, window), async (held) => {
    const row = await deleteRow(context, plan.sceneJobId, name, held);
    return { row, bytes: await removeObject(context, tileKey(plan.sceneJobId, window), held) };
  });
  if (outcome.kind !== 'done') throw new SceneInFlightError(plan.sceneJobId, `window ${name} has a live lease`);
  return outcome.result;
};

/** Deletes the row that is there, read again under the claim: a backfill may have changed it since it was seen. */
export const deleteRow = async (
  { manifest }: Pick<DeletionContext, 'manifest'>,
  sceneJobId: string,
  window: string,
  assertHeld: AssertHeld,
): Promise<boolean> => {
  for (;;) {
    const row = await manifest.getRow(sceneJobId, window);
    if (row === null) return false;
    assertHeld();
    if (await manifest.deleteRow(sceneJobId, window, rowEtag(row))) return true;
  }
};
