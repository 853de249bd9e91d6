import { type Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListedObject } from '../../gates/object-store.ts';
import { errnoOf } from './errno.ts';
import { OWN_FOLDER } from './object-key.ts';

/** The files below `root` whose path from there begins with `prefix`, in order of path; not the engine's own. */
export async function* listFiles(root: string, prefix: string): AsyncGenerator<ListedObject> {
  yield* below(root, prefix.split('/').slice(0, -1), prefix);
}

async function* below(root: string, segments: readonly string[], prefix: string): AsyncGenerator<ListedObject> {
  for (const entry of await entriesOf(join(root, ...segments))) {
    if (segments.length === 0 && entry.name === OWN_FOLDER) continue;
    const path = [...segments, entry.name];
    const key = path.join('/');
    if (entry.isDirectory()) {
      if (`${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`)) yield* below(root, path, prefix);
    } else if (entry.isFile() && key.startsWith(prefix)) {
      const found = await stat(join(root, key)).catch(ifThere);
      if (found !== null) yield { key, bytes: found.size, modifiedAt: found.mtimeMs };
    }
  }
}

/** In the order of keys: a folder is sorted by what its keys go on with. */
const entriesOf = async (folder: string): Promise<Dirent[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ifThere);
  const name = (entry: Dirent): string => (entry.isDirectory() ? `${entry.name}/` : entry.name);
  return (entries ?? []).toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
};

const ifThere = (error: unknown): null => {
  if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return null;
  throw error;
};
