import {
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { SourceChangedError, StoreUnavailableError } from '../../errors.ts';
import type {
  CreateAnswer,
  ListedObject,
  NewObject,
  ObjectInfo,
  ObjectStore,
  ReplaceAnswer,
  Upload,
} from '../../gates/object-store.ts';
import { bareEtag } from '../../identity/version-token.ts';
import type { RangeReader } from '../../raster/types.ts';
import { asStoreError, failureOf, isFailure, onStore } from './errors.ts';
import { S3Upload } from './object-upload.ts';
import { type ObjectVersionId, listObjects, listVersions } from './list-objects.ts';
import { refusalOf } from './precondition.ts';
import { readObject } from './s3-body.ts';
import { quotedEtag, s3Ranges, s3Uri } from './s3-ranges.ts';

export interface S3ObjectStoreParts {
  readonly client: Pick<S3Client, 'send'>;
  readonly bucket: string;
}

/** The metadata member (`x-amz-meta-...`) that holds an object's digest. */
export const DIGEST_METADATA = 'tileonce-digest';

/**
 * Output objects in one S3 bucket, changed only under a precondition (docs/design.md, section 5). Where the SDK
 * repeats a PUT whose first reply was lost, the second is answered 412 by our own object: `exists`, and the write
 * gate looks at its digest.
 */
export class S3ObjectStore implements ObjectStore {
  readonly #client: Pick<S3Client, 'send'>;
  readonly #bucket: string;

  constructor({ client, bucket }: S3ObjectStoreParts) {
    this.#client = client;
    this.#bucket = bucket;
  }

  async create(object: NewObject): Promise<CreateAnswer> {
    const answer = await this.#put(object, { IfNoneMatch: '*' });
    if (answer.kind === 'done') return { kind: 'created', etag: answer.etag };
    if (answer.kind === 'absent') throw this.#oddAnswer(object.key, 'a create was answered 404');
    return answer.kind === 'failed' ? { kind: 'exists' } : { kind: 'conflict' };
  }

  async replace(object: NewObject, etag: string): Promise<ReplaceAnswer> {
    const answer = await this.#put(object, { IfMatch: quotedEtag(etag) });
    if (answer.kind === 'done') return { kind: 'replaced', etag: answer.etag };
    return answer.kind === 'conflict' ? { kind: 'conflict' } : { kind: 'mismatch' };
  }

  async upload(object: Omit<NewObject, 'body' | 'sha256'>, etag?: string): Promise<Upload> {
    const { key, contentType, digest } = object;
    const { UploadId: uploadId } = await onStore(this.#unwritten(key), () =>
      this.#client.send(
        new CreateMultipartUploadCommand({
          Bucket: this.#bucket,
          Key: key,
          ContentType: contentType,
          ChecksumAlgorithm: 'SHA256',
          Metadata: { [DIGEST_METADATA]: digest },
        }),
      ),
    );
    if (uploadId === undefined) throw this.#oddAnswer(key, 'an upload was begun without an id');
    return new S3Upload({ client: this.#client, bucket: this.#bucket, key, uploadId, etag });
  }

  async head(key: string): Promise<ObjectInfo | null> {
    return this.#head(key, {});
  }

  async get(key: string): Promise<Uint8Array<ArrayBuffer> | null> {
    try {
      return await readObject(this.#client, { Bucket: this.#bucket, Key: key }, null);
    } catch (error) {
      if (isAbsent(error)) return null;
      throw asStoreError(error, this.#unread(key));
    }
  }

  async open(key: string, etag?: string): Promise<(RangeReader & AsyncDisposable) | null> {
    const info = await this.#head(key, etag === undefined ? {} : { IfMatch: quotedEtag(etag) });
    if (info === null) return null;
    return s3Ranges({
      client: this.#client,
      bucket: this.#bucket,
      key,
      size: info.bytes,
      pin: { etag: info.etag, versionId: null },
      explain: (error) => asStoreError(error, this.#unread(key)),
      repin: () =>
        Promise.reject(new SourceChangedError(s3Uri(this.#bucket, key), 'it was replaced while it was read')),
    });
  }

  async remove(key: string, etag: string): Promise<boolean> {
    try {
      await this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key, IfMatch: quotedEtag(etag) }));
      return true;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === 'failed' || refusal === 'absent') return false;
      if (refusal === 'conflict') throw this.#oddAnswer(key, 'its removal met another write', error);
      throw asStoreError(error, this.#unwritten(key));
    }
  }

  list(prefix: string): AsyncGenerator<ListedObject> {
    return listObjects(this.#client, this.#bucket, prefix);
  }

  async countVersions(prefix: string): Promise<number> {
    let count = 0;
    for await (const _version of listVersions(this.#client, this.#bucket, prefix)) count += 1;
    return count;
  }

  async eraseVersions(key: string): Promise<number> {
    const found: ObjectVersionId[] = [];
    for await (const version of listVersions(this.#client, this.#bucket, key)) {
      // The prefix of one key may be another's; and an object that stands there is somebody's who made it anew.
      if (version.key === key && version.kind !== 'object') found.push(version);
    }
    // Markers last: without its marker an older version would be the object again.
    const ordered = [...found.filter(({ kind }) => kind === 'kept'), ...found.filter(({ kind }) => kind === 'marker')];
    for (const { versionId } of ordered) {
      await onStore(this.#unwritten(key), () =>
        this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key, VersionId: versionId })),
      );
    }
    return ordered.length;
  }

  async #put(
    object: NewObject,
    condition: Pick<PutObjectCommandInput, 'IfNoneMatch' | 'IfMatch'>,
  ): Promise<{ kind: 'done'; etag: string } | { kind: 'failed' | 'absent' | 'conflict' }> {
    try {
      const { ETag: etag } = await this.#client.send(
        new PutObjectCommand({
          Bucket: this.#bucket,
          Key: object.key,
          Body: object.body,
          ContentType: object.contentType,
          ChecksumSHA256: Buffer.from(object.sha256, 'hex').toString('base64'),
          Metadata: { [DIGEST_METADATA]: object.digest },
          ...condition,
        }),
      );
      if (etag === undefined) throw this.#oddAnswer(object.key, 'it was written without an ETag');
      return { kind: 'done', etag: bareEtag(etag) };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== null) return { kind: refusal };
      throw asStoreError(error, this.#unwritten(object.key));
    }
  }

  /** Null where there is no such object, or (under If-Match) another. A 403 is neither: without ListBucket it hides both. */
  async #head(key: string, condition: { IfMatch?: string }): Promise<ObjectInfo | null> {
    try {
      const head = await this.#client.send(
        new HeadObjectCommand({ Bucket: this.#bucket, Key: key, ChecksumMode: 'ENABLED', ...condition }),
      );
      if (head.ETag === undefined || head.ContentLength === undefined) {
        throw this.#oddAnswer(key, 'it was answered without an ETag or a length');
      }
      const { ChecksumSHA256: sha256, ChecksumType: type } = head;
      const whole = sha256 !== undefined && type !== 'COMPOSITE' && !sha256.includes('-');
      return {
        key,
        bytes: head.ContentLength,
        etag: bareEtag(head.ETag),
        sha256: whole ? Buffer.from(sha256, 'base64').toString('hex') : null,
        digest: head.Metadata?.[DIGEST_METADATA] ?? null,
      };
    } catch (error) {
      if (isAbsent(error) || isFailure(error, 'PreconditionFailed', 412)) return null;
      throw asStoreError(error, this.#unread(key));
    }
  }

  #oddAnswer(key: string, trait: string, cause?: unknown): StoreUnavailableError {
    return new StoreUnavailableError(`${s3Uri(this.#bucket, key)}: ${trait}`, {
      remedy: 'it is tried again when the message comes back',
      cause,
    });
  }

  #unread(key: string): string {
    return `${s3Uri(this.#bucket, key)} could not be read`;
  }

  #unwritten(key: string): string {
    return `${s3Uri(this.#bucket, key)} could not be written`;
  }
}

/** A HEAD's 404 has no body: `NotFound`, or nameless. */
const isAbsent = (error: unknown): boolean =>
  failureOf(error).name === 'NoSuchKey' || isFailure(error, 'NotFound', 404);
