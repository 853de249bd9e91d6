import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Everything about a file that writing to it, or replacing it, would change. */
export interface FileState {
  readonly inode: string;
  readonly modified: string;
  readonly changed: string;
  readonly sha256: string;
}

/** The files of an output folder by path, without the ledger's. */
export const outputFiles = (out: string): string[] =>
  readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(out, join(parentPath, name)))
    .filter((path) => !path.startsWith('.tileonce'))
    .toSorted();

/** The bytes of an output folder: SHA-256 by path. */
export const outputBytes = (out: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    outputFiles(out).map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(join(out, path)))
        .digest('hex'),
    ]),
  );

export const outputStates = (out: string): Readonly<Record<string, FileState>> =>
  Object.fromEntries(
    Object.entries(outputBytes(out)).map(([path, sha256]) => {
      const { ino, mtimeNs, ctimeNs } = statSync(join(out, path), { bigint: true });
      return [path, { inode: String(ino), modified: String(mtimeNs), changed: String(ctimeNs), sha256 }];
    }),
  );

/** How many tiles stand in an output folder, of all scenes. */
export const tileCount = (out: string): number => {
  try {
    return readdirSync(join(out, 'tiles'), { recursive: true }).filter((name) => String(name).endsWith('.tif')).length;
  } catch {
    return 0;
  }
};

/** What is left of files that were being written. */
export const temporaryFiles = (out: string): string[] => readdirSync(join(out, '.tileonce', 'tmp'));
