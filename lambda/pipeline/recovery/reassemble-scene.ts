import { withClaim } from '../../gates/claim.ts';
import { rowEtag } from '../../gates/manifest-store.ts';
import { reassemblyJobId } from '../../identity/job-key.ts';
import { mosaicKey, previewKey } from '../../identity/output-keys.ts';
import type { ScenePlan } from '../../identity/plan.ts';
import { type AssemblyResult, buildScene } from '../assemble-scene.ts';
import { rowsInOrder } from '../check-manifest.ts';
import { type PipelineContext, claimAttempt } from '../context.ts';
import type { ScratchMaker } from '../write-mosaic.ts';

/**
 * Assembles a scene again after its windows were overwritten: a job whose id covers the ETags that the rows have now,
 * so that a further change is a further job. Mosaic, preview and item are replaced under the ETags they are inspected
 * with; what is the same already is left.
 *
 * @throws ManifestGapError, SupersededWriteError, LeaseLostError, StoreUnavailableError, or the signal's reason.
 */
export const reassembleScene = async (
  context: PipelineContext,
  makeScratch: ScratchMaker,
  plan: ScenePlan,
  signal?: AbortSignal,
): Promise<'assembled' | 'done-before' | 'live'> => {
  const rows = rowsInOrder(plan, await context.manifest.listRows(plan.sceneJobId));
  const outcome = await withClaim(
    claimAttempt(
      context,
      reassemblyJobId(
        plan.sceneJobId,
        rows.map(({ row }) => rowEtag(row)),
      ),
    ),
    context.telemetry,
    async (workSignal) => {
      const result: AssemblyResult = await buildScene(context, makeScratch, plan, 'replace', workSignal);
      if (!result.mosaic) await dropMosaic(context, plan);
      return { ...result };
    },
    signal,
  );
  if (outcome.kind === 'live') return 'live';
  return outcome.kind === 'worked' ? 'assembled' : 'done-before';
};

/** Of a scene that has no valid pixel any more; its item, written before, names neither. */
const dropMosaic = async ({ objects }: PipelineContext, plan: ScenePlan): Promise<void> => {
  for (const key of [mosaicKey(plan.sceneJobId), previewKey(plan.sceneJobId)]) {
    const info = await objects.head(key);
    if (info !== null) await objects.remove(key, info.etag);
  }
};
