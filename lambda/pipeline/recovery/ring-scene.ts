import { sceneJobId } from '../../identity/job-key.ts';
import type { ScenePlan } from '../../identity/plan.ts';
import type { PipelineContext } from '../context.ts';
import { canonicalParams } from '../definition/canonical-params.ts';
import type { FanOutRequest } from '../fan-out.ts';
import { lookAtSources } from '../look-at-sources.ts';

/** The doorbell of a planned scene, as an upload of its sources would ring it. */
export const ringOf = (plan: ScenePlan, location: string): FanOutRequest => ({
  location,
  pipeline: plan.pipeline,
  candidates: {
    bucket: plan.sources[0]?.bucket ?? '',
    sceneName: plan.sceneName,
    bandKeys: new Map(plan.bands.map(({ name, source }) => [name, keysOf(plan, source)])),
  },
});

const keysOf = (plan: ScenePlan, source: number): string[] => {
  const key = plan.sources[source]?.key;
  return key === undefined ? [] : [key];
};

/**
 * Why a ring would not mean this plan any more; null where it still would.
 *
 * @throws SourceError where a source is there but cannot be read.
 */
export const whyOutdated = async (
  context: Pick<PipelineContext, 'sources' | 'pixelVersion'>,
  plan: ScenePlan,
  location: string,
): Promise<string | null> => {
  const { pipeline, candidates } = ringOf(plan, location);
  const look = await lookAtSources(context.sources(location), pipeline, candidates);
  if (look.kind === 'incomplete') {
    return `its source is gone: ${look.missing.map(({ keys }) => keys.join(' or ')).join(', ')}`;
  }
  const params = canonicalParams(pipeline, context.pixelVersion);
  if (sceneJobId(look.sources.looks, plan.params) !== plan.sceneJobId) return 'its sources are others now';
  if (sceneJobId(look.sources.looks, params) !== plan.sceneJobId) return 'this release would make other pixels of it';
  return null;
};
