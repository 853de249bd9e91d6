import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SourceError } from '../../errors.ts';
import type { PlannedSource } from '../../identity/plan.ts';
import type { SourceLook, SourceStore } from '../../pipeline/source-store.ts';
import type { RangeReader } from '../../raster/types.ts';
import type { HashProgress } from './file-hashes.ts';
import { repinned } from './repinned-file.ts';
import type { SourceTokens } from './source-tokens.ts';

/** The bucket of every file; its keys are paths relative to a scene's folder (docs/design.md, section 2). */
export const FILE_BUCKET = 'file';

export interface FileSourceOptions {
  /** Called while a file is hashed for the first time. */
  readonly progress?: HashProgress;
  /** Called with every read: bytes, and ranges asked for. */
  readonly onRead?: (bytes: number, ranges: number) => void;
}

/** Source files below one folder: token and ETag are both the SHA-256 of the file. */
export class FileSourceStore implements SourceStore {
  readonly #folder: string;
  readonly #tokens: SourceTokens;
  readonly #options: FileSourceOptions;

  constructor(folder: string, tokens: SourceTokens, options: FileSourceOptions = {}) {
    this.#folder = folder;
    this.#tokens = tokens;
    this.#options = options;
  }

  /** @throws SourceError where the file is there but cannot be read, or has its mask beside it, which would be passed over unseen. */
  async look(_bucket: string, key: string): Promise<SourceLook | null> {
    const path = join(this.#folder, key);
    const stats = await stat(path).catch(() => null);
    if (stats === null) return null;
    if (!stats.isFile()) throw new SourceError(path, 'it is not a file', { remedy: 'name a file' });
    if (await stat(`${path}.msk`).catch(() => null)) {
      throw new SourceError(path, `its mask lies in a file beside it (${basename(path)}.msk), which is not read`, {
        remedy: `put it into the file: gdal_translate -of COG -co COMPRESS=DEFLATE ${path} masked.tif; or move it away`,
      });
    }
    const { sha256, pin } = await this.#tokens.tokenOf(path, this.#options.progress);
    return {
      bucket: FILE_BUCKET,
      key,
      versionToken: sha256,
      etag: sha256,
      versionId: null,
      bytes: pin.size,
      uploadedAt: stats.mtimeMs,
    };
  }

  async open(source: PlannedSource): Promise<RangeReader & AsyncDisposable> {
    const path = join(this.#folder, source.key);
    const file = await repinned(() => this.#tokens.open(path, source.versionToken));
    const { onRead } = this.#options;
    return onRead === undefined ? file : counted(file, onRead);
  }
}

/** A file whose reads are told: bytes, and ranges asked for. */
export const counted = (
  file: RangeReader & AsyncDisposable,
  onRead: (bytes: number, ranges: number) => void,
): RangeReader & AsyncDisposable => ({
  name: file.name,
  size: file.size,
  read: async (ranges, signal) => {
    const parts = await file.read(ranges, signal);
    onRead(
      parts.reduce((sum, { byteLength }) => sum + byteLength, 0),
      ranges.length,
    );
    return parts;
  },
  [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
});
