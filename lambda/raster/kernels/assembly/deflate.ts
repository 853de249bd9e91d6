// DEFLATE (RFC 1951) without a search: literals and runs of one byte, in blocks that have Huffman codes of their own.
// Noisy or differenced samples have little else to find.
import { alignBits, moveOutput, outputEnd, put, putStored, putSymbols } from './deflate-bits';
import { HEADER_BYTES, prepareHeader, putHeader } from './deflate-header';
import { RUNS_BYTES, SYMBOLS, chooseRuns, countBytes, findRuns, lengthSymbol } from './deflate-runs';
import { codeLengths, codewords } from './huffman';

/** Four words and seven bits that wait are at most 63 bits. */
const LONGEST_WORD: i32 = 14;
/** Bits of a distance in the fixed code. */
const FIXED_DISTANCE_BITS: u32 = 5;
/** The symbols of lengths that DEFLATE uses end here. */
const LENGTHS_END: i32 = 286;

/** Where in `work` things are. */
const COUNTS: usize = 16;
const WORDS: usize = COUNTS + (SYMBOLS << 2);
const RUN_WORDS: usize = WORDS + (SYMBOLS << 2);
const WORD_LENGTHS: usize = RUN_WORDS + 1040;
const HEADER: usize = WORD_LENGTHS + SYMBOLS;
/** Of each step in its turn; the choice of runs needs most. */
const ROOM: usize = HEADER + HEADER_BYTES;
const RUNS: usize = ROOM + RUNS_BYTES;

/**
 * Compresses a block in the smallest of three ways: with codes of its own, with the fixed codes, or stored.
 *
 * @param at the block, of at most 65,535 bytes; the byte before it is what comes before it in the data, or, where nothing
 *   does, another than its first one. 64 bytes behind it can be read.
 * @param last 1 where the data end with it, otherwise 0
 * @param out where its bytes go: at most 6 more than the block has, and another 8 may be written behind them
 * @param work 80 KB. Its first 16 bytes, zeros before the first block, hold the bits that wait for the next one; the rest is
 *   the kernel's own.
 * @returns where the bytes end
 */
export function deflateBlock(at: usize, length: i32, last: i32, out: usize, work: usize): usize {
  moveOutput(work, out);
  const counts = work + COUNTS;
  const lengths = work + WORD_LENGTHS;
  const runs = work + RUNS;
  countBytes(at, length, counts, work + ROOM);
  const end = chooseRuns(at, runs, findRuns(at, length, runs), counts, work + ROOM);
  const said = <u32>(end - runs) >> 2;
  const stored: u32 = ((5 - load<u32>(work, 8)) & 7) + 32 + ((<u32>length) << 3);
  fixedLengths(lengths);
  const fixed = codedBits(counts, lengths) + said * FIXED_DISTANCE_BITS;
  let own = u32.MAX_VALUE;
  // The end of a block is a code's only word where the block is empty.
  if (length > 0) {
    memory.fill(lengths, 0, SYMBOLS);
    codeLengths(counts, LENGTHS_END, LONGEST_WORD, lengths, work + ROOM);
    own = prepareHeader(lengths, work + HEADER) + codedBits(counts, lengths) + said;
  }
  if (stored < min<u32>(own, fixed)) {
    put(work, last, 3);
    putStored(work, at, length);
  } else {
    const isFixed = fixed <= own;
    put(work, last | (isFixed ? 2 : 4), 3);
    if (isFixed) fixedLengths(lengths);
    else putHeader(work, work + HEADER);
    codewords(lengths, <i32>SYMBOLS, work + WORDS, work + ROOM);
    if (said > 0) wordsOfRuns(work + WORDS, isFixed ? FIXED_DISTANCE_BITS : 1, work + RUN_WORDS);
    putSymbols(work, at, length, runs, end, work + WORDS, work + RUN_WORDS);
  }
  if (last) alignBits(work);
  return outputEnd(work);
}

/** The lengths of the fixed code's words (RFC 1951, section 3.2.6). */
function fixedLengths(lengths: usize): void {
  memory.fill(lengths, 8, SYMBOLS);
  memory.fill(lengths + 144, 9, 112);
  memory.fill(lengths + 256, 7, 24);
}

/** The bits of symbols in a code, and of what their lengths say besides. */
function codedBits(counts: usize, lengths: usize): u32 {
  let bits: u32 = 0;
  for (let symbol: usize = 0; symbol < SYMBOLS; symbol++) {
    bits += load<u32>(counts + (symbol << 2)) * load<u8>(lengths + symbol);
  }
  // Symbols of lengths that say no more are four, four and the last.
  for (let symbol: usize = 265; symbol < 285; symbol++) {
    bits += load<u32>(counts + (symbol << 2)) * (((<u32>symbol - 257) >> 2) - 1);
  }
  return bits;
}

/** Words of whole runs, by their length: the length's, what it says besides, and the distance of 1, whose bits are 0. */
function wordsOfRuns(words: usize, distanceBits: u32, runWords: usize): void {
  for (let length = 4; length <= 258; length++) {
    const symbol = lengthSymbol(length);
    const extra = <u32>symbol & 7;
    const word = load<u32>(words + ((<usize>(symbol >> 3)) << 2));
    const bits = (word >> 8) | (((<u32>length - 3) & ((1 << extra) - 1)) << (word & 255));
    store<u32>(runWords + ((<usize>length) << 2), (bits << 8) | ((word & 255) + extra + distanceBits));
  }
}
