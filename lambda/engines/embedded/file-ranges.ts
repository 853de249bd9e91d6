import { fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { SourceChangedError, SourceError } from '../../errors.ts';
import type { ByteRange, RangeReader } from '../../raster/types.ts';
import { errnoOf } from './errno.ts';
import { type FilePin, pinOf, samePin } from './file-pin.ts';

/** Byte ranges of one file in one state; any change of the file under it is an error, never mixed pixels. */
export interface FileRanges extends RangeReader, AsyncDisposable {
  /** The state of the file that is read. */
  readonly pin: FilePin;
  /** False once the file was written to, truncated or replaced since it was opened. */
  unchanged(): Promise<boolean>;
  /**
   * `read` of one range into memory of the caller's, which is as long as the range. What a failed read leaves there is
   * not to be used.
   */
  readInto(offset: number, target: Uint8Array<ArrayBuffer>, signal?: AbortSignal): Promise<void>;
}

export interface OpenFileOptions {
  /** What messages call it; the path where it is left out. */
  readonly name?: string;
  /** The planned state; another one is refused. */
  readonly pin?: FilePin;
}

/**
 * Opens a file for positional reads.
 *
 * @throws SourceError where there is no such file, or it may not be read.
 * @throws SourceChangedError where `pin` is given and the file is in another state.
 */
export const openFile = async (path: string, options: OpenFileOptions = {}): Promise<FileRanges> => {
  const name = options.name ?? path;
  const handle = await openToRead(path, name);
  try {
    return await rangesOf(handle, name, options.pin);
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** Opens a file, or says in one line why it cannot be read. @throws SourceError. */
export const openToRead = async (path: string, name: string = path): Promise<FileHandle> => {
  try {
    return await open(path, 'r');
  } catch (error) {
    const [trait, remedy] = unreadable(errnoOf(error));
    throw new SourceError(name, trait, { remedy, cause: error });
  }
};

const unreadable = (code: string | undefined): [trait: string, remedy: string] => {
  if (code === 'ENOENT' || code === 'ENOTDIR') return ['no such file', 'check the path'];
  if (code === 'EACCES' || code === 'EPERM') return ['permission denied', 'make it readable for this user'];
  if (code === 'EMFILE' || code === 'ENFILE') return ['too many files are open', 'raise the limit (ulimit -n)'];
  return [`it cannot be opened (${code ?? 'unknown error'})`, 'check the file and its disk'];
};

/** Ranges of a file that is open already; disposing of them closes it. @throws as `openFile`. */
export const rangesOf = async (handle: FileHandle, name: string, planned?: FilePin): Promise<FileRanges> => {
  const stats = fstatSync(handle.fd, { bigint: true });
  if (!stats.isFile()) throw new SourceError(name, 'it is not a file', { remedy: 'name a file' });
  const pin = pinOf(stats);
  if (planned !== undefined && !samePin(planned, pin)) {
    throw new SourceChangedError(name, 'it is no longer the file that was planned');
  }
  // An open file's state is in memory: asking for it on a thread of the pool takes twenty times as long.
  const isSame = (): boolean => samePin(pin, pinOf(fstatSync(handle.fd, { bigint: true })));
  /** After the bytes were read: a change before or between them shows too, and a cut as what it is. */
  const refuseChange = (): void => {
    if (!isSame()) throw new SourceChangedError(name, 'it changed while it was read');
  };
  return {
    name,
    size: pin.size,
    pin,
    unchanged: async () => isSame(),
    async readInto(offset, target, signal) {
      signal?.throwIfAborted();
      const read = await fill(handle, target, offset);
      refuseChange();
      if (read < target.length) throw endsEarly(name, offset + target.length, offset + read);
      signal?.throwIfAborted();
    },
    async read(ranges, signal) {
      signal?.throwIfAborted();
      const parts = await Promise.all(ranges.map((range) => readRange(handle, range)));
      refuseChange();
      for (const [i, { offset, length }] of ranges.entries()) {
        const read = parts[i]?.length ?? 0;
        if (read < length) throw endsEarly(name, offset + length, offset + read);
      }
      signal?.throwIfAborted();
      return parts;
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
};

/** The bytes of a range, fewer where the file ends before its end. */
const readRange = async (handle: FileHandle, range: ByteRange): Promise<Uint8Array<ArrayBuffer>> => {
  // Not zeros first: whatever is not read is not handed on.
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(range.length).buffer);
  const done = await fill(handle, bytes, range.offset);
  return done < range.length ? bytes.slice(0, done) : bytes;
};

/** Fills `target` from the file's `position` on, as far as the file goes; answers with the bytes read. */
const fill = async (handle: FileHandle, target: Uint8Array<ArrayBuffer>, position: number): Promise<number> => {
  let done = 0;
  while (done < target.length) {
    const { bytesRead } = await handle.read(target, done, target.length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
};

const endsEarly = (name: string, wanted: number, end: number): SourceError =>
  new SourceError(name, `it ends early: byte ${wanted} was asked for, it has ${end}`, {
    remedy: 'fetch or copy the file again',
  });
