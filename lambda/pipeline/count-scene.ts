import type { SceneJobId } from '../identity/job-key.ts';
import type { PipelineContext } from './context.ts';
import { messageBody } from './messages.ts';

/**
 * Sends a scene to assembly once every planned window has its row. Called after each new row; whoever brings the last
 * one sees all of them, and two who see them together send two messages, of which the assembly's claim refuses one.
 *
 * @returns how many rows there are.
 */
export const countScene = async (
  context: Pick<PipelineContext, 'manifest' | 'queue'>,
  scene: { sceneJobId: SceneJobId; windowCount: number; location: string },
): Promise<number> => {
  const rows = await context.manifest.countRows(scene.sceneJobId);
  if (rows >= scene.windowCount) {
    await context.queue.send('assemblies', [
      messageBody({ v: 1, sceneJobId: scene.sceneJobId, location: scene.location }),
    ]);
  }
  return rows;
};
