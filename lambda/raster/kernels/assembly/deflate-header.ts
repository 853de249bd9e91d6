// How a block of DEFLATE says its codes (RFC 1951, section 3.2.7): the lengths of their words, repeats shortened, in a code
// of its own.
import { put } from './deflate-bits';
import { HUFFMAN_BYTES, codeLengths, codewords } from './huffman';

/** Symbols of that code: lengths 0 to 15, the length before again, 3 to 10 zeros, 11 to 138 zeros. */
const KINDS: usize = 19;
const AGAIN: u32 = 16;
const ZEROS: u32 = 17;
const MORE_ZEROS: u32 = 18;
const LONGEST_WORD: i32 = 7;
/** Distances that are named. Only the first is used, but a code of one word is one that not every reader takes. */
const DISTANCES: usize = 2;

/** In `header`, behind how many symbols have lengths, how many lengths of its own code are named, and where the items end. */
const COUNTS: usize = 16;
const WORDS: usize = COUNTS + 80;
const LENGTHS: usize = WORDS + 80;
const ITEMS: usize = LENGTHS + 32;
const ROOM: usize = ITEMS + 1168;
/** Bytes that a header is prepared in. */
export const HEADER_BYTES: usize = ROOM + HUFFMAN_BYTES;

/**
 * Prepares a header.
 *
 * @param lengths of literals', the end's and lengths' words, 286 x u8, and two that are 0
 * @param header HEADER_BYTES, for `putHeader`
 * @returns its bits
 */
export function prepareHeader(lengths: usize, header: usize): u32 {
  let symbols: usize = 286;
  while (load<u8>(lengths + symbols - 1) == 0) symbols--;
  // The distances' lengths follow at once, and repeats may go on into them.
  store<u16>(lengths + symbols, 0x0101);
  const itemsEnd = listItems(lengths, lengths + symbols + DISTANCES, header);
  store<u16>(lengths + symbols, 0);
  codeLengths(header + COUNTS, <i32>KINDS, LONGEST_WORD, header + LENGTHS, header + ROOM);
  codewords(header + LENGTHS, <i32>KINDS, header + WORDS, header + ROOM);
  let named: usize = KINDS;
  while (load<u8>(header + LENGTHS + placeOf(named - 1)) == 0) named--;
  store<u32>(header, <u32>symbols);
  store<u32>(header, <u32>named, 4);
  store<u32>(header, <u32>itemsEnd, 8);
  let bits: u32 = 14 + 3 * <u32>named;
  for (let kind: usize = 0; kind < KINDS; kind++) {
    const word = <u32>load<u8>(header + LENGTHS + kind);
    bits += load<u32>(header + COUNTS + (kind << 2)) * (word + extraBits(<u32>kind));
  }
  return bits;
}

/** Writes a header that was prepared. */
export function putHeader(out: usize, header: usize): void {
  const named = <usize>load<u32>(header, 4);
  put(out, load<u32>(header) - 257, 5);
  put(out, <u32>DISTANCES - 1, 5);
  put(out, <u32>named - 4, 4);
  for (let i: usize = 0; i < named; i++) put(out, load<u8>(header + LENGTHS + placeOf(i)), 3);
  const end = <usize>load<u32>(header, 8);
  for (let item = header + ITEMS; item < end; item += 4) {
    const kind = <u32>load<u16>(item);
    const word = load<u32>(header + WORDS + ((<usize>kind) << 2));
    put(out, word >> 8, word & 255);
    put(out, load<u16>(item, 2), extraBits(kind));
  }
}

/** The lengths as symbols (u16) with what their extra bits say (u16), counted; where they end. */
function listItems(at: usize, end: usize, header: usize): usize {
  memory.fill(header + COUNTS, 0, KINDS << 2);
  let item = header + ITEMS;
  while (at < end) {
    const length = <u32>load<u8>(at);
    const start = at;
    while (at < end && load<u8>(at) == length) at++;
    let repeats = <u32>(at - start);
    if (length != 0) {
      item = addItem(item, length, 0, header);
      repeats--;
    }
    while (repeats >= 3) {
      const most: u32 = length != 0 ? 6 : 138;
      const said = min(repeats, most);
      if (length != 0) item = addItem(item, AGAIN, said - 3, header);
      else if (said < 11) item = addItem(item, ZEROS, said - 3, header);
      else item = addItem(item, MORE_ZEROS, said - 11, header);
      repeats -= said;
    }
    for (; repeats > 0; repeats--) item = addItem(item, length, 0, header);
  }
  return item;
}

function addItem(item: usize, kind: u32, extra: u32, header: usize): usize {
  store<u32>(item, kind | (extra << 16));
  const count = header + COUNTS + ((<usize>kind) << 2);
  store<u32>(count, load<u32>(count) + 1);
  return item + 4;
}

function extraBits(kind: u32): u32 {
  return kind < AGAIN ? 0 : kind == AGAIN ? 2 : kind == ZEROS ? 3 : 7;
}

/** The order in which the header names its own code's lengths: 16, 17, 18, 0, 8, 7, 9, 6, 10, 5 ... 1, 15. */
function placeOf(i: usize): usize {
  if (i < 4) return i == 3 ? 0 : 16 + i;
  return i & 1 ? 8 - ((i - 3) >> 1) : 8 + ((i - 4) >> 1);
}
