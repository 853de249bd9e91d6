import { sha256Hex } from '../../identity/sha256.ts';
import { type OverwriteOutcome, writeOver } from '../../gates/conditional-overwrite.ts';
import { withClaim } from '../../gates/claim.ts';
import { type ManifestRow, rowEtag } from '../../gates/manifest-store.ts';
import type { ObjectInfo } from '../../gates/object-store.ts';
import type { WindowIndex } from '../../identity/grid.ts';
import { overwriteJobId, windowJobId, windowName } from '../../identity/job-key.ts';
import { tileKey } from '../../identity/output-keys.ts';
import type { ScenePlan } from '../../identity/plan.ts';
import { encodeCog } from '../../raster/cog/encode-cog.ts';
import { type ComputedWindow, computeWindow } from '../compute-window.ts';
import { type PipelineContext, claimAttempt } from '../context.ts';
import type { SourcePool } from '../source-pool.ts';
import { storedDigest } from '../stored-digest.ts';
import { COG_CONTENT_TYPE } from '../tile-window.ts';

/**
 * `overwritten`: another object stands there now. `unchanged`: the very bytes were there. `emptied`: no valid pixel now.
 * `superseded`: another's object stands there since the inspection, or the scene is no longer a finished one (purged). `done-before`: by this backfill, or by an overwrite
 * of this very object. `live`: somebody else is at it.
 */
export type OverwriteKind = 'overwritten' | 'unchanged' | 'emptied' | 'superseded' | 'done-before' | 'live';

export interface OverwriteRequest {
  readonly plan: ScenePlan;
  readonly location: string;
  readonly window: WindowIndex;
  /** The backfill's name: a window that it has done is not done by it again. */
  readonly backfill: string;
}

/** The inspection found no object. */
const ABSENT = 'absent';

/**
 * One window of an overwriting backfill (docs/design.md, section 7), a job of its own:
 *
 *     claim(window, backfill) → inspect object and row → claim(overwrite of the inspected ETag) → read → compute
 *       → PUT If-Match: inspected (absent: If-None-Match; no pixel now: DELETE If-Match) → row under its inspected ETag
 *
 * Object, then row, as in a first write. An object without its row update is found at the next inspection.
 *
 * @throws SourceError, SourceChangedError, LeaseLostError, StoreUnavailableError, or the signal's reason.
 */
export const overwriteWindow = async (
  context: PipelineContext,
  pool: SourcePool,
  request: OverwriteRequest,
  signal?: AbortSignal,
): Promise<OverwriteKind> => {
  const job = windowJobId(request.plan.sceneJobId, request.window);
  let end: OverwriteKind | null = null;
  const outcome = await withClaim(
    claimAttempt(context, sha256Hex(`${job}\nbackfill\n${request.backfill}`)),
    context.telemetry,
    async (workSignal) => {
      end = await overwriteInspected(context, pool, request, workSignal);
      if (end === 'live') throw new OtherAtWork();
      return { end };
    },
    signal,
  ).catch((error: unknown) => {
    if (error instanceof OtherAtWork) return { kind: 'live' } as const;
    throw error;
  });
  if (outcome.kind === 'live') return 'live';
  return outcome.kind === 'committed' || end === null ? 'done-before' : end;
};

/** Lapses the backfill's own claim: the window is not done. */
class OtherAtWork extends Error {}

const overwriteInspected = async (
  context: PipelineContext,
  pool: SourcePool,
  request: OverwriteRequest,
  signal: AbortSignal,
): Promise<OverwriteKind> => {
  const { plan, window } = request;
  const inspected = await context.objects.head(tileKey(plan.sceneJobId, window));
  const row = await context.manifest.getRow(plan.sceneJobId, windowName(window));
  // A purge closes the plan before it deletes: what is absent under a finished plan was not purged.
  if (inspected === null || row === null) {
    const record = await context.manifest.getPlan(plan.sceneJobId);
    if (record?.state !== 'ASSEMBLED') return 'superseded';
  }
  let end: OverwriteKind | null = null;
  const outcome = await withClaim(
    claimAttempt(context, overwriteJobId(windowJobId(plan.sceneJobId, window), inspected?.etag ?? ABSENT)),
    context.telemetry,
    async (workSignal) => {
      const computed = await computeWindow(pool, { ...request, ...window, v: 1, sources: plan.sources }, workSignal);
      workSignal.throwIfAborted();
      end = await writeComputed(context, request, computed, inspected, row);
      return { end };
    },
    signal,
  );
  if (outcome.kind === 'live') return 'live';
  return outcome.kind === 'committed' || end === null ? 'done-before' : end;
};

const writeComputed = async (
  context: PipelineContext,
  { plan, window }: OverwriteRequest,
  computed: ComputedWindow,
  inspected: ObjectInfo | null,
  row: ManifestRow | null,
): Promise<OverwriteKind> => {
  const place = { sceneJobId: plan.sceneJobId, window: windowName(window) };
  const key = tileKey(plan.sceneJobId, window);
  if (computed.kind === 'empty') {
    if (inspected !== null && !(await context.objects.remove(key, inspected.etag))) return 'superseded';
    await settleRow(context, key, { state: 'EMPTY', ...place }, row);
    return inspected === null ? 'unchanged' : 'emptied';
  }
  const body = encodeCog(computed.image);
  const outcome: OverwriteOutcome = await writeOver(
    { ...context, digestOf: (stored) => storedDigest(context.objects, stored) },
    { key, body, contentType: COG_CONTENT_TYPE, sha256: sha256Hex(body), digest: computed.image.digest },
    inspected,
  );
  if (outcome.kind === 'superseded') return 'superseded';
  const { bytes, etag, sha256 } = outcome.object;
  const { validPixels, statistics } = computed;
  const { digest } = computed.image;
  await settleRow(
    context,
    key,
    { state: 'WRITTEN', ...place, key, bytes, etag, sha256, digest, validPixels, statistics },
    row,
  );
  return outcome.kind === 'written' ? 'overwritten' : 'unchanged';
};

/**
 * Makes the row describe the object that we put there: under the row's inspected ETag first; where another changed it
 * since, it is changed again only as long as our object is the one that stands there. A row that is gone was purged:
 * it is not made again.
 */
const settleRow = async (
  { manifest, objects }: PipelineContext,
  key: string,
  next: ManifestRow,
  inspected: ManifestRow | null,
): Promise<void> => {
  if (inspected === null && (await manifest.putRow(next)) === 'created') return;
  for (
    let row = inspected ?? (await manifest.getRow(next.sceneJobId, next.window));
    row !== null && rowEtag(row) !== rowEtag(next);
    row = await manifest.getRow(next.sceneJobId, next.window)
  ) {
    if (await manifest.replaceRow(next, rowEtag(row))) return;
    if (((await objects.head(key))?.etag ?? null) !== rowEtag(next)) return;
  }
};
