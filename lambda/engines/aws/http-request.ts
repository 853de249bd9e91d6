import type { Clock } from '../../clock.ts';
import { StoreUnavailableError, TileonceError } from '../../errors.ts';
import type { ByteRange } from '../../raster/types.ts';

/** `fetch`, or a stand-in. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface HttpParts {
  readonly fetch: Fetch;
  readonly clock: Clock;
}

/** How often one request is made in all, and the first pause, ms (doubling, with jitter): after 5xx, 429, broken connections. */
const MOST_TRIES = 4;
const PAUSE_MS = 200;
/** What one reply, its body included, may take, ms. */
const TIMEOUT_MS = 120_000;

export interface RangeReply {
  readonly status: number;
  readonly headers: Headers;
  /** Empty unless the status is 206. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * One ranged GET with its body; a reply that breaks off is asked for again. What is no 206 comes back without its
 * body: a server that ignores the range would send everything.
 *
 * @throws StoreUnavailableError after the last try; the signal's reason.
 */
export const getRange = async (
  { fetch, clock }: HttpParts,
  url: string,
  { offset, length }: ByteRange,
  signal?: AbortSignal,
): Promise<RangeReply> => {
  // Under a Range header fetch asks for an identity encoding by itself: a compressed reply would shift every range.
  const headers = { range: `bytes=${offset}-${offset + length - 1}` };
  for (let tries = 1; ; tries++) {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await fetch(url, {
        headers,
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      const { status } = response;
      if (status === 206)
        return { status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
      await response.body?.cancel();
      if (status !== 429 && status < 500) return { status, headers: response.headers, bytes: new Uint8Array(0) };
      throw new HttpStatusError(status);
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (tries === MOST_TRIES) throw unanswered(url, error);
    }
    await clock.sleep(PAUSE_MS * 2 ** (tries - 1) * (0.5 + clock.random()), signal);
    signal?.throwIfAborted();
  }
};

class HttpStatusError extends TileonceError {
  constructor(status: number) {
    super(`HTTP ${status}`);
  }
}

const unanswered = (url: string, error: unknown): StoreUnavailableError => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StoreUnavailableError(`${url} could not be read (${why})`, {
    remedy: 'check the address and the connection, or try again later',
    cause: error,
  });
};
