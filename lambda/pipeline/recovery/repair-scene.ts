import { windowsOf } from '../../identity/grid.ts';
import { assemblyJobId, windowName } from '../../identity/job-key.ts';
import type { PipelineContext } from '../context.ts';
import { countScene } from '../count-scene.ts';
import { messageBody } from '../messages.ts';
import { itemKey, mosaicKey, previewKey } from '../../identity/output-keys.ts';
import { purgeWindow } from './purge-scene.ts';
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
const OF_SCENE: ReadonlySet<Finding['kind']> = new Set(['scene-file-missing', 'scene-file-differs']);

/**
 * Mends what `verifyScene` found of a finished scene: each window whose object is gone, or is not its row's, is purged
 * under its claim and sent again; the scene is opened until it was assembled once more, which finds a mosaic that is
 * still right and leaves it. Strays are gc's affair.
 *
 * @throws SceneInFlightError where somebody is at work on what has to be purged.
 */
export const repairScene = async (
  context: PipelineContext,
  { record, plan }: PlannedScene,
  findings: readonly Finding[],
): Promise<RepairReport> => {
  const broken = new Set(
    findings.flatMap(({ kind, window }) => (OF_WINDOWS.has(kind) && window !== null ? [window] : [])),
  );
  const files = findings.some(({ kind }) => OF_SCENE.has(kind));
  if (broken.size === 0 && !files) return { windows: [], assembly: false };
  const windows = [...windowsOf(plan.windows)].filter((window) => broken.has(windowName(window)));
  for (const window of windows) await purgeWindow(context, plan, window);
  const differing = findings.some(({ kind }) => kind === 'scene-file-differs');
  await withSeizedClaim<void>(context, assemblyJobId(plan.sceneJobId), async (held) => {
    if (!differing) return;
    for (const key of [itemKey, mosaicKey, previewKey]) await removeObject(context, key(plan.sceneJobId), held);
  });
  await context.manifest.movePlan(plan.sceneJobId, ['ASSEMBLED', 'FAILED'], 'OPEN', null);
  const { location } = record;
  const { sources } = plan;
  await context.queue.send(
    'tiles',
    windows.map(({ row, column }) => messageBody({ v: 1, plan, sources, location, row, column })),
  );
  await countScene(context, { sceneJobId: plan.sceneJobId, windowCount: record.windowCount, location });
  return { windows: [...broken], assembly: true };
};
