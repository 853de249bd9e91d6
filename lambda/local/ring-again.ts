import { join } from 'node:path';
import { StoreUnavailableError } from '../errors.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { fanOut } from '../pipeline/fan-out.ts';
import { parseSceneMessage } from '../pipeline/messages.ts';
import { remoteSceneOf } from './find-remote-scenes.ts';
import { sceneOf } from './find-scenes.ts';
import { kindOfLocation } from './remote-address.ts';
import { VISIBILITY_MS } from './timing.ts';

/**
 * Answers the doorbells that workers rang for scenes whose plan was superseded, one at most: plans what is there now.
 * A scene that cannot be planned any more is left to whoever asks for it.
 */
export const ringAgain = async (context: PipelineContext, signal: AbortSignal): Promise<void> => {
  const delivery = await context.queue.receive('scenes', VISIBILITY_MS);
  if (delivery === null) return;
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
      return;
    }
    await context.queue.acknowledge('scenes', delivery.receipt);
  } catch (error) {
    if (signal.aborted || error instanceof StoreUnavailableError) {
      await context.queue.postpone('scenes', delivery.receipt, 0);
      throw error;
    }
    await context.queue.hide('scenes', delivery.receipt, 0, error instanceof Error ? error.message : String(error));
  }
};
