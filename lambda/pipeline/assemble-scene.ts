import type { BandStatistics, RasterSize } from '../raster/types.ts';
import { type ClaimOutcome, type LiveClaim, withClaim } from '../gates/claim.ts';
import { type WriteOutcome, writeOnce } from '../gates/conditional-write.ts';
import { SupersededWriteError, writeOver } from '../gates/conditional-overwrite.ts';
import type { WrittenRow } from '../gates/manifest-store.ts';
import { windowsOf } from '../identity/grid.ts';
import { assemblyJobId, windowJobId, windowName } from '../identity/job-key.ts';
import { itemKey, previewKey } from '../identity/output-keys.ts';
import { parsePlan } from '../identity/plan-record.ts';
import type { ScenePlan } from '../identity/plan.ts';
import { sha256Hex } from '../identity/sha256.ts';
import { previewSize, renderPreview } from '../outputs/preview.ts';
import { sceneItem, serialiseItem } from '../outputs/stac-item.ts';
import { sceneStatistics } from '../raster/statistics.ts';
import type { MosaicPreview } from '../raster/mosaic/assemble-mosaic.ts';
import { ManifestGapError, checkObjects, rowsInOrder } from './check-manifest.ts';
import { type PipelineContext, claimAttempt } from './context.ts';
import type { AssemblyMessage } from './messages.ts';
import { type SceneRows, type ScratchMaker, type WrittenMosaic, writeMosaic } from './write-mosaic.ts';
import { storedDigest } from './stored-digest.ts';
import { otherPixels, supersede } from './supersede.ts';

/** What the committed claim of an assembly remembers. */
export interface AssemblyResult {
  readonly mosaic: boolean;
  readonly written: number;
  readonly empty: number;
}

export type AssemblyOutcome =
  | { readonly kind: 'worked'; readonly result: AssemblyResult }
  | { readonly kind: 'committed' }
  | LiveClaim
  | { readonly kind: 'superseded' }
  /** Rung for too soon, by a message of before a purge, say: windows are under way, and the last of them rings again. */
  | { readonly kind: 'early'; readonly missing: readonly string[] };

/**
 * A scene's assembly (docs/design.md, section 6): claim → rows → gap check → mosaic → preview → item → plan ASSEMBLED
 * → commit. The item comes last: where it stands, the scene is done.
 *
 * @throws ManifestGapError, DivergentTileError, LeaseLostError, StoreUnavailableError, or the signal's reason.
 */
export const assembleScene = async (
  context: PipelineContext,
  makeScratch: ScratchMaker,
  message: AssemblyMessage,
  signal?: AbortSignal,
): Promise<AssemblyOutcome> => {
  const record = await context.manifest.getPlan(message.sceneJobId);
  if (record === null) throw new TypeError(`there is no plan of scene ${message.sceneJobId} to assemble`);
  const plan = parsePlan(record.plan);
  if (record.state === 'SUPERSEDED' || record.state === 'PURGED') return { kind: 'superseded' };
  if (plan.pixelVersion !== context.pixelVersion && record.state !== 'ASSEMBLED') {
    await supersede(context, plan, message.location, otherPixels(plan, context.pixelVersion));
    return { kind: 'superseded' };
  }
  let result: AssemblyResult | null = null;
  let outcome: ClaimOutcome;
  try {
    outcome = await withClaim(
      claimAttempt(context, assemblyJobId(plan.sceneJobId)),
      context.telemetry,
      async (workSignal) => {
        result = await buildScene(context, makeScratch, plan, 'create', workSignal);
        return { ...result };
      },
      signal,
    );
  } catch (error) {
    if (!(error instanceof ManifestGapError && (await isEarly(context, plan, error)))) throw error;
    const { sceneJobId } = plan;
    context.telemetry.event('warn', 'Scene:Assemble:Early', { sceneJobId, message: error.oneLine });
    return { kind: 'early', missing: error.windows };
  }
  if (outcome.kind === 'live') return outcome;
  if (outcome.kind === 'worked' && result !== null) return { kind: 'worked', result };
  // Superseded while its item was being written, then rung for again: the plan is open, the work is done.
  if (record.state !== 'ASSEMBLED') await closeAssembled(context, plan.sceneJobId);
  return { kind: 'committed' };
};

/** True where a window without a row is not done: whoever does it, or the reaper, rings when the last row is there. */
const isEarly = async (context: PipelineContext, plan: ScenePlan, gap: ManifestGapError): Promise<boolean> => {
  if (!gap.rowless) return false;
  const missing = new Set(gap.windows);
  for (const window of windowsOf(plan.windows)) {
    if (!missing.has(windowName(window))) continue;
    if ((await context.claims.get(windowJobId(plan.sceneJobId, window)))?.state !== 'COMMITTED') return true;
  }
  return false;
};

/** `create`: what is there must be ours. `replace`: what is there is replaced under its inspected ETag (a backfill). */
export type SceneWrite = 'create' | 'replace';

/**
 * The work of an assembly, to be done under a claim: rows → gap check → mosaic → preview → item → plan ASSEMBLED.
 *
 * @throws ManifestGapError, DivergentTileError, SupersededWriteError, StoreUnavailableError, or the signal's reason.
 */
