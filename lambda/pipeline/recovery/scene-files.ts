import type { ManifestRow } from '../../gates/manifest-store.ts';
import type { ObjectStore } from '../../gates/object-store.ts';
import { itemKey, mosaicKey, previewKey } from '../../identity/output-keys.ts';
import type { ScenePlan } from '../../identity/plan.ts';
import { sceneStatistics } from '../../raster/statistics.ts';
import type { RasterSize } from '../../raster/types.ts';
import { itemDocument } from '../assemble-scene.ts';
import { ManifestGapError, rowsInOrder } from '../check-manifest.ts';
import { storedDigest } from '../stored-digest.ts';
import { sceneDigest } from '../write-mosaic.ts';
import { sha256Of } from './sha256-of-object.ts';
import type { Finding, VerifyOptions } from './verify-scene.ts';

interface StoredFile {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Holds a scene's own files against its plan and rows. The item must be, byte for byte, what an assembly would write
 * about the mosaic and preview that stand; those must be the ones that the item names, and the mosaic's digest that of
 * the rows. Where rows are missing only the files are held against the item: what it should say is not known.
 */
export const sceneFileFindings = async (
  objects: ObjectStore,
  plan: ScenePlan,
  rows: readonly ManifestRow[],
  options: Pick<VerifyOptions, 'readBytes'>,
): Promise<Finding[]> => {
  const { sceneJobId } = plan;
  const [item, mosaic, preview] = [itemKey(sceneJobId), mosaicKey(sceneJobId), previewKey(sceneJobId)];
  const findings = new Map<string, Finding>();
  const found = (key: string, kind: Finding['kind'], what: string): void => {
    if (!findings.has(key)) findings.set(key, { kind, sceneJobId, window: null, message: `${key}: ${what}`, key });
  };
  const stored = await objects.get(itemKey(sceneJobId));
  const text = stored === null ? null : Buffer.from(stored).toString();
  if (text === null) found(item, 'scene-file-missing', 'the item is gone');

  const filed = rows.some(({ state }) => state === 'WRITTEN');
  const files: Record<'mosaic' | 'preview', StoredFile | null> = { mosaic: null, preview: null };
  for (const [name, key] of filed
    ? ([
        ['mosaic', mosaic],
        ['preview', preview],
      ] as const)
    : []) {
    files[name] = await storedFile(objects, key, options);
    if (files[name] === null) found(key, 'scene-file-missing', 'the object is gone');
  }
  const expected = await expectedFiles(objects, plan, rows, files);
  if (expected !== null && files.mosaic !== null) {
    const digest = (await objects.head(mosaic))?.digest ?? (await storedDigest(objects, mosaic));
    if (digest !== expected.mosaicDigest) found(mosaic, 'scene-file-differs', 'it is not the mosaic of the rows');
  }
  if (text === null || text === expected?.item) return [...findings.values()];

  const sameForm = expected === null || withoutFiles(text) === withoutFiles(expected.item);
  if (!sameForm) found(item, 'scene-file-differs', 'it is not the item that plan and rows give');
  for (const [key, file] of [
    [mosaic, files.mosaic],
    [preview, files.preview],
  ] as const) {
    // The item writes checksums as multihashes: a prefix, then the SHA-256. An item that is wrong itself accuses nobody.
    if (file === null || !sameForm || text.includes(file.sha256)) continue;
    found(key, 'scene-file-differs', `SHA-256 ${file.sha256} is not the item's`);
  }
  if (findings.size === 0 && expected !== null) {
    found(item, 'scene-file-differs', 'it is not the item that plan and rows give');
  }
  return [...findings.values()];
};

const storedFile = async (
  objects: ObjectStore,
  key: string,
  { readBytes }: Pick<VerifyOptions, 'readBytes'>,
): Promise<StoredFile | null> => {
  const info = await objects.head(key);
  if (info === null) return null;
  const sha256 = readBytes || info.sha256 === null ? await sha256Of(objects, key) : info.sha256;
  return sha256 === null ? null : { bytes: info.bytes, sha256 };
};

/** The item that an assembly would write about these files, and the digest of its mosaic; null where rows are not the plan's. */
const expectedFiles = async (
  objects: ObjectStore,
  plan: ScenePlan,
  rows: readonly ManifestRow[],
  files: Readonly<Record<'mosaic' | 'preview', StoredFile | null>>,
): Promise<{ readonly item: string; readonly mosaicDigest: string } | null> => {
  const ordered = orderedOrNull(plan, rows);
  if (ordered === null) return null;
  const written = ordered.flatMap(({ row }) => (row.state === 'WRITTEN' ? [row] : []));
  const statistics = sceneStatistics(
    written.map((row) => row.statistics),
    plan.pipeline.outputs.length,
  );
  const unknown = { bytes: 0, sha256: '' };
  const size = await pngSize(objects, previewKey(plan.sceneJobId));
  const mosaic = written.length === 0 ? null : (files.mosaic ?? unknown);
  const preview = written.length === 0 ? null : { ...size, ...(files.preview ?? unknown) };
  const item = itemDocument(plan, { written, total: ordered.length, statistics, mosaic, preview });
  return { item: Buffer.from(item).toString(), mosaicDigest: sceneDigest(plan, { ordered, statistics }) };
};

const orderedOrNull = (plan: ScenePlan, rows: readonly ManifestRow[]): ReturnType<typeof rowsInOrder> | null => {
  try {
    return rowsInOrder(plan, rows);
  } catch (error) {
    if (error instanceof ManifestGapError) return null;
    throw error;
  }
};

/** An item's text without what it says about the bytes of the mosaic and about the preview, its last asset. */
const withoutFiles = (text: string): string =>
  text.replace(/\n {4}"preview": \{[\s\S]*$/, '').replaceAll(/"file:(size|checksum)": ("[0-9a-f]*"|\d+)/g, '"file:$1"');

/** The first bytes of a PNG: signature, length and name of the IHDR chunk, then width and height (PNG, section 11.2.1). */
const WIDTH_AT = 16;
const HEIGHT_AT = 20;
const HEADER_BYTES = 24;

/** A preview's size, px; 1 x 1 where there is none, or no PNG: then the file itself is a finding. */
const pngSize = async (objects: ObjectStore, key: string): Promise<RasterSize> => {
  const png = await objects.get(key);
  if (png === null || png.byteLength < HEADER_BYTES) return { width: 1, height: 1 };
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  return { width: Math.max(1, view.getUint32(WIDTH_AT)), height: Math.max(1, view.getUint32(HEIGHT_AT)) };
};
