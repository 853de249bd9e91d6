import type { FileHandle } from 'node:fs/promises';
import type { Scratch } from '../../raster/mosaic/mosaic-request.ts';
import type { ByteRange } from '../../raster/types.ts';
import { writeAll } from './durable-files.ts';
import { asStoreError, onDisk } from './errno.ts';
import type { TemporaryFiles } from './temporary-files.ts';

/** Room on disk for what does not fit in memory; gone when it is disposed of, or when the process dies. */
export class ScratchFile implements Scratch, AsyncDisposable {
  readonly #handle: FileHandle;
  readonly #folder: string;
  #length = 0;

  constructor(handle: FileHandle, folder: string) {
    this.#handle = handle;
    this.#folder = folder;
  }

  /** Writes at the end; concurrent calls each get their own place. @throws StoreUnavailableError, disk full above all. */
  async append(bytes: Uint8Array): Promise<ByteRange> {
    const place = { offset: this.#length, length: bytes.byteLength };
    this.#length += bytes.byteLength;
    await onDisk(this.#folder, () => writeAll(this.#handle, bytes, place.offset));
    return place;
  }

  /** What `append` put there. @throws RangeError for a place that it never gave. */
  async read(
    offset: number,
    length: number,
    bytes: Uint8Array<ArrayBuffer> = new Uint8Array(length),
  ): Promise<Uint8Array<ArrayBuffer>> {
    let done = 0;
    while (done < length) {
      const { bytesRead } = await this.#handle.read(bytes, done, length - done, offset + done);
      if (bytesRead === 0) throw new RangeError(`scratch has no bytes ${offset} + ${length}`);
      done += bytesRead;
    }
    return bytes;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#handle.close();
  }
}

/** A new, empty scratch file. Its name is removed at once: nothing is left behind however the process ends. */
export const openScratch = async (temporaries: TemporaryFiles): Promise<ScratchFile> => {
  try {
    const { path, handle } = await temporaries.open();
    await temporaries.remove(path);
    return new ScratchFile(handle, temporaries.folder);
  } catch (error) {
    throw asStoreError(error, temporaries.folder);
  }
};
