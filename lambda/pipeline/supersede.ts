import { UNFINISHED } from '../gates/manifest-store.ts';
import type { ScenePlan } from '../identity/plan.ts';
import type { PipelineContext } from './context.ts';
import { messageBody } from './messages.ts';

/** Why a plan of code whose pixels are others is superseded. */
export const otherPixels = (plan: ScenePlan, pixelVersion: number): string =>
  `planned by pixel version ${plan.pixelVersion}, this is ${pixelVersion}`;

type SupersedeContext = Pick<PipelineContext, 'manifest' | 'queue' | 'sources' | 'telemetry' | 'pixelVersion'>;

/**
 * Closes a plan that no longer describes what is there, and rings for the scene: it is planned again from the current
 * objects and the current code. Safe to repeat.
 *
 *     ring ─▶ close ─▶ ring once more, where the plan describes what is there after all
 *
 * @throws StoreUnavailableError.
 */
export const supersede = async (
  context: SupersedeContext,
  plan: ScenePlan,
  location: string,
  reason: string,
): Promise<void> => {
  const [first] = plan.sources;
  if (first === undefined) return;
  const record = await context.manifest.getPlan(plan.sceneJobId);
  if (record !== null && !UNFINISHED.includes(record.state)) return;
  const doorbell = messageBody({ v: 1, bucket: first.bucket, key: first.key, location, pipeline: plan.pipeline });
  // Ring first: a crash in between leaves an OPEN plan and a doorbell, never a closed plan that nobody rings for.
  await context.queue.send('scenes', [doorbell]);
  if (!(await context.manifest.movePlan(plan.sceneJobId, UNFINISHED, 'SUPERSEDED', reason))) return;
  context.telemetry.count('PlansSuperseded', 1);
  context.telemetry.event('warn', 'Plan:Supersede:Done', { sceneJobId: plan.sceneJobId, reason });
  // The doorbell may have been answered before the plan was closed, by one who found it open and left it so.
  if (await isWanted(context, plan, location)) await context.queue.send('scenes', [doorbell]);
};

/** True where a plan is what a fan-out would make now: newer code's, or ours of sources that were put back. */
const isWanted = async (context: SupersedeContext, plan: ScenePlan, location: string): Promise<boolean> => {
  if (plan.pixelVersion !== context.pixelVersion) return plan.pixelVersion > context.pixelVersion;
  const store = context.sources(location);
  for (const { bucket, key, versionToken } of plan.sources) {
    if ((await store.look(bucket, key))?.versionToken !== versionToken) return false;
  }
  return true;
};
