import type { FanOutOutcome } from '../../lambda/pipeline/fan-out.ts';
import { sceneStatus } from '../../lambda/pipeline/recovery/scene-status.ts';
import type { OperatorEngine } from './operator-engine.ts';
import { lettersOf } from './when-settled.ts';

/** Tells, a line each, of the scenes that were rung for and did not become COMPLETE. @returns how many. */
export const tellUnfinished = async (engine: OperatorEngine, outcomes: readonly FanOutOutcome[]): Promise<number> => {
  const { context, stalledAfterMs, isDead } = engine;
  let failed = 0;
  for (const outcome of outcomes) {
    if (outcome.kind !== 'planned' && outcome.kind !== 'resumed') continue;
    const { sceneName } = outcome.plan;
    const record = await context.manifest.getPlan(outcome.sceneJobId);
    // What was superseded meanwhile is made under another id.
    if (record === null || record.state === 'ASSEMBLED' || record.state === 'SUPERSEDED') continue;
    const { state } = await sceneStatus(context, record, {
      stalledAfterMs,
      isDead,
      deadLetters: await lettersOf(engine),
    });
    failed++;
    console.error(`tileonce: ${sceneName} is ${state}: tileonce status ${record.sceneJobId.slice(0, 12)} shows why`);
  }
  return failed;
};
