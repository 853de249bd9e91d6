import { createHash } from 'node:crypto';
import { StoreUnavailableError } from '../errors.ts';
import { DivergentTileError } from '../gates/conditional-write.ts';
import type { ManifestRow } from '../gates/manifest-store.ts';
import type { Upload } from '../gates/object-store.ts';
import type { WindowIndex } from '../identity/grid.ts';
import { mosaicKey } from '../identity/output-keys.ts';
import type { ScenePlan } from '../identity/plan.ts';
import { mosaicDigest } from '../raster/cog/digest.ts';
import {
  type MosaicPreview,
  type MosaicSummary,
  type Scratch,
  assembleMosaic,
} from '../raster/mosaic/assemble-mosaic.ts';
import type { BandStatistics } from '../raster/types.ts';
import type { PipelineContext } from './context.ts';
import { bandCount, cogOptions } from './output-image.ts';
import { storedDigest } from './stored-digest.ts';
import { COG_CONTENT_TYPE } from './tile-window.ts';

/** Makes bounded scratch space for the overviews that have to be encoded. */
export type ScratchMaker = () => Promise<Scratch & AsyncDisposable>;

/** A scene's rows in window order, and the statistics of the whole, one entry per output. */
export interface SceneRows {
  readonly ordered: readonly { readonly window: WindowIndex; readonly row: ManifestRow }[];
  readonly statistics: readonly (BandStatistics | null)[];
}

/** A scene's COG as it stands in the store, and its preview as a PNG that is yet to be stored. */
export interface WrittenMosaic extends MosaicSummary {
  readonly png: Uint8Array<ArrayBuffer>;
}

/** How often an upload whose completion was refused is begun again. */
const MOST_UPLOADS = 4;

/**
 * Writes the scene's COG, or finds it there: the claim stands in front, so a loser hardly ever gets this far. The preview is
 * drawn while the store completes the upload: a disk takes as long to flush a scene as a core to draw it.
 *
 *     head ─▶ ours: assemble into nothing, for the preview and the checksum
 *          ─▶ another's: DivergentTileError; to be replaced: upload over it under its ETag
 *          ─▶ absent: upload ─▶ complete ─▶ created
 *                                        ─▶ exists | conflict | gone: head first, then begin again
 *
 * @throws DivergentTileError, StoreUnavailableError.
 */
export const writeMosaic = async (
  context: PipelineContext,
  makeScratch: ScratchMaker,
  plan: ScenePlan,
  rows: SceneRows,
  draw: (preview: MosaicPreview) => Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
  how: 'create' | 'replace' = 'create',
): Promise<WrittenMosaic> => {
  const { objects, telemetry } = context;
  const key = mosaicKey(plan.sceneJobId);
  const digest = sceneDigest(plan, rows);
  for (let attempt = 0; attempt < MOST_UPLOADS; attempt++) {
    const present = await objects.head(key);
    const theirs = present === null ? null : (present.digest ?? (await storedDigest(objects, key)));
    if (present !== null && (theirs === digest || how === 'create')) {
      if (theirs !== digest) {
        telemetry.count('DivergentTiles', 1);
        throw new DivergentTileError(key, digest, theirs);
      }
      telemetry.event('info', 'Mosaic:Upload:AlreadyPresent', { key });
      const summary = await assembleInto(context, makeScratch, plan, rows, digest, null, signal);
      const sha256 = present.sha256 ?? (await sha256OfObject(context, key));
      return { ...summary, bytes: present.bytes, sha256, png: draw(summary.preview) };
    }
    const upload = await objects.upload({ key, contentType: COG_CONTENT_TYPE, digest }, present?.etag);
    try {
      const summary = await assembleInto(context, makeScratch, plan, rows, digest, upload, signal);
      signal.throwIfAborted();
      const completing = upload.complete();
      const [answer, png] = await Promise.all([completing, afterTurn(() => draw(summary.preview))]);
      if (answer.kind === 'created') {
        telemetry.count('BytesWritten', summary.bytes);
        return { ...summary, png };
      }
      if (answer.kind === 'conflict') telemetry.count('Conflict409Retried', 1);
      telemetry.event('warn', 'Mosaic:Upload:Refused', { key, answer: answer.kind, attempt });
    } finally {
      await upload.abort();
    }
  }
  throw new StoreUnavailableError(`${key} could not be completed in ${MOST_UPLOADS} uploads`, {
    remedy: 'the message comes back by itself',
  });
};

/** Work that begins once what was started before it is under way. */
const afterTurn = async <T>(work: () => T): Promise<T> => {
  await Promise.resolve();
  return work();
};

/** Derived from the rows' digests: two assemblies of the same tiles agree without looking at a pixel. */
export const sceneDigest = (plan: ScenePlan, rows: SceneRows): string =>
  mosaicDigest(
    rows.ordered.map(({ row }) => (row.state === 'WRITTEN' ? row.digest : null)),
    { ...cogOptions(plan.pipeline, rows.statistics), ...sceneImage(plan) },
  );

const sceneImage = ({ grid, pipeline }: ScenePlan) => ({
  width: grid.width,
  height: grid.height,
  grid,
  bandCount: bandCount(pipeline),
});

const assembleInto = async (
  context: PipelineContext,
  makeScratch: ScratchMaker,
  plan: ScenePlan,
  rows: SceneRows,
  digest: string,
  upload: Upload | null,
  signal: AbortSignal,
): Promise<MosaicSummary> => {
  await using scratch = await makeScratch();
  const columns = plan.windows.columnEdges.length - 1;
  return await assembleMosaic({
    ...cogOptions(plan.pipeline, rows.statistics),
    ...sceneImage(plan),
    digest,
    rowEdges: plan.windows.rowEdges,
    columnEdges: plan.windows.columnEdges,
    openTile: async (row, column) => {
      const tile = rows.ordered[row * columns + column]?.row;
      if (tile === undefined || tile.state === 'EMPTY') return null;
      const reader = await context.objects.open(tile.key, tile.etag);
      if (reader === null) throw new StoreUnavailableError(`${tile.key} vanished while its scene was assembled`);
      return reader;
    },
    sink: upload ?? { write: () => Promise.resolve() },
    scratch,
    signal,
  });
};

/** Streams the object through SHA-256, 8 MB at a time. */
const sha256OfObject = async (context: PipelineContext, key: string): Promise<string> => {
  await using reader = await context.objects.open(key);
  if (reader === null) throw new StoreUnavailableError(`${key} vanished while it was looked at`);
  const hash = createHash('sha256');
  const step = 8 * 1024 * 1024;
  for (let offset = 0; offset < reader.size; offset += step) {
    const [bytes] = await reader.read([{ offset, length: Math.min(step, reader.size - offset) }]);
    if (bytes !== undefined) hash.update(bytes);
  }
  return hash.digest('hex');
};
