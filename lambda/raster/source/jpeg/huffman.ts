/* oxlint-disable typescript/no-unsafe-type-assertion --
   index reads that the loop's own bounds prove: `?? 0` in their place costs up to a third of the speed. */
import { CorruptBlockError } from '../corrupt-block.ts';

/** Codes up to this many bits are looked up at once. */
const FAST_BITS = 9;
const CODE_LIMIT = 16;

/** A Huffman table in the form that decoding wants (ITU-T T.81, annexes C and F.2.2.3). */
export interface HuffmanTable {
  /** By the next FAST_BITS bits: length << 8 | symbol; 0 where the code is longer. */
  readonly fast: Uint16Array;
  /** By code length: the largest code, -1 for none; and what turns a code into the index of its symbol. */
  readonly largest: Int32Array;
  readonly toIndex: Int32Array;
  readonly symbols: Uint8Array;
}

/**
 * @param counts how many codes there are of each length, 1 to 16 bits
 * @throws CorruptBlockError where the lengths make no prefix code
 */
export function huffmanTable(counts: Uint8Array, symbols: Uint8Array): HuffmanTable {
  const fast = new Uint16Array(1 << FAST_BITS);
  const largest = new Int32Array(CODE_LIMIT + 1).fill(-1);
  const toIndex = new Int32Array(CODE_LIMIT + 1);
  let code = 0;
  let index = 0;
  for (let length = 1; length <= CODE_LIMIT; length++) {
    const count = counts[length - 1] ?? 0;
    toIndex[length] = index - code;
    for (let i = 0; i < count; i++, code++, index++) {
      if (code >= 1 << length) throw new CorruptBlockError('has a JPEG Huffman table that is no prefix code');
      if (length > FAST_BITS) continue;
      const first = code << (FAST_BITS - length);
      fast.fill((length << 8) | (symbols[index] ?? 0), first, first + (1 << (FAST_BITS - length)));
    }
    if (count > 0) largest[length] = code - 1;
    code <<= 1;
  }
  return { fast, largest, toIndex, symbols };
}

/** Reads the bits of one entropy-coded segment, stuffed zeroes left out. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #at: number;
  #bits = 0;
  #held = 0;
  /** Bits made up after the segment's end: a code may be looked for there, but none may be taken. */
  #padding = 0;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** @throws CorruptBlockError for a code that is not in the table, or at the segment's end */
  symbol(table: HuffmanTable): number {
    if (this.#held < CODE_LIMIT) this.#fill();
    const entry = table.fast[(this.#bits >>> (this.#held - FAST_BITS)) & ((1 << FAST_BITS) - 1)] as number;
    if (entry !== 0) {
      this.#drop(entry >> 8);
      return entry & 255;
    }
    for (let length = FAST_BITS + 1; length <= CODE_LIMIT; length++) {
      const code = (this.#bits >>> (this.#held - length)) & ((1 << length) - 1);
      if (code > (table.largest[length] as number)) continue;
      this.#drop(length);
      return table.symbols[code + (table.toIndex[length] as number)] ?? 0;
    }
    throw new CorruptBlockError('uses a JPEG Huffman code that is not in its table');
  }

  /** A signed number of `size` bits, 1 to 15 (T.81, F.2.2.1: EXTEND). */
  signed(size: number): number {
    if (this.#held < size) this.#fill();
    const value = (this.#bits >>> (this.#held - size)) & ((1 << size) - 1);
    this.#drop(size);
    return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
  }

  /** Passes over restart marker `number`, and starts anew behind it. @throws CorruptBlockError where it is not there */
  restart(number: number): void {
    const at = this.end();
    if (this.#bytes[at + 1] !== 0xd0 + number) throw new CorruptBlockError('lacks a JPEG restart marker');
    this.#at = at + 2;
    this.#bits = 0;
    this.#held = 0;
    this.#padding = 0;
  }

  /** Where the marker begins that ends the segment. */
  end(): number {
    let at = this.#at;
    while (at < this.#bytes.length && !this.#isMarker(at)) at++;
    // Fill bytes may stand before a marker.
    while (this.#bytes[at + 1] === 0xff) at++;
    return at;
  }

  #isMarker(at: number): boolean {
    return this.#bytes[at] === 0xff && this.#bytes[at + 1] !== 0;
  }

  /** At least 17 bits, in 25 at most: they stay within what bit operators hold. */
  #fill(): void {
    while (this.#held <= CODE_LIMIT) {
      const ended = this.#at >= this.#bytes.length || this.#isMarker(this.#at);
      const byte = ended ? 0 : (this.#bytes[this.#at] as number);
      if (ended) this.#padding += 8;
      else this.#at += byte === 0xff ? 2 : 1;
      this.#bits = (this.#bits << 8) | byte;
      this.#held += 8;
    }
  }

  #drop(bits: number): void {
    this.#held -= bits;
    if (this.#held < this.#padding) throw new CorruptBlockError('ends inside its JPEG data');
  }
}
