import { type BigIntStats, renameSync, statSync, unlinkSync } from 'node:fs';
import { type FileHandle, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TileonceError } from '../../errors.ts';
import type {
  CreateAnswer,
  ListedObject,
  NewObject,
  ObjectInfo,
  ObjectStore,
  ReplaceAnswer,
  Upload,
  UploadAnswer,
} from '../../gates/object-store.ts';
import { sha256Hex } from '../../identity/sha256.ts';
import type { RangeReader } from '../../raster/types.ts';
import type { Ledger } from './database.ts';
import { DurableFolders, type FileOperations, syncFolder, writeAll } from './durable-files.ts';
import { errnoOf, onDisk } from './errno.ts';
import type { FileHashes } from './file-hashes.ts';
import { pinOf, samePin } from './file-pin.ts';
import { openToRead, rangesOf } from './file-ranges.ts';
import { listFiles } from './list-files.ts';
import { segmentsOf } from './object-key.ts';
import { ObjectPublisher } from './object-publisher.ts';
import { FileUpload } from './object-upload.ts';
import type { TemporaryFiles } from './temporary-files.ts';

export interface EmbeddedObjectStoreParts {
  readonly folder: string;
  readonly ledger: Ledger;
  readonly hashes: FileHashes;
  readonly temporaries: TemporaryFiles;
  readonly files: FileOperations;
}

/**
 * Output objects as files below the output folder. An object's ETag is the SHA-256 of its bytes. Files keep no
 * metadata, so the digest that came with an object is not stored (an output carries its own inside).
 *
 * `replace` and `remove` compare and act inside a write transaction of the ledger: one lock for all processes and
 * threads, which the system frees by itself when its holder dies. A lock file would outlive a killed process. `create`
 * needs no lock: a hard link is made or is not.
 */
export class EmbeddedObjectStore implements ObjectStore {
  readonly #parts: EmbeddedObjectStoreParts;
  readonly #publisher: ObjectPublisher;

  constructor(parts: EmbeddedObjectStoreParts) {
    this.#parts = parts;
    this.#publisher = new ObjectPublisher({ ...parts, folders: new DurableFolders(parts.folder, parts.files) });
  }

