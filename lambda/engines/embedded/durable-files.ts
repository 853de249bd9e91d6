import * as nodeFiles from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from './errno.ts';

/** The file operations that writing needs; passed in, so that tests can fill the disk. */
export type FileOperations = Pick<typeof nodeFiles, 'open' | 'link' | 'unlink' | 'mkdir'>;

export const systemFiles: FileOperations = nodeFiles;

/** Writes all of `bytes` at `position`, however many calls it takes. */
export const writeAll = async (handle: nodeFiles.FileHandle, bytes: Uint8Array, position: number): Promise<void> => {
  let done = 0;
  while (done < bytes.byteLength) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.byteLength - done, position + done);
    done += bytesWritten;
  }
};

/** Flushes a file that someone else may have written. @throws the system's error. */
export const syncFile = async (files: FileOperations, path: string): Promise<void> => {
  const handle = await files.open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Flushes a folder's entries: a link or rename in it survives a power cut from here on. */
export const syncFolder = async (files: FileOperations, path: string): Promise<void> => {
  try {
    await syncFile(files, path);
  } catch (error) {
    // Some file systems flush entries by themselves and refuse to be asked.
    if (errnoOf(error) !== 'EINVAL' && errnoOf(error) !== 'ENOTSUP') throw error;
  }
};

/** Makes folders under a root and flushes each new link of the chain once per process, whoever made it. */
export class DurableFolders {
  readonly #root: string;
  readonly #files: FileOperations;
  readonly #durable = new Set<string>();

  constructor(root: string, files: FileOperations) {
    this.#root = root;
    this.#files = files;
  }

  /** Makes `folder` (at or below the root) and its parents, and flushes the parents' entries up to the root. */
  async make(folder: string): Promise<void> {
    if (this.#durable.has(folder)) return;
    await this.#files.mkdir(folder, { recursive: true });
    // A rival may have made a folder and not flushed its parent yet: flush whether or not we made it.
    for (let child = folder; child !== this.#root && !this.#durable.has(child); child = dirname(child)) {
      await syncFolder(this.#files, dirname(child));
    }
    this.#durable.add(folder);
  }
}
