import type { RangeReader } from '../raster/types.ts';

/** What is known of a stored object without reading it. */
export interface ObjectInfo {
  readonly key: string;
  readonly bytes: number;
  /** Opaque; changes whenever the bytes are replaced. */
  readonly etag: string;
  /** Lower-case hex SHA-256 of the bytes, where the store has it. */
  readonly sha256: string | null;
  /** The digest written as metadata, where the store keeps metadata. */
  readonly digest: string | null;
}

export interface NewObject {
  readonly key: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** Lower-case hex SHA-256 of `body`. */
  readonly sha256: string;
  /** Digest of pixels and georeference (or of the bytes, for documents). */
  readonly digest: string;
}

/** `conflict` is S3's 409 ConditionalRequestConflict: not "present", but "ask again". */
export type CreateAnswer =
  | { readonly kind: 'created'; readonly etag: string }
  | { readonly kind: 'exists' }
  | { readonly kind: 'conflict' };

/** `mismatch`: the object is not the inspected one (412), or it is gone. */
export type ReplaceAnswer =
  | { readonly kind: 'replaced'; readonly etag: string }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'conflict' };

/** `exists`: the condition did not hold, so something else stands there (or, under an ETag, nothing). */
export type UploadAnswer = CreateAnswer | { readonly kind: 'gone' };

/** An object as a listing shows it. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  /** ms since the epoch. */
  readonly modifiedAt: number;
}

/**
 * A large object written front to back. Nothing is visible under the key before `complete` has answered `created`.
 * `gone`: the upload itself no longer exists (S3's NoSuchUpload); look at the object, then begin again.
 */
export interface Upload {
  write(bytes: Uint8Array): Promise<void>;
  complete(): Promise<UploadAnswer>;
  /** Drops what was written. Safe to call at any time, also after `complete`. */
  abort(): Promise<void>;
}

/** Output objects under create-if-absent. Every method throws StoreUnavailableError where the store gives no answer. */
export interface ObjectStore {
  /** `If-None-Match: *`: creates the object, or changes nothing. */
  create(object: NewObject): Promise<CreateAnswer>;
  /** `If-Match: etag`: replaces exactly the inspected object, or changes nothing. */
  replace(object: NewObject, etag: string): Promise<ReplaceAnswer>;
  /**
   * Starts an upload of unknown length; the condition is checked at `complete`: create-if-absent, or with `etag`:
   * replace exactly the inspected object.
   */
  upload(object: Omit<NewObject, 'body' | 'sha256'>, etag?: string): Promise<Upload>;
  head(key: string): Promise<ObjectInfo | null>;
  /** The whole object; null where there is none. For small documents. */
  get(key: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Ranges of the object as it is now, pinned to `etag` where one is given; null where there is none (or another). */
  open(key: string, etag?: string): Promise<(RangeReader & AsyncDisposable) | null>;
  /** `If-Match: etag` DELETE. True when this very object was removed. */
  remove(key: string, etag: string): Promise<boolean>;
  /** Every object whose key begins with `prefix`, in order of key. Tells what might be there, decides nothing. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** How many versions (delete markers too) are kept of the keys that begin with `prefix`. */
  countVersions(prefix: string): Promise<number>;
  /**
   * Removes the versions kept of a key whose object was removed; an object that stands there again is left. Only under the
   * claim of whose output it was. @returns how many.
   */
  eraseVersions(key: string): Promise<number>;
}
