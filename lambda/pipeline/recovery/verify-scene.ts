import { createHash } from 'node:crypto';
import type { ManifestRow, WrittenRow } from '../../gates/manifest-store.ts';
import type { ObjectStore } from '../../gates/object-store.ts';
import { windowsOf } from '../../identity/grid.ts';
import { windowName } from '../../identity/job-key.ts';
import { itemKey, mosaicKey, previewKey } from '../../identity/output-keys.ts';
import type { PipelineContext } from '../context.ts';
import { strayObjects } from './collect-garbage.ts';
import type { PlannedScene } from './select-scenes.ts';

/** Something that is not as the ledger says. */
export interface Finding {
  readonly kind:
    | 'object-gone'
    | 'object-differs'
    | 'row-missing'
    | 'row-unplanned'
    | 'scene-file-missing'
    | 'scene-file-differs'
    | 'stray'
    | 'replay';
  readonly sceneJobId: string | null;
  /** The window where it is about one. */
  readonly window: string | null;
  readonly message: string;
}

export interface VerifyOptions {
  /** True: every byte is read and hashed. False: the checksum that the store keeps is believed. */
  readonly readBytes: boolean;
  readonly onProgress?: (done: number, of: number) => void;
}

/** Objects looked at, or read, at once. */
const AT_ONCE = 8;
/** Bytes hashed at a time. */
const STEP = 8 * 1024 * 1024;

type VerifyContext = Pick<PipelineContext, 'manifest' | 'objects'>;

/**
 * Holds one scene's ledger against its objects: every row against its object's size, ETag and checksum, every planned
 * window of a finished scene against its row, the scene's own files, and objects that nobody owns.
 */
export const verifyScene = async (
  context: VerifyContext,
  { record, plan }: PlannedScene,
  options: VerifyOptions,
): Promise<Finding[]> => {
  const sceneJobId = plan.sceneJobId;
  const findings: Finding[] = [];
  const found = (kind: Finding['kind'], window: string | null, message: string): void =>
    void findings.push({ kind, sceneJobId, window, message });
  if (record.state !== 'PURGED') {
    const rows = await context.manifest.listRows(sceneJobId);
    const planned = new Set([...windowsOf(plan.windows)].map(windowName));
    for (const { window } of rows) {
      if (!planned.delete(window)) found('row-unplanned', window, `window ${window} has a row but is not in the plan`);
    }
    if (record.state === 'ASSEMBLED') {
      for (const window of planned) found('row-missing', window, `window ${window} has no row`);
      findings.push(...(await sceneFileFindings(context.objects, sceneJobId, rows, options)));
    }
    findings.push(...(await rowFindings(context.objects, rows, options)));
  }
  for await (const { key } of strayObjects(context, sceneJobId)) found('stray', null, `${key}: no ledger row owns it`);
  return findings;
};

const rowFindings = async (
  objects: ObjectStore,
  rows: readonly ManifestRow[],
  options: VerifyOptions,
): Promise<Finding[]> => {
  const written = rows.flatMap((row) => (row.state === 'WRITTEN' ? [row] : []));
  const findings: Finding[] = [];
  for (let start = 0; start < written.length; start += AT_ONCE) {
    const some = written.slice(start, start + AT_ONCE);
    findings.push(...(await Promise.all(some.map((row) => rowFinding(objects, row, options)))).flat());
    options.onProgress?.(start + some.length, written.length);
  }
  return findings;
};

const rowFinding = async (objects: ObjectStore, row: WrittenRow, options: VerifyOptions): Promise<Finding[]> => {
  const { sceneJobId, window, key } = row;
  const info = await objects.head(key);
  if (info === null) return [{ kind: 'object-gone', sceneJobId, window, message: `${key}: the object is gone` }];
  const differs = [
    ...(info.bytes === row.bytes ? [] : [`${info.bytes} bytes, its row says ${row.bytes}`]),
    ...(info.etag === row.etag ? [] : [`ETag ${info.etag}, its row says ${row.etag}`]),
  ];
  if (differs.length === 0) {
    const sha256 = options.readBytes || info.sha256 === null ? await sha256Of(objects, key) : info.sha256;
    if (sha256 !== row.sha256) differs.push(`SHA-256 ${sha256 ?? 'of nothing'}, its row says ${row.sha256}`);
  }
  if (differs.length === 0) return [];
  return [{ kind: 'object-differs', sceneJobId, window, message: `${key}: ${differs.join('; ')}` }];
};

/** The item is the scene's own record of its files: sizes and checksums are held against it. */
const sceneFileFindings = async (
  objects: ObjectStore,
  sceneJobId: PlannedScene['plan']['sceneJobId'],
  rows: readonly ManifestRow[],
  options: VerifyOptions,
): Promise<Finding[]> => {
  const finding = (kind: Finding['kind'], message: string): Finding => ({ kind, sceneJobId, window: null, message });
  const item = await objects.get(itemKey(sceneJobId));
  if (item === null) return [finding('scene-file-missing', `${itemKey(sceneJobId)}: the item is gone`)];
  if (rows.every(({ state }) => state === 'EMPTY')) return [];
  const text = Buffer.from(item).toString();
  const findings: Finding[] = [];
  for (const key of [mosaicKey(sceneJobId), previewKey(sceneJobId)]) {
    const info = await objects.head(key);
    if (info === null) {
      findings.push(finding('scene-file-missing', `${key}: the object is gone`));
      continue;
    }
    const sha256 = options.readBytes || info.sha256 === null ? await sha256Of(objects, key) : info.sha256;
    // The item writes checksums as multihashes: a prefix, then the SHA-256.
    if (sha256 === null || !text.includes(sha256)) {
      findings.push(finding('scene-file-differs', `${key}: SHA-256 ${sha256 ?? 'of nothing'} is not the item's`));
    }
  }
  return findings;
};

/** Streams the object through SHA-256; null where it is gone. */
const sha256Of = async (objects: ObjectStore, key: string): Promise<string | null> => {
  await using reader = await objects.open(key);
  if (reader === null) return null;
  const hash = createHash('sha256');
  for (let offset = 0; offset < reader.size; offset += STEP) {
    const [bytes] = await reader.read([{ offset, length: Math.min(STEP, reader.size - offset) }]);
    if (bytes !== undefined) hash.update(bytes);
  }
  return hash.digest('hex');
};
