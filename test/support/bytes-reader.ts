import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { ByteRange, RangeReader } from '../../lambda/raster/types.ts';

/** A reader over bytes in memory that notes every range it was asked for, call by call. */
export class BytesReader implements RangeReader {
  readonly name: string;
  readonly size: number;
  readonly calls: ByteRange[][] = [];
  readonly #bytes: Uint8Array<ArrayBuffer>;

  constructor(name: string, bytes: Uint8Array<ArrayBuffer>) {
    this.name = name;
    this.size = bytes.length;
    this.#bytes = bytes;
  }

  async read(ranges: readonly ByteRange[], signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>[]> {
    signal?.throwIfAborted();
    this.calls.push(ranges.map(({ offset, length }) => ({ offset, length })));
    return ranges.map(({ offset, length }) => {
      if (offset + length > this.size) throw new Error(`${this.name} ends before byte ${offset + length}`);
      // A Buffer, as files give it: small ones lie somewhere in a pool, and slice() does not copy them.
      return Buffer.from(this.#bytes.subarray(offset, offset + length));
    });
  }
}

/** A reader over a file's bytes, read whole; named by the file's base name. */
export function fileBytesReader(path: string): BytesReader {
  return new BytesReader(basename(path), new Uint8Array(readFileSync(path)));
}
