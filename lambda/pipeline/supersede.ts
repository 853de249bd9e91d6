import type { PlanState } from '../gates/manifest-store.ts';
import type { ScenePlan } from '../identity/plan.ts';
import type { PipelineContext } from './context.ts';
import { messageBody } from './messages.ts';

/** A plan that was given up may get its dead letters replayed: it is superseded as an OPEN one is. */
const UNFINISHED: readonly PlanState[] = ['OPEN', 'FAILED'];

/**
 * Closes a plan that no longer describes what is there, and rings for the scene: it is planned again from the current
 * objects and the current code. Safe to repeat.
 */
export const supersede = async (
  context: Pick<PipelineContext, 'manifest' | 'queue' | 'telemetry'>,
  plan: ScenePlan,
  location: string,
  reason: string,
): Promise<void> => {
  const [first] = plan.sources;
  if (first === undefined) return;
  const record = await context.manifest.getPlan(plan.sceneJobId);
  if (record !== null && !UNFINISHED.includes(record.state)) return;
  // Ring first: a crash in between leaves an OPEN plan and a doorbell, never a closed plan that nobody rings for.
  await context.queue.send('scenes', [
    messageBody({ v: 1, bucket: first.bucket, key: first.key, location, pipeline: plan.pipeline }),
  ]);
  const closed = await context.manifest.movePlan(plan.sceneJobId, UNFINISHED, 'SUPERSEDED', reason);
  if (closed) {
    context.telemetry.count('PlansSuperseded', 1);
    context.telemetry.event('warn', 'Plan:Supersede:Done', { sceneJobId: plan.sceneJobId, reason });
  }
};
