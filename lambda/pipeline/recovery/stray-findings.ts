import { type StrayObject, strayObjects } from './collect-garbage.ts';
import type { DeletionContext } from './seized-claim.ts';
import type { PlannedScene } from './select-scenes.ts';
import type { Finding } from './verify-scene.ts';

/** What is wrong with an object that no ledger row owns, and who removes it. */
export const strayText = ({ key, output, unknownScene }: StrayObject): string => {
  if (output === null) return `${key}: not written by tileonce: move it away`;
  if (!unknownScene) return `${key}: no ledger row owns it: gc removes it when it is old enough`;
  return (
    `${key}: of a finished scene that the ledger does not know: ` +
    'run that scene again, or gc --unknown-scenes removes it'
  );
};

/** Strays that lie in no planned scene's folder, so that no look at a scene finds them: each object is told of once. */
export const ownerlessFindings = async (
  context: Pick<DeletionContext, 'objects' | 'manifest'>,
  scenes: readonly PlannedScene[],
): Promise<Finding[]> => {
  const planned = new Set<string>(scenes.map(({ plan }) => plan.sceneJobId));
  const findings: Finding[] = [];
  for await (const stray of strayObjects(context)) {
    const [, folder = '', name] = stray.key.split('/');
    if (name !== undefined && planned.has(folder)) continue;
    findings.push({ kind: 'stray', sceneJobId: null, window: null, message: strayText(stray) });
  }
  return findings;
};
