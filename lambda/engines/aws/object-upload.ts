import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  type CompletedPart,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { StoreUnavailableError } from '../../errors.ts';
import type { Upload, UploadAnswer } from '../../gates/object-store.ts';
import { bareEtag } from '../../identity/version-token.ts';
import { failureOf, onStore } from './errors.ts';
import { refusalOf } from './precondition.ts';
import { quotedEtag, s3Uri } from './s3-ranges.ts';

/** The first parts' size, bytes; S3 takes no part below 5 MiB but the last. */
export const PART_BYTES = 8 * 1024 * 1024;
/** After every so many parts the size doubles, up to 64 MiB: S3 takes 10,000 parts, which then hold 490 GiB. */
const PARTS_PER_SIZE = 1000;
const MOST_PART_BYTES = 64 * 1024 * 1024;
/** Parts under way at once; as many buffers, and the one being filled, is what an upload holds in memory. */
const PARTS_IN_FLIGHT = 3;

export interface S3UploadParts {
  readonly client: Pick<S3Client, 'send'>;
  readonly bucket: string;
  readonly key: string;
  readonly uploadId: string;
  /** Replaces exactly this object (bare ETag); without it, creates one where there is none. */
  readonly etag?: string | undefined;
}

/** Size of the part with this number (from 1), bytes. */
export const partBytes = (partNumber: number): number =>
  Math.min(MOST_PART_BYTES, PART_BYTES * 2 ** Math.floor((partNumber - 1) / PARTS_PER_SIZE));

/** How many parts an object of so many bytes is sent in; one at least. */
export const partsOf = (bytes: number): number => {
  let parts = 1;
  for (let room = partBytes(1); room < bytes; room += partBytes(parts)) parts++;
  return parts;
};

/**
 * A large object on its way to S3: buffered into parts, sent while the next one fills, and completed under
 * `If-None-Match: *`. Each part carries its SHA-256, so a part that was damaged on its way is refused.
 */
export class S3Upload implements Upload {
  readonly #parts: S3UploadParts;
  readonly #stopped = new AbortController();
  readonly #sent: CompletedPart[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];
  #partNumber = 1;
  #buffer = new Uint8Array(partBytes(1));
  #filled = 0;
  #state: 'open' | 'over' | 'finished' = 'open';

  constructor(parts: S3UploadParts) {
    this.#parts = parts;
  }

  /** @throws StoreUnavailableError, also for a part that was sent with an earlier write. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#state !== 'open') throw new StoreUnavailableError(`the upload to ${this.#name} is over: begin it again`);
    let rest = bytes;
    while (rest.byteLength > 0) {
      const taken = rest.subarray(0, this.#buffer.byteLength - this.#filled);
      this.#buffer.set(taken, this.#filled);
      this.#filled += taken.byteLength;
      rest = rest.subarray(taken.byteLength);
      if (this.#filled === this.#buffer.byteLength) await this.#sendPart();
    }
  }

  async complete(): Promise<UploadAnswer> {
    if (this.#state !== 'open') return { kind: 'gone' };
    // S3 wants at least one part, which may be empty.
    if (this.#filled > 0 || this.#partNumber === 1) await this.#sendPart();
    await Promise.all(this.#inFlight);
    this.#state = 'over';
    if (this.#isGone()) return { kind: 'gone' };
    this.#throwFailure();
    return onStore(`${this.#name} could not be completed`, () => this.#finish());
  }

  /** An upload that cannot be aborted is left to the bucket's lifecycle rule. */
  async abort(): Promise<void> {
    if (this.#state === 'finished') return;
    this.#state = 'finished';
    this.#stopped.abort();
    // A part that arrives after the abort would be kept, and paid for.
    await Promise.allSettled(this.#inFlight);
    try {
      await this.#parts.client.send(new AbortMultipartUploadCommand(this.#target));
    } catch (error) {
      if (failureOf(error).name === 'NoSuchUpload') return;
    }
  }

  async #finish(): Promise<UploadAnswer> {
    const parts = this.#sent.toSorted((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0));
    try {
      const { ETag: etag } = await this.#parts.client.send(
        new CompleteMultipartUploadCommand({
          ...this.#target,
          ...(this.#parts.etag === undefined ? { IfNoneMatch: '*' } : { IfMatch: quotedEtag(this.#parts.etag) }),
          MultipartUpload: { Parts: parts },
        }),
      );
      if (etag === undefined) throw new StoreUnavailableError(`${this.#name} was completed without an ETag`);
      this.#state = 'finished';
      return { kind: 'created', etag: bareEtag(etag) };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === 'failed') return { kind: 'exists' };
      if (refusal === 'conflict') return { kind: 'conflict' };
      // Under If-Match a 404 that is not about the upload says that there is nothing to match.
      if (refusal === 'absent' && this.#parts.etag !== undefined) return { kind: 'exists' };
      if (refusal === 'absent' || failureOf(error).name === 'NoSuchUpload') return { kind: 'gone' };
      throw error;
    }
  }

  /** Starts sending the filled buffer, waiting first while enough parts are under way. */
  async #sendPart(): Promise<void> {
    while (this.#inFlight.size >= PARTS_IN_FLIGHT) await Promise.race(this.#inFlight);
    if (!this.#isGone()) this.#throwFailure();
    const partNumber = this.#partNumber;
    const body = this.#buffer.subarray(0, this.#filled);
    this.#partNumber += 1;
    this.#buffer = new Uint8Array(partBytes(this.#partNumber));
    this.#filled = 0;
    const sending = this.#send(partNumber, body)
      .catch((error: unknown) => {
        this.#failures.push(error);
      })
      .finally(() => this.#inFlight.delete(sending));
    this.#inFlight.add(sending);
  }

  async #send(partNumber: number, body: Uint8Array): Promise<void> {
    const sha256 = createHash('sha256').update(body).digest('base64');
    const { ETag: etag } = await onStore(`part ${partNumber} of ${this.#name} could not be written`, () =>
      this.#parts.client.send(
        new UploadPartCommand({ ...this.#target, PartNumber: partNumber, Body: body, ChecksumSHA256: sha256 }),
        { abortSignal: this.#stopped.signal },
      ),
    );
    if (etag === undefined) throw new StoreUnavailableError(`part ${partNumber} of ${this.#name} has no ETag`);
    this.#sent.push({ PartNumber: partNumber, ETag: etag, ChecksumSHA256: sha256 });
  }

  /** Someone aborted the upload, or the bucket's lifecycle did. */
  #isGone(): boolean {
    return this.#failures.some((error) => failureOf(error).name === 'NoSuchUpload');
  }

  #throwFailure(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  get #name(): string {
    return s3Uri(this.#parts.bucket, this.#parts.key);
  }

  get #target(): { Bucket: string; Key: string; UploadId: string } {
    return { Bucket: this.#parts.bucket, Key: this.#parts.key, UploadId: this.#parts.uploadId };
  }
}
