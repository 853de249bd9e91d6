import type { S3Client } from '@aws-sdk/client-s3';
import { SourceChangedError, SourceError } from '../../errors.ts';
import type { ByteRange, RangeReader } from '../../raster/types.ts';
import { failureOf } from './errors.ts';
import { readMerged } from './read-merged.ts';
import { readObject } from './s3-body.ts';

/** What every read of an object is held to. */
export interface S3Pin {
  /** Bare; sent as `If-Match`. */
  readonly etag: string;
  /** A real version id, or null. */
  readonly versionId: string | null;
}

export interface S3RangesOptions {
  readonly client: Pick<S3Client, 'send'>;
  readonly bucket: string;
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly pin: S3Pin;
  /** The reader's account pays for requests and transfer. */
  readonly requesterPays?: boolean;
  /**
   * Called where the pinned object is not there any more (412, 404): a pin of the same bytes to go on with.
   * @throws SourceChangedError where there is none.
   */
  readonly repin: () => Promise<S3Pin>;
  /** What any other failure is thrown as. */
  readonly explain: (error: unknown) => unknown;
  /** Called with every read: bytes received, and requests made. */
  readonly onRead?: (bytes: number, requests: number) => void;
}

/** GETs under way at once for one reader. */
const CONCURRENCY = 8;
/** How often one range is asked for under a new pin before the object counts as changed. */
const MOST_PINS = 3;

/** `s3://bucket/key`, as messages call an object. */
export const s3Uri = (bucket: string, key: string): string => `s3://${bucket}/${key}`;

/** An ETag as HTTP spells it. */
export const quotedEtag = (etag: string): string => `"${etag}"`;

/**
 * Byte ranges of one S3 object by GetObject, each pinned by If-Match (and the version id, where there is a real one):
 * all bytes come from one version of the object, or there is an error. Neighbouring ranges share a request.
 */
export const s3Ranges = (options: S3RangesOptions): RangeReader & AsyncDisposable => {
  const { client, bucket, key, size } = options;
  const name = s3Uri(bucket, key);
  let pin = options.pin;

  const get = (range: ByteRange, { etag, versionId }: S3Pin, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> =>
    readObject(
      client,
      {
        Bucket: bucket,
        Key: key,
        IfMatch: quotedEtag(etag),
        ...(versionId === null ? {} : { VersionId: versionId }),
        ...(options.requesterPays === true ? { RequestPayer: 'requester' } : {}),
      },
      range,
      signal,
    );

  const fetchRange = async (range: ByteRange, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> => {
    for (let pins = 0; pins < MOST_PINS; pins++) {
      const held = pin;
      try {
        const bytes = await get(range, held, signal);
        options.onRead?.(bytes.byteLength, 1);
        return bytes;
      } catch (error) {
        if (signal?.aborted === true) throw signal.reason;
        if (!isOtherObject(error)) throw options.explain(error);
      }
      // Another range of this reader may have looked already.
      if (pin === held) pin = await options.repin();
    }
    throw new SourceChangedError(name, 'it keeps changing while it is read');
  };

  return {
    name,
    size,
    async read(ranges, signal) {
      for (const { offset, length } of ranges) {
        if (offset + length > size) {
          throw new SourceError(name, `it ends early: byte ${offset + length} was asked for, it has ${size}`, {
            remedy: 'upload the object again',
          });
        }
      }
      signal?.throwIfAborted();
      return readMerged(ranges, (range) => fetchRange(range, signal), CONCURRENCY);
    },
    // Bodies are consumed with each read; sockets belong to the client.
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
};

/** 412: another object stands there; 404: none, or the pinned version is gone; 405: a delete marker. Not: no bucket. */
const isOtherObject = (error: unknown): boolean => {
  const { name, status } = failureOf(error);
  if (name === 'NoSuchBucket') return false;
  return name === 'NoSuchKey' || name === 'NoSuchVersion' || status === 412 || status === 404 || status === 405;
};
