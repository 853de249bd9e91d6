import type { ManifestRow, PlanRecord } from '../../gates/manifest-store.ts';
import type { ListedObject } from '../../gates/object-store.ts';
import type { WindowIndex } from '../../identity/grid.ts';
import { type SceneJobId, assemblyJobId, windowJobId, windowName } from '../../identity/job-key.ts';
import { itemKey } from '../../identity/output-keys.ts';
import { OUTPUT_PREFIXES, type OutputObject, outputObjectOf } from './output-object.ts';
import { deleteRow } from './purge-scene.ts';
import { type DeletionContext, KEEP, removeObject, withSeizedClaim } from './seized-claim.ts';

/** An object that no ledger row owns. */
export interface StrayObject extends ListedObject {
  /** Null for a key that the pipeline never writes: such an object is shown and never removed. */
  readonly output: OutputObject | null;
  /** The finished output of a scene that the ledger has no plan of: the ledger was lost, not the scene. */
  readonly unknownScene: boolean;
}

/**
 * The objects that no row of the manifest (tiles) and no plan (a scene's own files) owns; what a purged scene's plan or
 * rows name is not owned. Rows and plans never expire, so what is old and has none will not get one.
 *
 * @param sceneJobId only this scene's.
 */
export async function* strayObjects(
  context: Pick<DeletionContext, 'objects' | 'manifest'>,
  sceneJobId?: string,
): AsyncGenerator<StrayObject> {
  let known: SceneOwnership | null = null;
  for (const prefix of OUTPUT_PREFIXES) {
    for await (const object of context.objects.list(sceneJobId === undefined ? prefix : `${prefix}${sceneJobId}/`)) {
      const output = outputObjectOf(object.key);
      if (output !== null && known?.sceneJobId !== output.sceneJobId) {
        // Keys come sorted, so one scene's are together.
        known = await ownershipOf(context, output.sceneJobId);
      }
      if (output !== null && known !== null && owns(known, output)) continue;
      yield { ...object, output, unknownScene: output !== null && known?.unknown === true };
    }
  }
}

interface SceneOwnership {
  readonly sceneJobId: string;
  readonly plan: PlanRecord | null;
  /** Windows with a WRITTEN row, and with an EMPTY one. */
  readonly written: ReadonlySet<string>;
  readonly empty: ReadonlySet<string>;
  /** No plan, and yet an item: it comes last, so the scene was finished and its ledger is gone. */
  readonly unknown: boolean;
}

const ownershipOf = async (
  { manifest, objects }: Pick<DeletionContext, 'objects' | 'manifest'>,
  sceneJobId: SceneJobId,
): Promise<SceneOwnership> => {
  // Rows first: one that is added in between makes an object owned that we take for a stray, and the claim settles that.
  const rows = await manifest.listRows(sceneJobId);
  const windowsThatAre = (wanted: ManifestRow['state']): Set<string> =>
    new Set(rows.flatMap(({ state, window }) => (state === wanted ? [window] : [])));
  const plan = await manifest.getPlan(sceneJobId);
  const unknown = plan === null && (await objects.head(itemKey(sceneJobId))) !== null;
  return { sceneJobId, plan, written: windowsThatAre('WRITTEN'), empty: windowsThatAre('EMPTY'), unknown };
};

const owns = ({ plan, written }: SceneOwnership, output: OutputObject): boolean => {
  if (plan === null || plan.state === 'PURGED') return false;
  return output.kind === 'scene-file' || written.has(windowName(output.window));
};

/** True for a window that a scene which nobody purged has as EMPTY. */
const isEmpty = ({ plan, empty }: SceneOwnership, { window }: { window: WindowIndex }): boolean =>
  plan !== null && plan.state !== 'PURGED' && empty.has(windowName(window));

export interface GarbageReport {
  readonly strays: number;
  readonly removed: number;
  readonly bytes: number;
  /** Keys of others, left alone. */
  readonly foreign: number;
  /** Strays whose job somebody is at work on, or that got their row meanwhile. */
  readonly inUse: number;
  /** Strays younger than the age asked for. */
  readonly young: number;
  /** Objects of finished scenes that the ledger does not know, left alone. */
  readonly unknown: number;
  /** How many such scenes. */
  readonly unknownScenes: number;
}

/** What becomes of a stray; all but the first two are left alone. */
export type StrayFate = 'removed' | 'would be removed' | 'foreign' | 'in use' | 'young' | 'unknown scene';

export interface GarbageOptions {
  /** Only objects that were last written longer ago than this, ms. */
  readonly olderThanMs: number;
  /** Says what would be removed, and removes nothing. */
  readonly dryRun: boolean;
  /** True: finished scenes that the ledger does not know are garbage too. */
  readonly unknownScenes?: boolean;
  readonly onStray?: (stray: StrayObject, what: StrayFate) => void;
}

/**
 * Removes stray objects (docs/design.md, section 7), but not the finished scenes that the ledger does not know
 * (it was lost or moved away): each under the claim of the job that would have made it: a job
 * that is at work keeps its object, and one that comes later makes it anew.
 */
export const collectGarbage = async (
  context: DeletionContext,
  { olderThanMs, dryRun, unknownScenes = false, onStray = () => undefined }: GarbageOptions,
): Promise<GarbageReport> => {
  const report = { strays: 0, removed: 0, bytes: 0, foreign: 0, inUse: 0, young: 0, unknown: 0 };
  const spared = new Set<string>();
  for await (const stray of strayObjects(context)) {
    report.strays++;
    if (stray.output === null) {
      report.foreign++;
      onStray(stray, 'foreign');
    } else if (stray.unknownScene && !unknownScenes) {
      report.unknown++;
      spared.add(stray.output.sceneJobId);
      onStray(stray, 'unknown scene');
    } else if (stray.modifiedAt > context.clock.now() - olderThanMs) {
      report.young++;
      onStray(stray, 'young');
    } else if (dryRun) {
      onStray(stray, 'would be removed');
    } else {
      const bytes = await removeStray(context, stray.key, stray.output, unknownScenes);
      if (bytes === null) report.inUse++;
      else {
        report.removed++;
        report.bytes += bytes;
      }
      onStray(stray, bytes === null ? 'in use' : 'removed');
    }
  }
  return { ...report, unknownScenes: spared.size };
};

/** @returns its size, bytes; null where it is in use. */
const removeStray = async (
  context: DeletionContext,
  key: string,
  output: OutputObject,
  unknownScenes: boolean,
): Promise<number | null> => {
  const { sceneJobId } = output;
  const jobId = output.kind === 'tile' ? windowJobId(sceneJobId, output.window) : assemblyJobId(sceneJobId);
  let bytes: number | null = null;
  const outcome = await withSeizedClaim(context, jobId, async (held) => {
    // Judged again under the claim: its row may have come since it was listed.
    const owner = await ownershipOf(context, sceneJobId);
    if (owns(owner, output)) return KEEP;
    // Of a job without a row nothing is committed: its claim goes, its object stays.
    if (owner.unknown && !unknownScenes) return null;
    if (output.kind === 'tile' && isEmpty(owner, output)) {
      // Somebody's object under the key of a window without one: the window's job stays done, and so does its row.
      bytes = await removeObject(context, key, held);
      return KEEP;
    }
    if (output.kind === 'tile') await deleteRow(context, sceneJobId, windowName(output.window), held);
    bytes = await removeObject(context, key, held);
    return null;
  });
  return outcome.kind === 'live' ? null : bytes;
};
