import { SourceChangedError, SourceError } from '../../errors.ts';
import { bareEtag } from '../../identity/version-token.ts';
import type { ByteRange, RangeReader } from '../../raster/types.ts';
import { type HttpParts, type RangeReply, getRange } from './http-request.ts';
import { readMerged } from './read-merged.ts';

/** A document on the web as its server describes it. */
export interface HttpLook {
  /** What changes with the bytes: the ETag (bare), else the time of change as the server spells it. */
  readonly version: string;
  readonly bytes: number;
  /** ms since the epoch; 0 where the server does not say. */
  readonly modifiedAt: number;
}

/** GETs under way at once for one reader. */
const CONCURRENCY = 6;

const CHANGED = 'it is no longer the document that was planned';
const DOWNLOAD = 'download it and run on the file';

/**
 * Looks at a document with a one-byte ranged GET: some servers answer HEAD without a length, or not at all, and this
 * shows at once whether ranges work. Null where there is none (404, 410).
 *
 * @throws SourceError where it cannot be read by ranges, or its server tells no version; StoreUnavailableError.
 */
export const lookAtUrl = async (http: HttpParts, url: string): Promise<HttpLook | null> => {
  const reply = await getRange(http, url, { offset: 0, length: 1 });
  if (reply.status === 404 || reply.status === 410) return null;
  refuseUnless206(url, reply);
  const total = /\/(\d+)$/.exec(reply.headers.get('content-range') ?? '')?.[1];
  if (total === undefined) throw new SourceError(url, 'its server does not say how long it is', { remedy: DOWNLOAD });
  const version = versionOf(reply.headers);
  if (version === null) {
    throw new SourceError(url, 'its server tells no version (neither ETag nor Last-Modified)', { remedy: DOWNLOAD });
  }
  const modified = Date.parse(reply.headers.get('last-modified') ?? '');
  return { version, bytes: Number(total), modifiedAt: Number.isNaN(modified) ? 0 : modified };
};

/**
 * Byte ranges of a document, held to the version that was looked at: each reply's own ETag (or time of change) is
 * compared, because weak ETags never satisfy `If-Match`, and many servers ignore it.
 *
 * @param onRead called with every read: bytes received, and requests made.
 */
export const httpRanges = (
  http: HttpParts,
  url: string,
  pin: Pick<HttpLook, 'version' | 'bytes'>,
  onRead?: (bytes: number, requests: number) => void,
): RangeReader & AsyncDisposable => {
  const fetchRange = async (range: ByteRange, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> => {
    const reply = await getRange(http, url, range, signal);
    if ([404, 410, 412, 416].includes(reply.status)) throw new SourceChangedError(url, CHANGED);
    refuseUnless206(url, reply);
    if (versionOf(reply.headers) !== pin.version) throw new SourceChangedError(url, CHANGED);
    const { byteLength } = reply.bytes;
    if (byteLength !== range.length) {
      throw new SourceError(url, `${range.length} bytes at ${range.offset} were asked for, ${byteLength} came`, {
        remedy: DOWNLOAD,
      });
    }
    onRead?.(byteLength, 1);
    return reply.bytes;
  };
  return {
    name: url,
    size: pin.bytes,
    async read(ranges, signal) {
      for (const { offset, length } of ranges) {
        if (offset + length > pin.bytes) {
          throw new SourceError(url, `it ends early: byte ${offset + length} was asked for, it has ${pin.bytes}`, {
            remedy: 'fetch or publish the document again',
          });
        }
      }
      signal?.throwIfAborted();
      return readMerged(ranges, (range) => fetchRange(range, signal), CONCURRENCY);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
};

const versionOf = (headers: Headers): string | null => {
  const etag = headers.get('etag');
  return etag !== null && etag !== '' ? bareEtag(etag) : headers.get('last-modified');
};

const refuseUnless206 = (url: string, { status }: RangeReply): void => {
  if (status === 206) return;
  if (status === 401 || status === 403) {
    throw new SourceError(url, `access to it is denied (HTTP ${status})`, {
      remedy: `use an open URL, or ${DOWNLOAD}`,
    });
  }
  if (status === 200) throw new SourceError(url, 'its server does not serve ranges', { remedy: DOWNLOAD });
  throw new SourceError(url, `its server answered HTTP ${status}`, { remedy: 'check the URL' });
};
