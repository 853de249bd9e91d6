import { windowsOf } from '../../identity/grid.ts';
import { assemblyJobId, windowName } from '../../identity/job-key.ts';
import type { PipelineContext } from '../context.ts';
import { countScene } from '../count-scene.ts';
import type { ScenePlan } from '../../identity/plan.ts';
import { messageBody } from '../messages.ts';
import { itemKey, mosaicKey, previewKey } from '../../identity/output-keys.ts';
import { SceneInFlightError, purgeWindow } from './purge-scene.ts';
import { removeObject, withSeizedClaim } from './seized-claim.ts';
import type { PlannedScene } from './select-scenes.ts';
import type { Finding } from './verify-scene.ts';

export interface RepairReport {
  /** Windows whose row and claim were removed, and that were sent again. */
  readonly windows: readonly string[];
  /** The scene is assembled again. */
  readonly assembly: boolean;
}

const OF_WINDOWS: ReadonlySet<Finding['kind']> = new Set(['object-gone', 'object-differs', 'row-missing']);
const OF_SCENE: ReadonlySet<Finding['kind']> = new Set(['scene-file-missing', 'scene-file-differs', 'not-assembled']);

/** What a repair would do. */
export interface PlannedRepair extends RepairReport {
  readonly scene: string;
  /** Keys of the scene's own files that would be removed before it is assembled again. */
  readonly files: readonly string[];
}

/** What `repairScene` does about these findings of a scene. */
export const plannedRepair = (plan: ScenePlan, findings: readonly Finding[]): PlannedRepair => {
  const broken = findings.flatMap(({ kind, window }) => (OF_WINDOWS.has(kind) && window !== null ? [window] : []));
  const windows = [...new Set(broken)];
  const assembly = windows.length > 0 || findings.some(({ kind }) => OF_SCENE.has(kind));
  return {
    scene: plan.sceneJobId,
    windows,
    files: assembly ? [...spoiltFiles(plan, findings, windows.length > 0)] : [],
    assembly,
  };
};

/** What a repair would do about one finding; null for what it leaves. */
export const repairText = ({ kind, window }: Finding): string | null => {
  if (OF_WINDOWS.has(kind) && window !== null) return `would purge window ${window} and send it again`;
  if (kind === 'scene-file-differs') return 'would remove it and assemble the scene again';
  return OF_SCENE.has(kind) ? 'would assemble the scene again' : null;
};

/**
 * Mends what `verifyScene` found of a scene: each window whose object is gone, or is not its row's, is purged
 * under its claim and sent again; of its own files those that are another's are removed under the assembly's claim; the
 * scene is opened until it was assembled once more, which finds a mosaic that is still right and leaves it. A scene that
 * has every row and was given up before its assembly is sent to it again. Strays are gc's affair.
 *
 * @throws SceneInFlightError where somebody is at work on what has to be purged.
 */
export const repairScene = async (
  context: PipelineContext,
  { record, plan }: PlannedScene,
  findings: readonly Finding[],
): Promise<RepairReport> => {
  const { windows: broken, files, assembly } = plannedRepair(plan, findings);
  if (!assembly) return { windows: [], assembly };
  const names = new Set<string>(broken);
  const windows = [...windowsOf(plan.windows)].filter((window) => names.has(windowName(window)));
  for (const window of windows) await purgeWindow(context, plan, window);
  const seized = await withSeizedClaim<void>(context, assemblyJobId(plan.sceneJobId), async (held) => {
    for (const key of files) await removeObject(context, key, held);
  });
  if (seized.kind === 'live') throw new SceneInFlightError(plan.sceneJobId, 'it is being assembled');
  await context.manifest.movePlan(plan.sceneJobId, ['ASSEMBLED', 'FAILED'], 'OPEN', null);
  const { location } = record;
  const { sources } = plan;
  await context.queue.send(
    'tiles',
    windows.map(({ row, column }) => messageBody({ v: 1, plan, sources, location, row, column })),
  );
  await countScene(context, { sceneJobId: plan.sceneJobId, windowCount: record.windowCount, location });
  return { windows: broken, assembly };
};

/**
 * The scene's own files to be removed before it is assembled again: an assembly accepts what it would write itself, and
 * nothing else. A preview is vouched for by the item alone. So are the mosaic's bytes; but while windows are to be made
 * again, a mosaic that carries the rows' digest stays: it may be the last that there is of their pixels.
 */
const spoiltFiles = ({ sceneJobId }: ScenePlan, findings: readonly Finding[], broken: boolean): Set<string> => {
  const ofItem = findings.filter(({ key }) => key === itemKey(sceneJobId));
  const spoilt = new Set(
    findings.flatMap(({ kind, key }) => (kind === 'scene-file-differs' && key !== undefined ? [key] : [])),
  );
  if (ofItem.length > 0) spoilt.add(previewKey(sceneJobId));
  if (ofItem.some(({ kind }) => kind === 'scene-file-differs') && !broken) spoilt.add(mosaicKey(sceneJobId));
  return spoilt;
};
