import { SourceChangedError } from '../../../lambda/errors.ts';
import type { PlannedSource } from '../../../lambda/identity/plan.ts';
import { sha256Hex } from '../../../lambda/identity/sha256.ts';
import type { SourceLook, SourceStore } from '../../../lambda/pipeline/source-store.ts';
import type { RangeReader } from '../../../lambda/raster/types.ts';
import { BytesReader } from '../bytes-reader.ts';

/** Source objects in memory; token and ETag are the SHA-256 of the bytes. */
export class MemorySourceStore implements SourceStore {
  readonly #objects = new Map<string, Uint8Array<ArrayBuffer>>();
  /** How many objects were opened. */
  opened = 0;

  put(key: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.#objects.set(key, bytes);
  }

  remove(key: string): void {
    this.#objects.delete(key);
  }

  async look(bucket: string, key: string): Promise<SourceLook | null> {
    const bytes = this.#objects.get(key);
    if (bytes === undefined) return null;
    const token = sha256Hex(bytes);
    return { bucket, key, versionToken: token, etag: token, versionId: null, bytes: bytes.length, uploadedAt: 0 };
  }

  async open(source: PlannedSource): Promise<RangeReader & AsyncDisposable> {
    this.opened++;
    const bytes = this.#objects.get(source.key);
    const current = (): boolean => this.#objects.get(source.key) === bytes;
    if (bytes === undefined || sha256Hex(bytes) !== source.versionToken) {
      throw new SourceChangedError(source.key, 'it is no longer the object that was planned');
    }
    const reader = new BytesReader(source.key, bytes);
    return {
      name: reader.name,
      size: reader.size,
      read: async (ranges, signal) => {
        if (!current()) throw new SourceChangedError(source.key, 'it changed while it was read');
        return reader.read(ranges, signal);
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
}
