import type { DeletionContext } from './seized-claim.ts';
import { strayObjects } from './collect-garbage.ts';
import type { SceneStatus } from './scene-status.ts';

/**
 * How many objects of ours an interrupted purge left; 0 for a scene that is not PURGED. A purge removes rows on its way, so only
 * a tombstone that has rows yet is looked at: a listing for each scene that was ever purged would cost more than it tells.
 */
export const leftOfPurge = async (
  context: Pick<DeletionContext, 'objects' | 'manifest'>,
  { state, rows, plan }: Pick<SceneStatus, 'state' | 'rows' | 'plan'>,
): Promise<number> => {
  if (state !== 'PURGED' || rows === 0) return 0;
  let left = 0;
  for await (const { output } of strayObjects(context, plan.sceneJobId)) left += output === null ? 0 : 1;
  return left;
};
