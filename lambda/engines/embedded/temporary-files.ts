import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { FileOperations } from './durable-files.ts';
import { errnoOf } from './errno.ts';

export interface TemporaryFile {
  readonly path: string;
  readonly handle: FileHandle;
}

/** Counts within this thread: with process and thread in the name, no two temporary files ever share one. */
let opened = 0;

/** Files being written, named `{processId}-{thread}.{n}` so that those of a dead process can be told and swept. */
export class TemporaryFiles {
  readonly folder: string;
  readonly #processId: string;
  readonly #files: FileOperations;

  constructor(folder: string, processId: string, files: FileOperations) {
    this.folder = folder;
    this.#processId = processId;
    this.#files = files;
  }

  /** A new empty file, open for reading and writing. The caller closes the handle and removes the file. */
  async open(): Promise<TemporaryFile> {
    opened += 1;
    const path = join(this.folder, `${this.#processId}-${threadId}.${opened}`);
    return { path, handle: await this.#files.open(path, 'wx+') };
  }

  /** Removes a temporary file; one that is gone already is fine. */
  async remove(path: string): Promise<void> {
    try {
      await this.#files.unlink(path);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }
}

/** The process that a temporary file belongs to, from its name; the whole name where it is none of ours. */
export const ownerOfTemporary = (name: string): string => name.split('-', 1)[0] ?? name;
