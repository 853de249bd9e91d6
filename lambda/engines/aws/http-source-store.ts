import type { PlannedSource } from '../../identity/plan.ts';
import type { SourceLook, SourceStore } from '../../pipeline/source-store.ts';
import type { RangeReader } from '../../raster/types.ts';
import { httpRanges, lookAtUrl } from './http-ranges.ts';
import type { HttpParts } from './http-request.ts';

export interface HttpSourceStoreParts extends HttpParts {
  /** Called with every read: bytes received, and requests made. */
  readonly onRead?: (bytes: number, requests: number) => void;
}

/** A URL as bucket (scheme and host) and key (path and query, as they are spelled). */
export const locateUrl = (url: string): { bucket: string; key: string } => {
  const { origin, pathname, search } = new URL(url);
  return { bucket: origin, key: `${pathname.slice(1)}${search}` };
};

/** Scenes' objects on web servers, read anonymously by ranges. */
export class HttpSourceStore implements SourceStore {
  readonly #parts: HttpSourceStoreParts;

  constructor(parts: HttpSourceStoreParts) {
    this.#parts = parts;
  }

  /** @throws SourceError where it cannot be read by ranges, or its server tells no version; StoreUnavailableError. */
  async look(bucket: string, key: string): Promise<SourceLook | null> {
    const look = await lookAtUrl(this.#parts, `${bucket}/${key}`);
    if (look === null) return null;
    const { version, bytes, modifiedAt } = look;
    return { bucket, key, versionToken: version, etag: version, versionId: null, bytes, uploadedAt: modifiedAt };
  }

  async open({ bucket, key, etag, bytes }: PlannedSource): Promise<RangeReader & AsyncDisposable> {
    return httpRanges(this.#parts, `${bucket}/${key}`, { version: etag, bytes }, this.#parts.onRead);
  }
}
