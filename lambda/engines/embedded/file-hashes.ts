import { createHash } from 'node:crypto';
import { fstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { SourceChangedError } from '../../errors.ts';
import { text } from './columns.ts';
import type { Ledger } from './database.ts';
import { type FilePin, atRest, pinOf, samePin } from './file-pin.ts';

export interface HashProgress {
  /** Called while the file is read, with the bytes hashed since the last call; never where the hash was remembered. */
  readonly onBytes?: (bytes: number) => void;
  readonly signal?: AbortSignal;
}

export interface HashedFile {
  /** Lower-case hex. */
  readonly sha256: string;
  /** The state of the file that was hashed. */
  readonly pin: FilePin;
}

/** Bytes hashed at a time: long enough to stream, short enough not to hold up the thread (3 ms). */
const CHUNK_BYTES = 4 * 1024 * 1024;

/** How often a file that changes under the reader is begun again. */
const ATTEMPTS = 3;

/** SHA-256 of files, remembered in the ledger by device, inode, size and the times of modification and change. */
export class FileHashes {
  readonly #ledger: Ledger;
  readonly #now: () => number;

  readonly #readOnly: boolean;

  /** @param readOnly what is hashed is not remembered. */
  constructor(ledger: Ledger, now: () => number, readOnly = false) {
    this.#ledger = ledger;
    this.#now = now;
    this.#readOnly = readOnly;
  }

  /**
   * The hash of an open file, read only where it is not remembered.
   *
   * @throws SourceChangedError where the file keeps changing while it is read; the signal's reason when it fires.
   */
  async of(handle: FileHandle, name: string, progress: HashProgress = {}): Promise<HashedFile> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const pin = stateOf(handle);
      const known = this.recall(pin);
      if (known !== null) return { sha256: known, pin };
      const begun = this.#now();
      const sha256 = await hashOf(handle, progress);
      if (!samePin(pin, stateOf(handle))) continue;
      if (atRest(pin, begun)) this.remember(pin, sha256);
      return { sha256, pin };
    }
    throw new SourceChangedError(name, 'it changes while it is read', {
      remedy: 'wait until it has been written completely, then run again',
    });
  }

  /** What is remembered of exactly this state of the file; null for nothing. */
  recall(pin: FilePin): string | null {
    const row = this.#ledger.get(
      `SELECT sha256 FROM file_hashes
       WHERE device = ? AND inode = ? AND size = ? AND mtime_ns = ? AND ctime_ns = ?`,
      [pin.device, pin.inode, pin.size, pin.mtimeNs, pin.ctimeNs],
    );
    return row === undefined ? null : text(row, 'sha256');
  }

  /** For a file at rest, or one that this process wrote and nobody else writes to. */
  remember(pin: FilePin, sha256: string): void {
    if (this.#readOnly) return;
    this.#ledger.run(
      `INSERT INTO file_hashes (device, inode, size, mtime_ns, ctime_ns, sha256) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns, ctime_ns = excluded.ctime_ns,
         sha256 = excluded.sha256`,
      [pin.device, pin.inode, pin.size, pin.mtimeNs, pin.ctimeNs, sha256],
    );
  }
}

/** An open file's state is in memory: asking for it on a thread of the pool takes twenty times as long. */
const stateOf = (handle: FileHandle): FilePin => pinOf(fstatSync(handle.fd, { bigint: true }));

/** Reads one chunk ahead, so that disk and hash work at once. */
const hashOf = async (handle: FileHandle, progress: HashProgress): Promise<string> => {
  const hash = createHash('sha256');
  const { size } = await handle.stat();
  const buffers = [0, 1].map(() => new Uint8Array(Math.min(CHUNK_BYTES, Math.max(1, size))));
  const chunkAt = (position: number, index: number): Promise<Uint8Array> => {
    const buffer = buffers[index % 2] ?? new Uint8Array(CHUNK_BYTES);
    return handle.read(buffer, 0, buffer.byteLength, position).then(({ bytesRead }) => buffer.subarray(0, bytesRead));
  };
  let position = 0;
  let chunk = await chunkAt(0, 0);
  for (let index = 1; chunk.byteLength > 0; index++) {
    progress.signal?.throwIfAborted();
    position += chunk.byteLength;
    const next = chunkAt(position, index);
    hash.update(chunk);
    progress.onBytes?.(chunk.byteLength);
    chunk = await next;
  }
  return hash.digest('hex');
};
