import { readFanOutEnvironment } from '../environment.ts';
import type { Pipeline } from '../pipeline/definition/pipeline.ts';
import { rings, siblings } from '../pipeline/definition/scene-siblings.ts';
import type { Settled } from '../pipeline/disposition.ts';
import { fanOut } from '../pipeline/fan-out.ts';
import { candidatesOf } from '../pipeline/look-at-sources.ts';
import { queueHandler } from '../serverless/queue-handler.ts';
import { lambdaRuntime } from '../serverless/runtime.ts';
import { type Ring, ringsOf } from './envelope.ts';

const env = readFanOutEnvironment(process.env);
const runtime = lambdaRuntime(env);

/** One event: every pipeline that the object rings for plans the scene that is there now. */
export const handler = queueHandler(runtime, 'scenes', async (body, signal) => {
  let settled: Settled = { kind: 'done' };
  for (const ring of ringsOf(body)) {
    for (const pipeline of env.PIPELINES) {
      const outcome = await answer(ring, pipeline, signal);
      // One live lease keeps the whole message; what was planned meanwhile costs one refused claim when it comes back.
      if (outcome.kind === 'live' && (settled.kind === 'done' || outcome.leaseUntil > settled.leaseUntil))
        settled = outcome;
    }
  }
  return settled;
});

const answer = async ({ bucket, key }: Ring, pipeline: Pipeline, signal: AbortSignal): Promise<Settled> => {
  const { telemetry, context, timing } = runtime;
  const scene = siblings(pipeline, key);
  if (scene === null || !rings(pipeline, key)) {
    telemetry.event('info', 'Scene:Ring:NotOurs', { bucket, key, pipeline: pipeline.pipeline });
    return { kind: 'done' };
  }
  const outcome = await fanOut(
    context,
    {
      location: '',
      patienceMs: timing.visibilityMs,
      pipeline,
      candidates: candidatesOf(bucket, scene),
    },
    signal,
  );
  if (outcome.kind === 'live') return outcome;
  telemetry.event('info', `Scene:FanOut:${EVENT[outcome.kind]}`, {
    bucket,
    key,
    pipeline: pipeline.pipeline,
    ...('sceneJobId' in outcome ? { sceneJobId: outcome.sceneJobId } : {}),
    ...('missing' in outcome ? { missing: outcome.missing.map(({ band }) => band) } : {}),
    ...('sent' in outcome ? { sent: outcome.sent } : {}),
  });
  return { kind: 'done' };
};

const EVENT = {
  planned: 'Done',
  resumed: 'Resumed',
  complete: 'AlreadyComplete',
  incomplete: 'Incomplete',
  purged: 'Purged',
} as const;