export const buildScene = async (
  context: PipelineContext,
  makeScratch: ScratchMaker,
  plan: ScenePlan,
  how: SceneWrite,
  signal: AbortSignal,
): Promise<AssemblyResult> => {
  const ordered = rowsInOrder(plan, await context.manifest.listRows(plan.sceneJobId));
  const written = ordered.flatMap(({ row }) => (row.state === 'WRITTEN' ? [row] : []));
  await checkObjects(context.objects, plan, written, signal);

  const statistics = sceneStatistics(
    written.map((row) => row.statistics),
    plan.pipeline.outputs.length,
  );
  const rows: SceneRows = { ordered, statistics };
  const draw = (pixels: MosaicPreview) => drawPreview(plan, pixels, statistics);
  const mosaic = written.length === 0 ? null : await writeMosaic(context, makeScratch, plan, rows, draw, signal, how);
  signal.throwIfAborted();
  const preview = mosaic === null ? null : await writePreview(context, plan, mosaic, how);
  await writeItem(context, plan, { written, total: ordered.length, statistics, mosaic, preview }, how);
  await closeAssembled(context, plan.sceneJobId);
  context.telemetry.count('ScenesAssembled', 1);
  context.telemetry.event('info', 'Scene:Assemble:Done', {
    sceneJobId: plan.sceneJobId,
    written: written.length,
    empty: ordered.length - written.length,
    blocksCopied: mosaic?.blocksCopied ?? 0,
    blocksEncoded: mosaic?.blocksEncoded ?? 0,
  });
  return { mosaic: mosaic !== null, written: written.length, empty: ordered.length - written.length };
};

/** The item stands, so the scene is done; also one that the reaper had given up (its dead letters were replayed). */
const closeAssembled = async ({ manifest }: PipelineContext, sceneJobId: string): Promise<void> => {
  if (await manifest.closePlan(sceneJobId, 'ASSEMBLED', null)) return;
  if ((await manifest.getPlan(sceneJobId))?.state !== 'FAILED') return;
  await manifest.reopenPlan(sceneJobId);
  await manifest.closePlan(sceneJobId, 'ASSEMBLED', null);
};

/** A stored preview: its size in px, and its bytes. */
export interface PreviewFile extends RasterSize {
  readonly bytes: number;
  readonly sha256: string;
}

const drawPreview = (
  { pipeline }: ScenePlan,
  pixels: MosaicPreview,
  statistics: readonly (BandStatistics | null)[],
): Uint8Array<ArrayBuffer> =>
  renderPreview({
    width: pixels.width,
    height: pixels.height,
    bands: pixels.bands,
    dataType: pipeline.dtype,
    nodata: pipeline.color === 'rgb' ? null : pipeline.nodata,
    color: pipeline.color,
    statistics,
    categorical: pipeline.overviews !== 'average',
  });

const writePreview = async (
  context: PipelineContext,
  plan: ScenePlan,
  mosaic: WrittenMosaic,
  how: SceneWrite,
): Promise<PreviewFile> => {
  const { width, height } = previewSize(mosaic.preview);
  const { object } = await writeDocument(context, previewKey(plan.sceneJobId), mosaic.png, 'image/png', how);
  return { width, height, bytes: object.bytes, sha256: object.sha256 };
};

/** What an item is made of beside the plan. */
export interface ItemParts {
  readonly written: readonly WrittenRow[];
  readonly total: number;
  readonly statistics: readonly (BandStatistics | null)[];
  readonly mosaic: { readonly bytes: number; readonly sha256: string } | null;
  readonly preview: PreviewFile | null;
}

const writeItem = async (
  context: PipelineContext,
  plan: ScenePlan,
  parts: ItemParts,
  how: SceneWrite,
): Promise<void> => {
  const body = itemDocument(plan, parts);
  await writeDocument(context, itemKey(plan.sceneJobId), body, 'application/geo+json', how);
};

/** The bytes of a scene's item: of one plan, its rows and its files there is one document. */
export const itemDocument = (
  plan: ScenePlan,
  { written, total, statistics, mosaic, preview }: ItemParts,
): Uint8Array<ArrayBuffer> => {
  const item = sceneItem({
    sceneJobId: plan.sceneJobId,
    sceneName: plan.sceneName,
    pipeline: plan.pipeline,
    grid: plan.grid,
    time: plan.time,
    sources: plan.sources.map(({ bucket, key, versionToken }, index) => ({
      key,
      href: hrefOf(bucket, key, versionToken),
      token: versionToken,
      bands: plan.bands.filter(({ source }) => source === index).map(({ name }) => name),
    })),
    windows: { total, written: written.length, empty: total - written.length },
    mosaic: mosaic === null ? null : { bytes: mosaic.bytes, sha256: mosaic.sha256 },
    preview,
    statistics,
    software: { name: 'tileonce', version: plan.softwareVersion },
  });
  return serialiseItem(item);
};

/**
 * Where a source is found. A file's place on some machine is no part of its identity and must not enter the item, so a
 * file is named by its content. A web server's bucket is its scheme and host, and its keys are spelled as in URLs.
 */
const hrefOf = (bucket: string, key: string, versionToken: string): string => {
  if (bucket === 'file') return `urn:sha256:${versionToken}`;
  if (/^https?:\/\//.test(bucket)) return `${bucket}/${key}`;
  return `s3://${bucket}/${encodeURI(key).replaceAll('?', '%3F').replaceAll('#', '%23')}`;
};

/** A document's digest is its bytes' SHA-256: nothing in it varies by attempt or time of running. */
const writeDocument = async (
  context: PipelineContext,
  key: string,
  body: Uint8Array<ArrayBuffer>,
  contentType: string,
  how: SceneWrite,
): Promise<WriteOutcome> => {
  const sha256 = sha256Hex(body);
  const write = { ...context, digestOf: (stored: string) => storedDigest(context.objects, stored) };
  const object = { key, body, contentType, sha256, digest: sha256 };
  if (how === 'create') return writeOnce(write, object);
  const outcome = await writeOver(write, object, await context.objects.head(key));
  if (outcome.kind === 'superseded') throw new SupersededWriteError(key);
  return outcome;
};
