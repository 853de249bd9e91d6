import type { QueueName } from '../gates/queue.ts';
import { type SceneJobId, windowName } from '../identity/job-key.ts';
import type { FanOutRequest } from '../pipeline/fan-out.ts';
import { MessageError, messageBody, parseAssemblyMessage, parseWindowMessage } from '../pipeline/messages.ts';

/** What of a scene a dead letter was: a window's name, `assembly`, or null where it is another scene's. */
export const deadOfScene = (letter: { queue: QueueName; body: string }, scene: SceneJobId): string | null => {
  if (!letter.body.includes(scene)) return null;
  try {
    if (letter.queue === 'tiles') {
      const message = parseWindowMessage(letter.body);
      return message.plan.sceneJobId === scene ? windowName(message) : null;
    }
    if (letter.queue === 'assemblies')
      return parseAssemblyMessage(letter.body).sceneJobId === scene ? 'assembly' : null;
    return null;
  } catch (error) {
    if (error instanceof MessageError) return null;
    throw error;
  }
};

/** True for a dead doorbell of this very scene: what it asked for was done when the scene was fanned out. */
export const isDoorbellOf = (
  letter: { queue: QueueName; body: string },
  { location, pipeline, candidates: { bucket, bandKeys } }: FanOutRequest,
): boolean =>
  letter.queue === 'scenes' &&
  [...bandKeys.values()].flat().some((key) => letter.body === messageBody({ v: 1, bucket, key, location, pipeline }));
