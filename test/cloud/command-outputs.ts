import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { SceneJobId } from '../../lambda/identity/job-key.ts';
import { mosaicKey, previewKey } from '../../lambda/identity/output-keys.ts';
import type { CommandRun } from '../support/run-command.ts';
import { type DeployedApp, sha256 } from './deployed-app.ts';

/**
 * What of a deployed scene's tiles, mosaic and preview is not, byte for byte, what the command made of the same files;
 * a sentence each.
 */
export const unlikeCommand = async (app: DeployedApp, id: SceneJobId, command: CommandRun): Promise<string[]> => {
  const names = command.tiles.map((path) => basename(path));
  const present = await app.versions(`tiles/${id}/`);
  const expected = names.map((name) => `tiles/${id}/${name}`);
  const pairs: [key: string, path: string][] = [
    ...command.tiles.map((path): [string, string] => [`tiles/${id}/${basename(path)}`, path]),
    [mosaicKey(id), command.mosaic],
    [previewKey(id), join(dirname(command.mosaic), 'preview.png')],
  ];
  const found = present.join() === expected.join() ? [] : [`its tiles are ${present.join(', ')}`];
  for (const [key, path] of pairs) {
    const [theirs, ours] = [await app.object(key), await readFile(path)];
    if (sha256(theirs.bytes) !== sha256(ours)) found.push(`${key} is not what the command makes`);
  }
  return found;
};
