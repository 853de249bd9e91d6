import type { BuriedMessage } from '../../lambda/gates/dead-letters.ts';
import { sceneStatus } from '../../lambda/pipeline/recovery/scene-status.ts';
import type { OperatorEngine } from './operator-engine.ts';

/** How often a scene is looked at, ms. */
const LOOK_MS = 500;
const MOST_LOOK_MS = 15_000;

/** Waits until a scene is finished, given up or stalled. Throws the signal's reason when it fires. */
export const whenSettled = async (engine: OperatorEngine, sceneJobId: string, signal: AbortSignal): Promise<void> => {
  const { context, stalledAfterMs } = engine;
  for (let pause = LOOK_MS; ; pause = Math.min(MOST_LOOK_MS, pause * 1.5)) {
    signal.throwIfAborted();
    const record = await context.manifest.getPlan(sceneJobId);
    if (record?.state !== 'OPEN') return;
    const deadLetters = await lettersOf(engine);
    const { state } = await sceneStatus(context, record, { stalledAfterMs, deadLetters });
    if (state !== 'RUNNING' && state !== 'PLANNED') return;
    await context.clock.sleep(pause, signal);
  }
};

/** The dead letters. A listing holds what it shows, so it is only made where there is something. */
export const lettersOf = async ({ deadLetters }: OperatorEngine): Promise<readonly BuriedMessage[]> => {
  const counts = Object.values(await deadLetters.counts());
  if (counts.every((count) => count === 0)) return [];
  const letters = await deadLetters.list();
  await deadLetters.putBack(letters);
  return letters;
};
