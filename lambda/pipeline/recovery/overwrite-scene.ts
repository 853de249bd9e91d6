import { TileonceError } from '../../errors.ts';
import { windowsOf } from '../../identity/grid.ts';
import type { PipelineContext } from '../context.ts';
import { type OverwriteKind, overwriteWindow } from './overwrite-window.ts';
import { reassembleScene } from './reassemble-scene.ts';
import type { WorkTools } from './replay-delivery.ts';
import { whyOutdated } from './ring-scene.ts';
import type { PlannedScene } from './select-scenes.ts';

export interface SceneOverwrite {
  readonly sceneJobId: string;
  readonly windows: Readonly<Record<OverwriteKind, number>>;
  readonly assembly: 'assembled' | 'done-before' | 'live' | 'not needed';
}

export interface OverwriteOptions {
  readonly backfill: string;
  /** Windows under way at once. */
  readonly concurrency: number;
  readonly onWindow?: (kind: OverwriteKind) => void;
}

/**
 * Overwrites a finished scene's windows, a few at a time, then assembles it again. An interrupted one is resumed by
 * asking for it again under the same name.
 *
 * @throws TileonceError where the scene cannot be overwritten; nothing was changed then.
 */
export const overwriteScene = async (
  context: PipelineContext,
  tools: WorkTools,
  { record, plan }: PlannedScene,
  options: OverwriteOptions,
  signal?: AbortSignal,
): Promise<SceneOverwrite> => {
  const refusal =
    record.state === 'ASSEMBLED' ? await whyOutdated(context, plan, record.location) : `it is ${record.state}`;
  if (refusal !== null) {
    throw new TileonceError(
      `scene ${plan.sceneName} (${plan.sceneJobId.slice(0, 12)}) is not overwritten: ${refusal}`,
      {
        remedy: 'an overwrite makes a finished scene again from the same sources; new-key makes another beside it',
      },
    );
  }
  const counts = { overwritten: 0, unchanged: 0, emptied: 0, superseded: 0, 'done-before': 0, live: 0 };
  const rest = windowsOf(plan.windows);
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (const window of rest) {
      if (failures.length > 0) return;
      try {
        signal?.throwIfAborted();
        const request = { plan, location: record.location, window, backfill: options.backfill };
        const kind = await overwriteWindow(context, tools.pool, request, signal);
        counts[kind]++;
        options.onWindow?.(kind);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  if (failures.length > 0) throw failures[0];
  // One who is at work on a window assembles once it is done.
  const changed = counts.overwritten + counts.emptied + counts.superseded + counts['done-before'] > 0;
  const assembly =
    changed && counts.live === 0 ? await reassembleScene(context, tools.makeScratch, plan, signal) : 'not needed';
  return { sceneJobId: plan.sceneJobId, windows: counts, assembly };
};
