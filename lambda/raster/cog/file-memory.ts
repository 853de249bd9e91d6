import { pagedBuffer } from '../pixel-memory.ts';
import { FRAME_BYTES, frameBlock } from './layout.ts';

/** A file that grows in memory block by block, behind a header that is only known at the end. */
export class FileMemory {
  #bytes: Uint8Array<ArrayBuffer>;
  readonly #start: number;
  #end: number;

  /**
   * @param headerBytes what the header is expected to take
   * @param blockBytes what the blocks are expected to take: memory that is not written to is not the machine's yet
   */
  constructor(headerBytes: number, blockBytes: number) {
    this.#bytes = new Uint8Array(pagedBuffer(headerBytes + blockBytes));
    this.#start = headerBytes;
    this.#end = headerBytes;
  }

  /** Copies a block, framed, behind those before. */
  append(block: Uint8Array<ArrayBuffer>): void {
    const end = this.#end + block.length + FRAME_BYTES;
    this.#reserve(end);
    frameBlock(block, this.#bytes.subarray(this.#end, end));
    this.#end = end;
  }

  /** The whole file. Nothing may be appended afterwards. */
  finish(header: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const end = this.#end - this.#start + header.length;
    this.#reserve(end);
    if (header.length !== this.#start) this.#bytes.copyWithin(header.length, this.#start, this.#end);
    this.#bytes.set(header);
    return this.#bytes.subarray(0, end);
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return;
    const more = new Uint8Array(Math.ceil(length * 1.25));
    more.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = more;
  }
}
