import type { ManifestRow, WrittenRow } from '../../gates/manifest-store.ts';
import type { ObjectStore } from '../../gates/object-store.ts';
import { windowsOf } from '../../identity/grid.ts';
import { windowName } from '../../identity/job-key.ts';
import type { PipelineContext } from '../context.ts';
import { strayObjects } from './collect-garbage.ts';
import { sceneFileFindings } from './scene-files.ts';
import type { PlannedScene } from './select-scenes.ts';
import { sha256Of } from './sha256-of-object.ts';
import { strayText } from './stray-findings.ts';

/** Something that is not as the ledger says. */
export interface Finding {
  readonly kind:
    | 'object-gone'
    | 'object-differs'
    | 'row-missing'
    | 'row-unplanned'
    | 'scene-file-missing'
    | 'scene-file-differs'
    | 'not-assembled'
    | 'stray'
    | 'replay';
  readonly sceneJobId: string | null;
  /** The window where it is about one. */
  readonly window: string | null;
  readonly message: string;
  /** The scene's own file where it is about one. */
  readonly key?: string;
}

export interface VerifyOptions {
  /** True: every byte is read and hashed. False: the checksum that the store keeps is believed, where it has one. */
  readonly readBytes: boolean;
  /** True: nobody is at work on the scene any more, so that one with all its rows should have its item. */
  readonly stalled?: boolean;
  readonly onProgress?: (done: number, of: number) => void;
}

/** Objects looked at, or read, at once. */
const AT_ONCE = 8;

type VerifyContext = Pick<PipelineContext, 'manifest' | 'objects'>;

/**
 * Holds one scene's ledger against its objects: every row against its object's size, ETag and checksum, every planned
 * window of a finished scene against its row, the scene's own files against plan and rows, and objects that nobody owns.
 * What an interrupted purge left is one finding.
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
    const given = (record.state === 'OPEN' || record.state === 'FAILED') && options.stalled === true;
    if (record.state === 'ASSEMBLED') {
      for (const window of planned) found('row-missing', window, `window ${window} has no row`);
    } else if (given && planned.size === 0) {
      found('not-assembled', null, `scene ${sceneJobId.slice(0, 12)} has every row and is not assembled`);
    }
    if (record.state === 'ASSEMBLED' || given) {
      const files = await sceneFileFindings(context.objects, plan, rows, options);
      // Of a scene that is not assembled no file need stand yet; one that does must be what the assembly would write.
      findings.push(...files.filter(({ kind }) => record.state === 'ASSEMBLED' || kind === 'scene-file-differs'));
    }
    findings.push(...(await rowFindings(context.objects, rows, options)));
  }
  let left = 0;
  for await (const stray of strayObjects(context, sceneJobId)) {
    if (record.state !== 'PURGED' || stray.output === null) found('stray', null, strayText(stray));
    else left++;
  }
  if (left > 0) {
    found('stray', null, `scene ${sceneJobId.slice(0, 12)} is PURGED, ${left} objects left: run purge again`);
  }
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
