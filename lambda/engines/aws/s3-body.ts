import { Readable } from 'node:stream';
import {
  GetObjectCommand,
  type GetObjectCommandInput,
  type GetObjectCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { ByteRange } from '../../raster/types.ts';
import { isTransient } from './errors.ts';

/** A body that is not as long as it was asked for, or announced. Counts as a failure of the network. */
export class IncompleteBodyError extends Error {
  override readonly name = 'IncompleteBodyError';
}

/** How often a body is asked for again. The SDK retries requests, but not a body that breaks off. */
const MOST_READS = 3;

/**
 * GetObject with its body: `range` of the object, or (null) all of it.
 *
 * @throws what the client throws; IncompleteBodyError where other bytes come than were asked for.
 */
export const readObject = async (
  client: Pick<S3Client, 'send'>,
  input: GetObjectCommandInput,
  range: ByteRange | null,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> => {
  const asked =
    range === null ? input : { ...input, Range: `bytes=${range.offset}-${range.offset + range.length - 1}` };
  for (let read = 1; ; read++) {
    const reply = await client.send(new GetObjectCommand(asked), signal === undefined ? {} : { abortSignal: signal });
    try {
      return await bodyOf(reply, range);
    } catch (error) {
      if (signal?.aborted === true || read === MOST_READS || !isTransient(error)) throw error;
    }
  }
};

/** The body in a buffer of its own. It is consumed, or its socket is closed: no socket waits for a reader. */
const bodyOf = async (reply: GetObjectCommandOutput, range: ByteRange | null): Promise<Uint8Array<ArrayBuffer>> => {
  const { Body: body, ContentLength: announced } = reply;
  const length = range?.length ?? announced;
  if (body === undefined) return exactly(new Uint8Array(0), length);
  if (!(body instanceof Readable) || length === undefined) {
    return exactly(new Uint8Array(await body.transformToByteArray()), length);
  }
  if (announced === undefined || announced === length) return fill(body, 0, length);
  // A store may ignore the range and send everything (RFC 9110, section 14.2): ours is cut out.
  if (range !== null && reply.ContentRange === undefined && announced >= range.offset + length) {
    return fill(body, range.offset, length);
  }
  body.destroy();
  throw new IncompleteBodyError(`asked for ${length} bytes, ${announced} were announced`);
};

/** `length` bytes of a body, after its first `skip`. */
const fill = async (body: Readable, skip: number, length: number): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = new Uint8Array(length);
  // Where the next chunk begins, counted from the first wanted byte.
  let position = -skip;
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('a body came as text');
    const wanted = chunk.subarray(Math.max(0, -position), Math.max(0, length - position));
    if (wanted.byteLength > 0) bytes.set(wanted, Math.max(0, position));
    position += chunk.byteLength;
    // Leaving the loop closes the socket; a body that is no longer than asked for is read to its end first.
    if (position > length) break;
  }
  if (position < length) throw new IncompleteBodyError(`asked for ${length} bytes, ${Math.max(0, position)} came`);
  return bytes;
};

const exactly = (bytes: Uint8Array<ArrayBuffer>, length: number | undefined): Uint8Array<ArrayBuffer> => {
  if (length === undefined || bytes.byteLength === length) return bytes;
  throw new IncompleteBodyError(`asked for ${length} bytes, ${bytes.byteLength} came`);
};
