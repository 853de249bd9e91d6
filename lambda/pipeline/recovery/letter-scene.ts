import type { DeadLetter } from '../../gates/queue.ts';
import { type SceneJobId, windowName } from '../../identity/job-key.ts';
import { MessageError, parseAssemblyMessage, parseSceneMessage, parseWindowMessage } from '../messages.ts';

export interface LetterScene {
  /** Null for a scene's own doorbell, which names an object and no plan. */
  readonly sceneJobId: SceneJobId | null;
  /** What people call the scene, where the letter says so. */
  readonly name: string | null;
  /** A window's name, `assembly`, or the key that rang. */
  readonly what: string;
}

/** Which scene a dead letter is about; null where its body cannot be read. */
export const sceneOfLetter = ({ queue, body }: Pick<DeadLetter, 'queue' | 'body'>): LetterScene | null => {
  try {
    if (queue === 'tiles') {
      const message = parseWindowMessage(body);
      return { sceneJobId: message.plan.sceneJobId, name: message.plan.sceneName, what: windowName(message) };
    }
    if (queue === 'assemblies') {
      return { sceneJobId: parseAssemblyMessage(body).sceneJobId, name: null, what: 'assembly' };
    }
    return { sceneJobId: null, name: null, what: parseSceneMessage(body).key };
  } catch (error) {
    if (error instanceof MessageError) return null;
    throw error;
  }
};
