import { join } from 'node:path';
import { StoreUnavailableError } from '../errors.ts';
import { fanOut } from '../pipeline/fan-out.ts';
import { parseSceneMessage } from '../pipeline/messages.ts';
import { remoteSceneOf } from './find-remote-scenes.ts';
import { sceneOf } from './find-scenes.ts';
import type { LocalEngine } from './local-engine.ts';
import { saysMissing } from './missing-bands.ts';
import { kindOfLocation } from './remote-address.ts';
import { VISIBILITY_MS } from './timing.ts';

/**
 * Answers the doorbells that workers rang for scenes whose plan was superseded, one at most: plans what is there now.
 * Where a file of the scene is gone, nobody here rings when it comes back, as an upload would: the doorbell goes to the
 * dead letters, which name the file, and `redrive` rings again.
 *
 * @returns false where no doorbell was to be had.
 */
export const ringAgain = async (
  { context, engine }: Pick<LocalEngine, 'context' | 'engine'>,
  signal: AbortSignal,
): Promise<boolean> => {
  const delivery = await context.queue.receive('scenes', VISIBILITY_MS);
  if (delivery === null) return false;
  try {
    const message = parseSceneMessage(delivery.body);
    const { pipeline, location, bucket, key } = message;
    const scene =
      kindOfLocation(location) === 'file'
        ? sceneOf(pipeline, join(location, key))
        : remoteSceneOf(pipeline, { location, bucket, key });
    const outcome = scene === null ? null : await fanOut(context, scene, signal);
    if (outcome?.kind === 'live') {
      await context.queue.postpone('scenes', delivery.receipt, Math.max(0, outcome.leaseUntil - context.clock.now()));
      return true;
    }
    if (outcome?.kind === 'incomplete') {
      await engine.queue.giveUp('scenes', delivery.receipt, saysMissing(location, outcome.missing));
      return true;
    }
    await context.queue.acknowledge('scenes', delivery.receipt);
  } catch (error) {
    if (signal.aborted || error instanceof StoreUnavailableError) {
      await context.queue.postpone('scenes', delivery.receipt, 0);
      throw error;
    }
    await context.queue.hide('scenes', delivery.receipt, 0, error instanceof Error ? error.message : String(error));
  }
  return true;
};
