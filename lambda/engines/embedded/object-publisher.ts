import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreUnavailableError } from '../../errors.ts';
import type { CreateAnswer } from '../../gates/object-store.ts';
import { type DurableFolders, type FileOperations, syncFile, syncFolder } from './durable-files.ts';
import { errnoOf } from './errno.ts';
import type { FileHashes } from './file-hashes.ts';
import { pinOf } from './file-pin.ts';
import type { TemporaryFiles } from './temporary-files.ts';

export interface ObjectPublisherParts {
  readonly folder: string;
  readonly folders: DurableFolders;
  readonly hashes: FileHashes;
  readonly temporaries: TemporaryFiles;
  readonly files: FileOperations;
}

/** Puts finished, flushed files in their place: visible whole or not at all, and never lost once they count as there. */
export class ObjectPublisher {
  readonly #parts: ObjectPublisherParts;

  constructor(parts: ObjectPublisherParts) {
    this.#parts = parts;
  }

  /**
   * Links a flushed temporary file to `target` if nothing is there, and removes the temporary name.
   *
   * @param sha256 hex SHA-256 of the file; it becomes the ETag.
   * @throws the system's error; ENOENT where the temporary file is gone.
   */
  async publish(staged: string, target: string, sha256: string): Promise<CreateAnswer> {
    const { files, folders, temporaries, folder } = this.#parts;
    await folders.make(dirname(target));
    try {
      await files.link(staged, target);
    } catch (error) {
      const code = errnoOf(error);
      if (code === 'EEXIST') return this.alreadyThere(target);
      // The folder took the temporary file, so it is links that are refused.
      if (code === 'EPERM') throw noHardLinks(folder, error);
      throw error;
    }
    await temporaries.remove(staged);
    await this.settle(target, sha256);
    return { kind: 'created', etag: sha256 };
  }

  /** Flushes the folder's entry, and remembers the hash of what we wrote ourselves. */
  async settle(target: string, sha256: string): Promise<void> {
    await syncFolder(this.#parts.files, dirname(target));
    this.#parts.hashes.remember(pinOf(await stat(target, { bigint: true })), sha256);
  }

  /** A rival made it and may not have flushed it yet: nobody may build on it before it is safe. */
  async alreadyThere(target: string): Promise<CreateAnswer> {
    const { folders, files } = this.#parts;
    await folders.make(dirname(target));
    try {
      if (!(await stat(target)).isFile()) throw notAFile(target);
      await syncFile(files, target);
    } catch (error) {
      // It was removed since we met it: ask again.
      if (errnoOf(error) === 'ENOENT') return { kind: 'conflict' };
      throw error;
    }
    await syncFolder(files, dirname(target));
    return { kind: 'exists' };
  }
}

const notAFile = (target: string): StoreUnavailableError =>
  new StoreUnavailableError(`cannot write ${target}: something that is no file stands there`, {
    remedy: 'move it away, or choose another output folder',
  });

const noHardLinks = (folder: string, cause: unknown): StoreUnavailableError =>
  new StoreUnavailableError(`cannot write to ${folder}: its file system has no hard links`, {
    remedy: 'choose an output folder on a local file system that has them, such as ext4, xfs or apfs',
    cause,
  });