  async create(object: NewObject): Promise<CreateAnswer> {
    const target = this.#pathOf(object.key);
    refuseWrongHash(object);
    return onDisk(this.#parts.folder, async () => {
      // Saves writing what is there already; the link below decides all the same.
      if (await isThere(target)) return this.#publisher.alreadyThere(target);
      return this.#withStaged(object.body, (staged) => this.#publisher.publish(staged, target, object.sha256));
    });
  }

  async replace(object: NewObject, etag: string): Promise<ReplaceAnswer> {
    const target = this.#pathOf(object.key);
    refuseWrongHash(object);
    return onDisk(this.#parts.folder, () =>
      this.#withStaged(object.body, async (staged): Promise<ReplaceAnswer> => {
        const replaced = await this.#whileUnchanged(object.key, etag, () => renameSync(staged, target));
        if (!replaced) return { kind: 'mismatch' };
        await this.#publisher.settle(target, object.sha256);
        return { kind: 'replaced', etag: object.sha256 };
      }),
    );
  }

  async remove(key: string, etag: string): Promise<boolean> {
    const target = this.#pathOf(key);
    return onDisk(this.#parts.folder, async () => {
      const removed = await this.#whileUnchanged(key, etag, () => unlinkSync(target));
      if (removed) await syncFolder(this.#parts.files, dirname(target));
      return removed;
    });
  }

  async upload(object: Omit<NewObject, 'body' | 'sha256'>, etag?: string): Promise<Upload> {
    const target = this.#pathOf(object.key);
    const { folder, temporaries } = this.#parts;
    const staged = await onDisk(folder, () => temporaries.open());
    const place = (path: string, sha256: string): Promise<UploadAnswer> =>
      etag === undefined
        ? this.#publisher.publish(path, target, sha256)
        : this.#placeOver(path, object.key, etag, sha256);
    return new FileUpload({ staged, target, folder, temporaries, place });
  }

  async #placeOver(staged: string, key: string, etag: string, sha256: string): Promise<UploadAnswer> {
    const target = this.#pathOf(key);
    if (!(await this.#whileUnchanged(key, etag, () => renameSync(staged, target)))) return { kind: 'exists' };
    await this.#publisher.settle(target, sha256);
    return { kind: 'created', etag: sha256 };
  }

  /** Walks the folders below the prefix's last slash; what is no plain file is no object. */
  async *list(prefix: string): AsyncGenerator<ListedObject> {
    yield* listFiles(this.#parts.folder, prefix);
  }

  /** Files have no versions but the one that is there. */
  async countVersions(prefix: string): Promise<number> {
    let count = 0;
    for await (const _object of this.list(prefix)) count += 1;
    return count;
  }

  async eraseVersions(): Promise<number> {
    return 0;
  }

  /** Reads the object where its hash is not remembered. */
  async head(key: string): Promise<ObjectInfo | null> {
    const stats = await fileStats(this.#pathOf(key));
    if (stats === null) return null;
    const pin = pinOf(stats);
    const known = this.#parts.hashes.recall(pin);
    const hashed =
      known === null
        ? await this.#withObject(key, (handle) => this.#parts.hashes.of(handle, key))
        : { sha256: known, pin };
    if (hashed === null) return null;
    return { key, bytes: hashed.pin.size, etag: hashed.sha256, sha256: hashed.sha256, digest: null };
  }

  async get(key: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.#withObject(key, async (handle) => new Uint8Array(await readFile(handle)));
  }

  async open(key: string, etag?: string): Promise<(RangeReader & AsyncDisposable) | null> {
    const path = this.#pathOf(key);
    if (!(await isThere(path))) return null;
    const handle = await openToRead(path);
    try {
      if (etag === undefined) return await rangesOf(handle, path);
      const { sha256, pin } = await this.#parts.hashes.of(handle, path);
      if (sha256 === etag) return await rangesOf(handle, path, pin);
    } catch (error) {
      await handle.close();
      throw error;
    }
    await handle.close();
    return null;
  }

  /** Runs `act` under the lock if the object there has this ETag. The hash is taken before, so that the lock is short. */
  async #whileUnchanged(key: string, etag: string, act: () => void): Promise<boolean> {
    const path = this.#pathOf(key);
    for (;;) {
      const found = await this.#withObject(key, (handle) => this.#parts.hashes.of(handle, key));
      if (found?.sha256 !== etag) return false;
      const acted = this.#parts.ledger.transaction(() => {
        const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
        if (stats === undefined || !samePin(pinOf(stats), found.pin)) return false;
        act();
        return true;
      });
      if (acted) return true;
    }
  }

  /** Lends `body` as a flushed temporary file; whatever happens, none is left behind. */
  async #withStaged<T>(body: Uint8Array, use: (path: string) => Promise<T>): Promise<T> {
    const { temporaries } = this.#parts;
    const staged = await temporaries.open();
    try {
      try {
        await writeAll(staged.handle, body, 0);
        await staged.handle.sync();
      } finally {
        await staged.handle.close();
      }
      return await use(staged.path);
    } finally {
      await temporaries.remove(staged.path);
    }
  }

  async #withObject<T>(key: string, use: (handle: FileHandle) => Promise<T>): Promise<T | null> {
    const path = this.#pathOf(key);
    if (!(await isThere(path))) return null;
    const handle = await openToRead(path);
    try {
      return await use(handle);
    } finally {
      await handle.close();
    }
  }

  #pathOf(key: string): string {
    return join(this.#parts.folder, ...segmentsOf(key));
  }
}

/** The state of a plain file, as `pinOf` wants it; null where there is none. */
const fileStats = async (path: string): Promise<BigIntStats | null> => {
  try {
    const stats = await stat(path, { bigint: true });
    return stats.isFile() ? stats : null;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return null;
    throw error;
  }
};

const isThere = async (path: string): Promise<boolean> => (await fileStats(path)) !== null;

const refuseWrongHash = (object: NewObject): void => {
  if (sha256Hex(object.body) === object.sha256) return;
  throw new TileonceError(`${object.key} was handed over with the SHA-256 of other bytes`, {
    remedy: 'nothing was written; run again, and check the memory if it recurs',
  });
};
