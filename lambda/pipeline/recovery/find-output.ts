import { assemblyJobId } from '../../identity/job-key.ts';
import type { PipelineContext } from '../context.ts';
import { type PlannedScene, allScenes } from './select-scenes.ts';

/**
 * The newest finished output of a scene by its name: of all pipelines, versions and uploads the one that was assembled
 * last. Null where none is finished.
 *
 * @param pipeline only outputs of this pipeline.
 */
export const findOutput = async (
  context: Pick<PipelineContext, 'manifest' | 'claims'>,
  name: string,
  pipeline?: string,
): Promise<PlannedScene | null> => {
  let newest: { scene: PlannedScene; finishedAt: number } | null = null;
  for (const scene of await allScenes(context.manifest)) {
    const { plan, record } = scene;
    if (plan.sceneName !== name || record.state !== 'ASSEMBLED') continue;
    if (pipeline !== undefined && plan.pipeline.pipeline !== pipeline) continue;
    const finishedAt = (await context.claims.get(assemblyJobId(plan.sceneJobId)))?.finishedAt ?? 0;
    if (newest === null || finishedAt > newest.finishedAt) newest = { scene, finishedAt };
  }
  return newest?.scene ?? null;
};
