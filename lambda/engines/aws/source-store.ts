import { type HeadObjectCommandOutput, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { SourceChangedError, StoreUnavailableError } from '../../errors.ts';
import type { PlannedSource } from '../../identity/plan.ts';
import { bareEtag, realVersionId, versionToken } from '../../identity/version-token.ts';
import type { SourceLook, SourceStore } from '../../pipeline/source-store.ts';
import type { RangeReader } from '../../raster/types.ts';
import { failureOf, isFailure } from './errors.ts';
import { s3Ranges, s3Uri } from './s3-ranges.ts';
import { explained } from './source-failure.ts';

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
