import { createHash } from 'node:crypto';
import { StoreUnavailableError } from '../../errors.ts';
import type { Upload, UploadAnswer } from '../../gates/object-store.ts';
import type { ByteSink } from '../../raster/mosaic/mosaic-request.ts';
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

/** Written bytes after which the disk is told to take them, while more are written: else all of them wait for `complete`. */
const FLUSH_BYTES = 32 * 1024 * 1024;

/** A large object on its way: a temporary file that `complete` flushes and links, hashed as it is written. */
export class FileUpload implements Upload, ByteSink {
  readonly #parts: FileUploadParts;
  readonly #hash = createHash('sha256');
  #sha256: string | null = null;
  #length = 0;
  #flushed = 0;
  /** The flush under way. Kept once it has failed: the system tells of a lost write once, and no later flush would fail. */
  #flushing: Promise<void> | null = null;
  #over = false;

  constructor(parts: FileUploadParts) {
    this.#parts = parts;
  }

  /** A write that fails ends the upload and leaves no file. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#over) throw new StoreUnavailableError(`the upload to ${this.#parts.target} is over: begin it again`);
    const position = this.#length;
    this.#length += bytes.byteLength;
    const writing = onDisk(this.#parts.folder, () => writeAll(this.#parts.staged.handle, bytes, position));
    this.#hash.update(bytes);
    try {
      await writing;
    } catch (error) {
      await this.abort();
      throw error;
    }
    this.#flushAhead();
  }

  /** SHA-256 of what was written, lower-case hex. Nothing can be written any more. */
  sha256(): string {
    this.#sha256 ??= this.#hash.digest('hex');
    return this.#sha256;
  }

  async complete(): Promise<UploadAnswer> {
    if (this.#over) return { kind: 'gone' };
    const { staged, folder, place } = this.#parts;
    try {
      return await onDisk(folder, async () => {
        await this.#flushing;
        await staged.handle.sync();
        return place(staged.path, this.sha256());
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

  #flushAhead(): void {
    if (this.#over || this.#flushing !== null || this.#length - this.#flushed < FLUSH_BYTES) return;
    this.#flushed = this.#length;
    this.#flushing = this.#flush();
    // Whoever completes the upload is told; one that is aborted has no use for it.
    this.#flushing.catch(() => null);
  }

  async #flush(): Promise<void> {
    await this.#parts.staged.handle.datasync();
    this.#flushing = null;
  }
}
