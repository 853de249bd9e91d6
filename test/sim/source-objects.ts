import { SourceChangedError, SourceError } from '../../lambda/errors.ts';
import type { PlannedSource } from '../../lambda/identity/plan.ts';
import type { SourceLook } from '../../lambda/pipeline/source-store.ts';

export interface SourceObject {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its full-object checksum: what changes with the bytes. */
  readonly token: string;
  /** What changes with every upload. */
  readonly etag: string;
}

/** The source bucket: unversioned, each key holds what was uploaded last. Remembers what there was, and when. */
export class SourceObjects {
  readonly bucket: string;
  readonly #now: () => number;
  readonly #uploads = new Map<string, { readonly at: number; readonly object: SourceObject }[]>();
  #etags = 0;

  constructor(bucket: string, now: () => number) {
    this.bucket = bucket;
    this.#now = now;
  }

  upload(key: string, content: { readonly bytes: Uint8Array<ArrayBuffer>; readonly token: string }): void {
    const history = this.#uploads.get(key) ?? [];
    history.push({ at: this.#now(), object: { ...content, etag: `upload-${++this.#etags}` } });
    this.#uploads.set(key, history);
  }

  current(key: string): SourceObject | null {
    return this.#uploads.get(key)?.at(-1)?.object ?? null;
  }

  look(key: string): SourceLook | null {
    const found = this.current(key);
    if (found === null) return null;
    const { token: versionToken, etag, bytes } = found;
    return { bucket: this.bucket, key, versionToken, etag, versionId: null, bytes: bytes.length, uploadedAt: 0 };
  }

  /** The tokens that the key had at any time since `since`, null for none. */
  tokensSince(key: string, since: number): (string | null)[] {
    const history = this.#uploads.get(key) ?? [];
    const before = history.findLast(({ at }) => at <= since);
    return [before?.object.token ?? null, ...history.filter(({ at }) => at > since).map(({ object }) => object.token)];
  }

  /**
   * Reads with If-Match: the planned object, or the same bytes under another ETag. @throws SourceChangedError.
   */
  read({ key, versionToken }: PlannedSource, offset: number, length: number): Uint8Array<ArrayBuffer> {
    const found = this.current(key);
    if (found?.token !== versionToken) throw new SourceChangedError(key, 'it is no longer the object that was planned');
    if (offset + length > found.bytes.length) throw new SourceError(key, 'it ends early');
    return found.bytes.slice(offset, offset + length);
  }
}
