import { createHash } from 'node:crypto';
import { StoreUnavailableError } from '../../errors.ts';
import type { Upload, UploadAnswer } from '../../gates/object-store.ts';
import { writeAll } from './durable-files.ts';
import { errnoOf, onDisk } from './errno.ts';
import type { TemporaryFile, TemporaryFiles } from './temporary-files.ts';

export interface FileUploadParts {
  readonly staged: TemporaryFile;
  readonly target: string;
  readonly folder: string;
  readonly temporaries: TemporaryFiles;
  /** Puts the flushed file, whose SHA-256 is given, in its place: if nothing is there, or over the inspected object. */
  readonly place: (staged: string, sha256: string) => Promise<UploadAnswer>;
}

/** A large object on its way: a temporary file that `complete` flushes and links, hashed as it is written. */
export class FileUpload implements Upload {
  readonly #parts: FileUploadParts;
  readonly #hash = createHash('sha256');
  #length = 0;
  #over = false;

  constructor(parts: FileUploadParts) {
    this.#parts = parts;
  }

  /** A write that fails ends the upload and leaves no file. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#over) throw new StoreUnavailableError(`the upload to ${this.#parts.target} is over: begin it again`);
    const position = this.#length;
    this.#length += bytes.byteLength;
    this.#hash.update(bytes);
    try {
      await onDisk(this.#parts.folder, () => writeAll(this.#parts.staged.handle, bytes, position));
    } catch (error) {
      await this.abort();
      throw error;
    }
  }

  async complete(): Promise<UploadAnswer> {
    if (this.#over) return { kind: 'gone' };
    const { staged, folder, place } = this.#parts;
    try {
      return await onDisk(folder, async () => {
        await staged.handle.sync();
        return place(staged.path, this.#hash.digest('hex'));
      });
    } catch (error) {
      // Someone swept the temporary file away.
      if (error instanceof StoreUnavailableError && errnoOf(error.cause) === 'ENOENT') return { kind: 'gone' };
      throw error;
    } finally {
      await this.abort();
    }
  }

  async abort(): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    const { staged, folder, temporaries } = this.#parts;
    await onDisk(folder, async () => {
      await staged.handle.close();
      await temporaries.remove(staged.path);
    });
  }
}
