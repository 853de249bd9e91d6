import { type HeadObjectCommandOutput, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { SourceChangedError, SourceError, StoreUnavailableError } from '../../errors.ts';
import type { PlannedSource } from '../../identity/plan.ts';
import { bareEtag, realVersionId, versionToken } from '../../identity/version-token.ts';
import type { SourceLook, SourceStore } from '../../pipeline/source-store.ts';
import type { RangeReader } from '../../raster/types.ts';
import { failureOf, isFailure, isForbidden, isTransient } from './errors.ts';
import { s3Ranges, s3Uri } from './s3-ranges.ts';

export interface S3SourceStoreParts {
  readonly client: Pick<S3Client, 'send'>;
  /** The reader's account pays for requests and transfer. */
  readonly requesterPays?: boolean;
  /** Called with every read: bytes received, and requests made. */
  readonly onRead?: (bytes: number, requests: number) => void;
}

/** Scenes' objects in S3 (docs/design.md, section 2): every read carries the plan's pins. */
export class S3SourceStore implements SourceStore {
  readonly #parts: S3SourceStoreParts;

  constructor(parts: S3SourceStoreParts) {
    this.#parts = parts;
  }

  /** @throws SourceError where the object may not be looked at; StoreUnavailableError. */
  async look(bucket: string, key: string): Promise<SourceLook | null> {
    const { client, requesterPays } = this.#parts;
    const name = s3Uri(bucket, key);
    try {
      const head = await client.send(
        new HeadObjectCommand({
          Bucket: bucket,
          Key: key,
          ChecksumMode: 'ENABLED',
          ...(requesterPays === true ? { RequestPayer: 'requester' } : {}),
        }),
      );
      return lookOf(bucket, key, head);
    } catch (error) {
      if (isFailure(error, 'NotFound', 404) || failureOf(error).name === 'NoSuchKey') return null;
      throw explained(name, error);
    }
  }

  /** Asks nothing yet: the plan knows the size, and the first read carries the pins. */
  async open(source: PlannedSource): Promise<RangeReader & AsyncDisposable> {
    const { bucket, key } = source;
    const name = s3Uri(bucket, key);
    return s3Ranges({
      ...this.#parts,
      bucket,
      key,
      size: source.bytes,
      pin: source,
      explain: (error) => explained(name, error),
      repin: async () => {
        const now = await this.look(bucket, key);
        if (now === null) throw new SourceChangedError(name, 'it is gone since it was planned');
        // The same bytes under another ETag: encrypted again, or uploaded again.
        if (now.versionToken === source.versionToken && now.bytes === source.bytes) return now;
        throw new SourceChangedError(name, 'it is no longer the object that was planned');
      },
    });
  }
}

const lookOf = (bucket: string, key: string, head: HeadObjectCommandOutput): SourceLook => {
  const { ETag: etag, ContentLength: bytes, LastModified: modified } = head;
  if (etag === undefined || bytes === undefined) {
    throw new StoreUnavailableError(`${s3Uri(bucket, key)} was answered without an ETag or a length`, {
      remedy: 'use a store that sends both, as S3 does',
    });
  }
  return {
    bucket,
    key,
    versionToken: versionToken({
      etag,
      checksumSha256: head.ChecksumSHA256,
      checksumType: head.ChecksumType,
    }),
    etag: bareEtag(etag),
    versionId: realVersionId(head.VersionId),
    bytes,
    uploadedAt: modified?.getTime() ?? 0,
  };
};

/** What a failing read of a source is thrown as: the store is down, or this object cannot be had. */
const explained = (name: string, error: unknown): unknown => {
  if (error instanceof SourceError) return error;
  const failure = failureOf(error);
  if (isTransient(error)) {
    return new StoreUnavailableError(
      `${name} could not be read (${failure.name}, HTTP ${failure.status ?? 'no reply'})`,
      {
        remedy: 'it is tried again when the message comes back',
        cause: error,
      },
    );
  }
  const [trait, remedy] = unreadable(error);
  return trait === null ? error : new SourceError(name, trait, { remedy, cause: error });
};

const unreadable = (error: unknown): [trait: string | null, remedy: string] => {
  const { name, status } = failureOf(error);
  if (name === 'InvalidObjectState') return ['it is archived', 'restore it to a class that can be read at once'];
  if (name === 'NoSuchBucket') return ['there is no such bucket', 'check the name'];
  if (name === 'PermanentRedirect' || status === 301) return ['its bucket is in another region', 'run in that region'];
  if (isForbidden(error)) {
    return [
      'access to it is denied',
      'grant s3:GetObject, s3:GetObjectVersion and s3:ListBucket on it, and kms:Decrypt on its key where it has one',
    ];
  }
  return [null, ''];
};
