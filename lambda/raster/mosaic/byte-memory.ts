/**
 * Memory for compressed blocks that goes from one to the next: made anew for each it would have garbage collected after
 * every few blocks. Lengths differ a little from block to block, so what is lent is part of something longer.
 */
export class ByteMemory {
  readonly #idle: ArrayBuffer[] = [];

  /** `length` bytes with whatever stands in them; their buffer begins with them. */
  take(length: number): Uint8Array<ArrayBuffer> {
    const at = this.#idle.findIndex(({ byteLength }) => byteLength >= length);
    const [found] = at === -1 ? [] : this.#idle.splice(at, 1);
    if (found !== undefined) return new Uint8Array(found, 0, length);
    // One that was too short is let go for it: the longest blocks that there are come to stay.
    this.#idle.pop();
    return new Uint8Array(length + (length >>> 3)).subarray(0, length);
  }

  /** Takes memory back that nobody reads any more. */
  give({ buffer }: Uint8Array<ArrayBuffer>): void {
    this.#idle.push(buffer);
  }
}
