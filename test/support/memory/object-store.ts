import type {
  CreateAnswer,
  ListedObject,
  NewObject,
  ObjectInfo,
  ObjectStore,
  ReplaceAnswer,
  Upload,
  UploadAnswer,
} from '../../../lambda/gates/object-store.ts';
import { SourceError } from '../../../lambda/errors.ts';
import { sha256Hex } from '../../../lambda/identity/sha256.ts';
import type { RangeReader } from '../../../lambda/raster/types.ts';
import type { Faults } from './faults.ts';

/** One state that a key went through. */
export interface ObjectVersion extends Omit<ObjectInfo, 'sha256'> {
  readonly how: 'created' | 'replaced' | 'removed';
  readonly sha256: string;
  readonly contentType: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** ms since the epoch. */
  readonly modifiedAt: number;
}

export interface MemoryObjectStoreOptions {
  /** False: a store without metadata, like files. */
  readonly keepsDigest?: boolean;
  readonly now?: () => number;
}

/** Objects in memory, every version of each key kept: tests assert that there is one. ETags say nothing of the bytes. */
export class MemoryObjectStore implements ObjectStore {
  readonly #versions = new Map<string, ObjectVersion[]>();
  readonly #faults: Faults;
  readonly #keepsDigest: boolean;
  readonly #now: () => number;
  #etags = 0;

  constructor(faults: Faults, options: MemoryObjectStoreOptions = {}) {
    this.#faults = faults;
    this.#keepsDigest = options.keepsDigest ?? true;
    this.#now = options.now ?? (() => 0);
  }

  /** All that ever stood under the key, oldest first. */
  versions(key: string): readonly ObjectVersion[] {
    return this.#versions.get(key) ?? [];
  }

  /** The keys of all objects there are, sorted. */
  keys(): string[] {
    return [...this.#versions.keys()].filter((key) => this.current(key) !== null).sort();
  }

  create(object: NewObject): Promise<CreateAnswer> {
    const effect = (): CreateAnswer =>
      this.mayCreate(object.key) ? { kind: 'created', etag: this.put(object, 'created') } : { kind: 'exists' };
    return this.#carry('create', object.key, effect, () => ({ kind: 'conflict' }));
  }

  replace(object: NewObject, etag: string): Promise<ReplaceAnswer> {
    const effect = (): ReplaceAnswer =>
      this.mayReplace(object.key, etag)
        ? { kind: 'replaced', etag: this.put(object, 'replaced') }
        : { kind: 'mismatch' };
    return this.#carry('replace', object.key, effect, () => ({ kind: 'conflict' }));
  }

  upload(object: Omit<NewObject, 'body' | 'sha256'>, etag?: string): Promise<Upload> {
    return this.#carry('upload', object.key, () => this.begin(object, etag));
  }

  head(key: string): Promise<ObjectInfo | null> {
    return this.#carry('head', key, () => {
      const found = this.current(key);
      if (found === null) return null;
      return { key, bytes: found.bytes, etag: found.etag, sha256: found.sha256, digest: found.digest };
    });
  }

  get(key: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.#carry('get', key, () => this.current(key)?.body.slice() ?? null);
  }

  open(key: string, etag?: string): Promise<(RangeReader & AsyncDisposable) | null> {
    return this.#carry('open', key, () => {
      const found = this.current(key);
      return found === null || (etag !== undefined && found.etag !== etag) ? null : readerOf(found);
    });
  }

  remove(key: string, etag: string): Promise<boolean> {
    return this.#carry('remove', key, () => {
      const found = this.current(key);
      if (found === null || !this.mayReplace(key, etag)) return false;
      this.#versionsOf(key).push({ ...found, how: 'removed' });
      return true;
    });
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    const found = await this.#carry('list', prefix, () => this.keys().filter((key) => key.startsWith(prefix)));
    for (const key of found) {
      const object = this.current(key);
      if (object !== null) yield { key, bytes: object.bytes, modifiedAt: object.modifiedAt };
    }
  }

  countVersions(prefix: string): Promise<number> {
    return this.#carry('countVersions', prefix, () =>
      [...this.#versions].reduce((sum, [key, versions]) => sum + (key.startsWith(prefix) ? versions.length : 0), 0),
    );
  }

  eraseVersions(key: string): Promise<number> {
    return this.#carry('eraseVersions', key, () => {
      const erased = this.versions(key).length;
      const standing = this.current(key);
      this.#versions.delete(key);
      if (standing === null) return erased;
      this.#versions.set(key, [standing]);
      return erased - 1;
    });
  }

  protected mayCreate(key: string): boolean {
    return this.current(key) === null;
  }

  protected mayReplace(key: string, etag: string): boolean {
    return this.current(key)?.etag === etag;
  }

  protected begin(object: Omit<NewObject, 'body' | 'sha256'>, etag?: string): Upload {
    const chunks: Uint8Array[] = [];
    let over = false;
    return {
      write: (bytes) =>
        this.#carry('upload.write', object.key, () => {
          chunks.push(bytes.slice());
        }),
      complete: () =>
        this.#carry<UploadAnswer>(
          'upload.complete',
          object.key,
          () => {
            if (over) return { kind: 'gone' };
            over = true;
            const may = etag === undefined ? this.mayCreate(object.key) : this.mayReplace(object.key, etag);
            if (!may) return { kind: 'exists' };
            const body = new Uint8Array(Buffer.concat(chunks));
            const how = etag === undefined ? 'created' : 'replaced';
            return { kind: 'created', etag: this.put({ ...object, body, sha256: sha256Hex(body) }, how) };
          },
          () => ({ kind: 'conflict' }),
        ),
      abort: () =>
        this.#carry('upload.abort', object.key, () => {
          over = true;
        }),
    };
  }

  protected current(key: string): ObjectVersion | null {
    const last = this.#versions.get(key)?.at(-1);
    return last === undefined || last.how === 'removed' ? null : last;
  }

  protected put(object: NewObject, how: 'created' | 'replaced'): string {
    this.#etags += 1;
    const { key, sha256, contentType } = object;
    const body = object.body.slice();
    const digest = this.#keepsDigest ? object.digest : null;
    const etag = `etag-${this.#etags}`;
    this.#versionsOf(key).push({
      how,
      key,
      bytes: body.byteLength,
      etag,
      sha256,
      digest,
      contentType,
      body,
      modifiedAt: this.#now(),
    });
    return etag;
  }

  #versionsOf(key: string): ObjectVersion[] {
    const versions = this.#versions.get(key) ?? [];
    this.#versions.set(key, versions);
    return versions;
  }

  #carry<T>(method: string, key: string, effect: () => T, onConflict?: () => T): Promise<T> {
    return this.#faults.carry({ store: 'objects', method, key }, effect, onConflict);
  }
}

const readerOf = (version: ObjectVersion): RangeReader & AsyncDisposable => ({
  name: version.key,
  size: version.bytes,
  read: (ranges) =>
    Promise.resolve(ranges).then((wanted) =>
      wanted.map(({ offset, length }) => {
        if (offset + length > version.bytes) throw new SourceError(version.key, 'it ends early');
        return version.body.slice(offset, offset + length);
      }),
    ),
  [Symbol.asyncDispose]: () => Promise.resolve(),
});
