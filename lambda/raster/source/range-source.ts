import { release } from '../release.ts';
import type { ByteRange, RangeReader } from '../types.ts';
import { mergeRanges } from './merge-ranges.ts';

/** The first header read, bytes; each further one near the start of the object doubles, up to HEADER_LIMIT. */
const HEADER_CHUNK = 64 * 1024;
const HEADER_LIMIT = 256 * 1024;
/** What a metadata read elsewhere is widened to (bytes): directories at a file's end lie beside their arrays. */
const DIRECTORY_CHUNK = 16 * 1024;

interface Chunk {
  readonly offset: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface Pending {
  readonly range: ByteRange;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly reject: (reason: unknown) => void;
}

/** A merged read of which parts are still in use. */
interface Read {
  readonly bytes: Uint8Array<ArrayBuffer>;
  parts: number;
}

/**
 * Lets the TIFF parser and the block reader reach one object in few reads. Metadata is read in chunks that are kept
 * (they are small); pixel blocks are not kept. Whatever is asked for in one turn of the event loop is sorted, merged
 * with its neighbours and handed to the reader as one call.
 */
export class RangeSource {
  readonly #reader: RangeReader;
  readonly #chunks: Chunk[] = [];
  readonly #reads = new WeakMap<Uint8Array, Read>();
  #pending: Pending[] = [];
  #headerChunk = HEADER_CHUNK;

  constructor(reader: RangeReader) {
    this.#reader = reader;
  }

  /** What messages call the object. */
  get name(): string {
    return this.#reader.name;
  }

  /** The object's size, bytes. */
  get fileSize(): number {
    return this.#reader.size;
  }

  /**
   * Metadata as the TIFF parser asks for it: one own, zero-offset buffer per slice, clipped at the object's end (the
   * parser asks for more than there may be and checks what it got).
   */
  async fetch(slices: readonly ByteRange[], signal?: AbortSignal): Promise<ArrayBuffer[]> {
    return Promise.all(slices.map(async (slice) => (await this.fetchSlice(slice, signal)).data));
  }

  /** One slice of metadata; see `fetch`. */
  async fetchSlice(slice: ByteRange, signal?: AbortSignal): Promise<ByteRange & { data: ArrayBuffer }> {
    const bytes = await this.metadata(slice, signal);
    return { offset: slice.offset, length: bytes.length, data: new Uint8Array(bytes).buffer };
  }

  /** Bytes of metadata, clipped at the object's end; a view that the caller must not change. */
  async metadata(range: ByteRange, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const length = Math.max(0, Math.min(range.length, this.fileSize - range.offset));
    const wanted = { offset: range.offset, length };
    const held = this.#held(wanted);
    if (held !== undefined || length === 0) return held ?? new Uint8Array(0);
    const chunk = { offset: wanted.offset, length: Math.max(length, this.#metadataChunk(wanted.offset)) };
    chunk.length = Math.min(chunk.length, this.fileSize - chunk.offset);
    const bytes = await this.#enqueue(chunk, signal);
    this.#chunks.push({ offset: chunk.offset, bytes });
    return bytes.subarray(0, length);
  }

  /**
   * Pixel blocks, one array per range and exactly as long as asked for; views into merged reads, so copy what is to
   * outlive the call. The caller checks that the ranges lie inside the object, and may give the arrays back.
   */
  async blocks(ranges: readonly ByteRange[], signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>[]> {
    return Promise.all(ranges.map(async (range) => this.#held(range) ?? this.#enqueue(range, signal)));
  }

  /** Takes an array of `blocks` back that nobody reads any more: with the last one of a read its memory goes. */
  giveBack(block: Uint8Array<ArrayBuffer>): void {
    const read = this.#reads.get(block);
    if (read === undefined) return;
    this.#reads.delete(block);
    read.parts--;
    if (read.parts === 0) release(read.bytes);
  }

  /** Forgets the metadata that is kept. */
  clear(): void {
    this.#chunks.length = 0;
  }

  /** As the TIFF parser wants it; the reader itself belongs to whoever made it. */
  async close(): Promise<void> {
    this.clear();
  }

  #metadataChunk(offset: number): number {
    if (offset >= HEADER_LIMIT) return DIRECTORY_CHUNK;
    const size = Math.min(this.#headerChunk, HEADER_LIMIT - offset);
    this.#headerChunk *= 2;
    return size;
  }

  #held(range: ByteRange): Uint8Array<ArrayBuffer> | undefined {
    for (const { offset, bytes } of this.#chunks) {
      const start = range.offset - offset;
      if (start >= 0 && start + range.length <= bytes.length) return bytes.subarray(start, start + range.length);
    }
    return undefined;
  }

  #enqueue(range: ByteRange, signal: AbortSignal | undefined): Promise<Uint8Array<ArrayBuffer>> {
    if (range.length === 0) return Promise.resolve(new Uint8Array(0));
    return new Promise((resolve, reject) => {
      // setImmediate, not a microtask: promise chains that are still running in this turn join the same batch.
      if (this.#pending.length === 0) setImmediate(() => this.#flush());
      this.#pending.push({ range, signal, resolve, reject });
    });
  }

  #flush(): void {
    const bySignal = Map.groupBy(this.#pending, ({ signal }) => signal);
    this.#pending = [];
    for (const [signal, group] of bySignal) void this.#readMerged(group, signal);
  }

  async #readMerged(group: readonly Pending[], signal: AbortSignal | undefined): Promise<void> {
    const merged = mergeRanges(group.map(({ range }) => range));
    try {
      const reads = await this.#reader.read(
        merged.map(({ offset, length }) => ({ offset, length })),
        signal,
      );
      for (const [index, { members, ...whole }] of merged.entries()) {
        const bytes = reads[index];
        if (bytes?.length !== whole.length) {
          throw new Error(
            `${this.name}: asked for ${whole.length} bytes at ${whole.offset}, got ${bytes?.length ?? 0}`,
          );
        }
        const read = { bytes, parts: members.length };
        for (const member of members) {
          const pending = group[member];
          if (pending === undefined) continue;
          const start = pending.range.offset - whole.offset;
          const part = bytes.subarray(start, start + pending.range.length);
          this.#reads.set(part, read);
          pending.resolve(part);
        }
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
