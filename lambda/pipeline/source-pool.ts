import { lendPlanes } from '../raster/kernels/plane-memory.ts';
import { PixelMemoryLender } from '../raster/pixel-memory.ts';
import { SourceChangedError } from '../errors.ts';
import type { PlannedSource } from '../identity/plan.ts';
import { type RasterSource, openSource } from '../raster/source/open-source.ts';
import type { RangeReader } from '../raster/types.ts';
import type { SourceStores } from './source-store.ts';

interface OpenSource {
  readonly reader: RangeReader & AsyncDisposable;
  readonly raster: RasterSource;
}

/**
 * Sources kept open between one worker's windows, so that each header is read, and each block decoded, once per
 * worker and not once per window. Keyed by location and pins: another version is another source. The least recently
 * used is closed first.
 */
export class SourcePool {
  /** Memory that this worker's windows pass on from one to the next. */
  readonly memory = new PixelMemoryLender(lendPlanes);
  readonly #stores: SourceStores;
  readonly #capacity: number;
  readonly #cacheBytes: number;
  readonly #open = new Map<string, OpenSource>();

  /** @param options.capacity sources kept open; `cacheBytes` bounds the decoded blocks of each, bytes. */
  constructor(stores: SourceStores, options: { capacity: number; cacheBytes: number }) {
    this.#stores = stores;
    this.#capacity = options.capacity;
    this.#cacheBytes = options.cacheBytes;
  }

  /** @throws SourceChangedError, SourceError. */
  async get(location: string, source: PlannedSource, signal?: AbortSignal): Promise<RasterSource> {
    const name = [location, source.bucket, source.key, source.versionToken, source.etag].join('\n');
    const known = this.#open.get(name);
    if (known !== undefined) {
      this.#open.delete(name);
      this.#open.set(name, known);
      return known.raster;
    }
    const reader = await this.#stores(location).open(source);
    try {
      const raster = await openSource(this.#watched(reader, name), signal, { cacheBytes: this.#cacheBytes });
      const twin = this.#open.get(name);
      if (twin !== undefined) {
        // Another window of this worker opened it meanwhile: one of the two would never be closed.
        await reader[Symbol.asyncDispose]();
        return twin.raster;
      }
      this.#open.set(name, { reader, raster });
      await this.#trim();
      return raster;
    } catch (error) {
      await reader[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** A source that has changed under its reader is opened anew by whoever wants it next, even under the same pins. */
  #watched(reader: RangeReader & AsyncDisposable, name: string): RangeReader {
    return {
      name: reader.name,
      size: reader.size,
      read: async (ranges, signal) => {
        try {
          return await reader.read(ranges, signal);
        } catch (error) {
          if (error instanceof SourceChangedError && this.#open.get(name)?.reader === reader) {
            this.#open.delete(name);
            await reader[Symbol.asyncDispose]();
          }
          throw error;
        }
      },
    };
  }

  async #trim(): Promise<void> {
    for (const [name, { reader }] of this.#open) {
      if (this.#open.size <= this.#capacity) return;
      this.#open.delete(name);
      await reader[Symbol.asyncDispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { reader } of this.#open.values()) await reader[Symbol.asyncDispose]();
    this.#open.clear();
  }
}
