import { SourceChangedError } from '../../errors.ts';
import type { FileHashes, HashProgress, HashedFile } from './file-hashes.ts';
import { type FileRanges, openToRead, rangesOf } from './file-ranges.ts';

/** Version tokens of source files: the token of a file is the SHA-256 of its bytes, remembered while it is untouched. */
export class SourceTokens {
  readonly #hashes: FileHashes;

  constructor(hashes: FileHashes) {
    this.#hashes = hashes;
  }

  /**
   * The token of the file as it is now, and the state it was found in. Reads the file once in its life.
   *
   * @throws SourceError where it cannot be read; SourceChangedError where it keeps changing.
   */
  async tokenOf(path: string, progress: HashProgress = {}): Promise<HashedFile> {
    const handle = await openToRead(path);
    try {
      return await this.#hashes.of(handle, path, progress);
    } finally {
      await handle.close();
    }
  }

  /**
   * Opens the file if it still is the planned one, by its token: renamed, touched or copied it is the same.
   *
   * @throws SourceChangedError where its bytes are others; SourceError where it cannot be read.
   */
  async open(path: string, token: string, progress: HashProgress = {}): Promise<FileRanges> {
    const handle = await openToRead(path);
    try {
      const found = await this.#hashes.of(handle, path, progress);
      if (found.sha256 !== token) throw new SourceChangedError(path, 'it is no longer the file that was planned');
      return await rangesOf(handle, path, found.pin);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}
