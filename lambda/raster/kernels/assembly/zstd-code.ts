// The Huffman code of a Zstandard block's literals (RFC 8878, section 4.2.1), made from how often bytes occur.
import { COUNTS_BYTES, COUNTING_BYTES, increment } from './count-bytes';
import { HUFFMAN_BYTES, codeLengths } from './huffman';
import { WEIGHTS_BYTES, putWeights } from './zstd-weights';

/** The longest word that Zstandard allows. */
const LONGEST_WORD: i32 = 11;
export const BYTES: i32 = 256;

/** Quarters of bits a byte below which the upper planes have long runs, which a search finds. */
const SPARSE: u32 = 5;

/** Where in `work` things are. */
export const COUNTS: usize = 0;
const LENGTHS: usize = COUNTS + COUNTS_BYTES;
const WEIGHTS: usize = LENGTHS + 256;
export const WORDS: usize = WEIGHTS + 256;
const BITS: usize = WORDS + COUNTS_BYTES;
/** A code's description, and what is written behind it. */
export const CODE: usize = BITS + 16;
/** Of each step in its turn: four tables of counts, or what codes are made in. */
export const ROOM: usize = CODE + 144;
export const ZSTD_BYTES: usize = ROOM + max<usize>(COUNTING_BYTES, max<usize>(HUFFMAN_BYTES, WEIGHTS_BYTES));

/**
 * Makes the code of what was counted: its words, and its description.
 *
 * @returns where the description ends; 0 where there is none, or the code says little with bits that are whole
 */
export function makeCode(total: u32, work: usize): usize {
  const counts = work + COUNTS;
  let kinds = 0;
  let last = 0;
  for (let byte = 0; byte < BYTES; byte++) {
    if (load<u32>(counts + ((<usize>byte) << 2)) == 0) continue;
    kinds++;
    last = byte;
  }
  if (kinds < 2 || last < 2) return 0;
  const lengths = work + LENGTHS;
  codeLengths(counts, BYTES, LONGEST_WORD, lengths, work + ROOM);
  let longest: u32 = 0;
  let bits: u32 = 0;
  for (let byte: usize = 0; byte <= <usize>last; byte++) {
    const length = <u32>load<u8>(lengths + byte);
    longest = max(longest, length);
    bits += length * load<u32>(counts + (byte << 2));
  }
  if (bits << 2 < SPARSE * total) return 0;
  zstdWords(lengths, longest, work + WORDS, work + ROOM);
  for (let byte: usize = 0; byte < <usize>last; byte++) {
    const length = <u32>load<u8>(lengths + byte);
    store<u8>(work + WEIGHTS + byte, length == 0 ? 0 : <u8>(longest + 1 - length));
  }
  return putWeights(work + WEIGHTS, <usize>last, work + CODE, work + BITS, work + ROOM);
}

/**
 * Zstandard's canonical words (RFC 8878, section 4.2.1.3): the longest have the lowest values.
 *
 * @param words 256 x u32, to be filled: the word << 8 | its length
 */
function zstdWords(lengths: usize, longest: u32, words: usize, room: usize): void {
  memory.fill(room, 0, 16 << 2);
  for (let byte: usize = 0; byte < <usize>BYTES; byte++) increment(room, load<u8>(lengths + byte));
  let next: u32 = 0;
  for (let length = longest; length > 0; length--) {
    const place = room + ((<usize>length) << 2);
    const count = load<u32>(place);
    store<u32>(place, next);
    next = (next + count) >> 1;
  }
  for (let byte: usize = 0; byte < <usize>BYTES; byte++) {
    const length = <u32>load<u8>(lengths + byte);
    const place = room + ((<usize>length) << 2);
    const word = load<u32>(place);
    store<u32>(place, word + 1);
    store<u32>(words + (byte << 2), length == 0 ? 0 : (word << 8) | length);
  }
}
