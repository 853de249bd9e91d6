import { SourceChangedError } from '../errors.ts';
import { tileKey } from '../identity/output-keys.ts';
import { windowJobId, windowName } from '../identity/job-key.ts';
import { sha256Hex } from '../identity/sha256.ts';
import { DivergentTileError, type WriteOutcome, writeOnce } from '../gates/conditional-write.ts';
import { type LiveClaim, withClaim } from '../gates/claim.ts';
import type { ManifestRow } from '../gates/manifest-store.ts';
import { lendPlanes, planesOf } from '../raster/kernels/plane-memory.ts';
import { encodeCog } from '../raster/cog/encode-cog.ts';
import { release } from '../raster/release.ts';
import { type ComputedWindow, computeWindow } from './compute-window.ts';
import { type PipelineContext, claimAttempt } from './context.ts';
import type { WindowMessage } from './messages.ts';
import type { SourcePool } from './source-pool.ts';
import { storedDigest } from './stored-digest.ts';
import { otherPixels, supersede } from './supersede.ts';

/** What every output object that is a COG is served as. */
export const COG_CONTENT_TYPE = 'image/tiff; application=geotiff; profile=cloud-optimized';

/** What the committed claim of a window remembers. */
export interface WindowResult {
  readonly state: 'WRITTEN' | 'EMPTY';
  readonly write: WriteOutcome['kind'] | null;
  readonly bytes: number;
}

export type TileOutcome =
  | { readonly kind: 'worked'; readonly result: WindowResult }
  | { readonly kind: 'committed' }
  | LiveClaim
  | { readonly kind: 'superseded' };

/**
 * One window's job (docs/design.md, sections 4 and 5): claim → read → compute → PUT → row → commit. A crash anywhere,
 * a redelivery, a twin: the same end.
 *
 * @throws SourceError, DivergentTileError, LeaseLostError, StoreUnavailableError, or the signal's reason.
 */
export const tileWindow = async (
  context: PipelineContext,
  pool: SourcePool,
  message: WindowMessage,
  signal?: AbortSignal,
): Promise<TileOutcome> => {
  const { plan, location } = message;
  if (plan.pixelVersion !== context.pixelVersion) {
    await supersede(context, plan, location, otherPixels(plan, context.pixelVersion));
    return { kind: 'superseded' };
  }
  const started = context.clock.monotonic();
  let result: WindowResult | null = null;
  try {
    const outcome = await withClaim(
      claimAttempt(context, windowJobId(plan.sceneJobId, message)),
      context.telemetry,
      async (workSignal) => {
        using planes = lendPlanes();
        const computed = await computeWindow(pool, message, workSignal, planes);
        workSignal.throwIfAborted();
        result = await writeWindow(context, message, computed);
        return { ...result };
      },
      signal,
    );
    if (outcome.kind === 'live') return outcome;
    if (outcome.kind === 'committed' || result === null) return { kind: 'committed' };
    context.telemetry.count('WindowMilliseconds', context.clock.monotonic() - started);
    return { kind: 'worked', result };
  } catch (error) {
    if (!(error instanceof SourceChangedError)) throw error;
    // Not mixed pixels and not one dead letter a window: the scene is planned again.
    await supersede(context, plan, location, error.message);
    return { kind: 'superseded' };
  }
};

/** Object, then row: an object without a row does not exist, a row without an object would be a hole for ever. */
const writeWindow = async (
  context: PipelineContext,
  message: WindowMessage,
  computed: ComputedWindow,
): Promise<WindowResult> => {
  const { sceneJobId } = message.plan;
  const window = windowName(message);
  if (computed.kind === 'empty') {
    context.telemetry.count('TilesEmpty', 1);
    await recordRow(context, { state: 'EMPTY', sceneJobId, window });
    return { state: 'EMPTY', write: null, bytes: 0 };
  }
  const body = encodeCog(computed.image);
  // A large window's pixels and file come to a hundred megabytes, and the next window begins before they are collected.
  for (const band of computed.image.bands) if (planesOf([band]) === null) release(band);
  const key = tileKey(sceneJobId, message);
  const { kind, object } = await writeOnce(
    { ...context, digestOf: (stored) => storedDigest(context.objects, stored) },
    { key, body, contentType: COG_CONTENT_TYPE, sha256: sha256Hex(body), digest: computed.image.digest },
  );
  release(body);
  if (kind === 'written') context.telemetry.count('TilesWritten', 1);
  await recordRow(context, {
    state: 'WRITTEN',
    sceneJobId,
    window,
    key,
    bytes: object.bytes,
    etag: object.etag,
    sha256: object.sha256,
    digest: computed.image.digest,
    validPixels: computed.validPixels,
    statistics: computed.statistics,
  });
  context.telemetry.event('debug', 'Window:Write:Done', { sceneJobId, window, write: kind, bytes: object.bytes });
  return { state: 'WRITTEN', write: kind, bytes: object.bytes };
};

const recordRow = async (context: PipelineContext, row: ManifestRow): Promise<void> => {
  if ((await context.manifest.putRow(row)) === 'created') return;
  const known = await context.manifest.getRow(row.sceneJobId, row.window);
  if (known === null || digestOfRow(known) === digestOfRow(row)) return;
  throw new DivergentTileError(`the row of window ${row.window}`, digestOfRow(row), digestOfRow(known));
};

const digestOfRow = (row: ManifestRow): string => (row.state === 'EMPTY' ? 'EMPTY' : row.digest);
