// Zstandard blocks (RFC 8878, section 3.1.1.2) of float32 after the floating point predictor: a row is four planes of
// bytes, of which the upper two are coded with Huffman's code and the lower two, noise in whatever was divided, stand as
// they are. Nothing is searched: such rows have no matches to find.
import { estimatedBits } from './entropy';
import { HUFFMAN_BYTES, codeLengths } from './huffman';
import { WEIGHTS_BYTES, putWeights } from './zstd-weights';

/** The longest word that Zstandard allows. */
const LONGEST_WORD: i32 = 11;
const BYTES: i32 = 256;
const COUNTS_BYTES: usize = 256 << 2;

/** What a block's header and that of its literals say. */
const RAW: u32 = 0;
const COMPRESSED: u32 = 2;
const OWN_CODE: u32 = 2;
const CODE_BEFORE: u32 = 3;
const FOUR_STREAMS_14_BITS: u32 = 2;

/** Symbols whose counts a code is made from, at most: counts have 16 bits. */
const MOST_COUNTED: i32 = 65_535;
/** Of so many rows one is looked at, to see whether the lower planes are noise. */
const LOOKED_AT: i32 = 4;
/** Bits a byte above which they are. */
const NOISE: f32 = 7.75;
/** Quarters of bits a byte below which the upper planes have long runs, which a search finds. */
const SPARSE: u32 = 5;

/** Where in `work` things are. */
const COUNTS: usize = 0;
const LENGTHS: usize = COUNTS + COUNTS_BYTES;
const WEIGHTS: usize = LENGTHS + 256;
const WORDS: usize = WEIGHTS + 256;
const BITS: usize = WORDS + COUNTS_BYTES;
/** A code's description, and what is written behind it. */
const CODE: usize = BITS + 16;
/** Of each step in its turn: four tables of counts, or what codes are made in. */
const ROOM: usize = CODE + 144;
export const ZSTD_BYTES: usize = ROOM + max<usize>(4 * COUNTS_BYTES, max<usize>(HUFFMAN_BYTES, WEIGHTS_BYTES));

/**
 * Writes rows as blocks, the last of them marked as the frame's last.
 *
 * @param at rows x 4 planes x columns bytes; columns 3 to 8,191
 * @param out where the blocks go: at most rows x (6 x columns + 32) + 160 bytes
 * @param work ZSTD_BYTES
 * @returns where they end; 0 where the rows are not of this kind, and are better given to an encoder that searches
 */
export function zstdFloatRows(at: usize, rows: i32, columns: i32, out: usize, work: usize): usize {
  if (!isNoise(at, rows, columns, work)) return 0;
  const group = max(1, MOST_COUNTED / (2 * columns));
  const rowBytes = (<usize>columns) << 2;
  const upper = rowBytes >> 1;
  for (let row = 0; row < rows; row += group) {
    const end = min(row + group, rows);
    const first = at + <usize>row * rowBytes;
    countRows(first, end - row, rowBytes, upper, work + COUNTS, work + ROOM);
    const codeEnd = makeCode(<u32>(end - row) * <u32>upper, work);
    if (codeEnd == 0) return 0;
    for (let from = first, i = row; i < end; i++, from += rowBytes) {
      out = putLiterals(from, upper, out, i == row ? codeEnd : 0, work);
      out = putRaw(from + upper, upper, out, i == rows - 1 ? 1 : 0);
    }
  }
  return out;
}

function isNoise(at: usize, rows: i32, columns: i32, work: usize): bool {
  const lower = (<usize>columns) << 1;
  const looked = min((rows + LOOKED_AT - 1) / LOOKED_AT, max(1, MOST_COUNTED / (2 * columns)));
  const step = ((<usize>columns) << 2) * <usize>max(1, rows / looked);
  countRows(at + lower, looked, step, lower, work + COUNTS, work + ROOM);
  return estimatedBits(work + COUNTS, BYTES) >= NOISE * <f32>(<usize>looked * lower);
}

/** How often each byte occurs in `rows` pieces of `length` bytes, `step` bytes apart. */
function countRows(at: usize, rows: i32, step: usize, length: usize, counts: usize, room: usize): void {
  // Equal bytes beside each other would wait for each other's count in one table.
  memory.fill(room, 0, 4 * COUNTS_BYTES);
  for (; rows > 0; rows--, at += step) {
    const end = at + length;
    let byte = at;
    for (; byte + 4 <= end; byte += 4) {
      const four = load<u32>(byte);
      increment(room, four & 255);
      increment(room + COUNTS_BYTES, (four >> 8) & 255);
      increment(room + 2 * COUNTS_BYTES, (four >> 16) & 255);
      increment(room + 3 * COUNTS_BYTES, four >> 24);
    }
    for (; byte < end; byte++) increment(room, load<u8>(byte));
  }
  for (let i: usize = 0; i < COUNTS_BYTES; i += 16) {
    const two = i32x4.add(v128.load(room + i), v128.load(room + i + COUNTS_BYTES));
    const more = i32x4.add(v128.load(room + i + 2 * COUNTS_BYTES), v128.load(room + i + 3 * COUNTS_BYTES));
    v128.store(counts + i, i32x4.add(two, more));
  }
}

function increment(counts: usize, byte: u32): void {
  const at = counts + ((<usize>byte) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/**
 * Makes the code of what was counted: its words, and its description.
 *
 * @returns where the description ends; 0 where there is none, or the code says little with bits that are whole
 */
function makeCode(total: u32, work: usize): usize {
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

/** A block of literals alone, in four streams. @param codeEnd of the description that goes before them; 0: the code before */
function putLiterals(at: usize, length: usize, out: usize, codeEnd: usize, work: usize): usize {
  const literals = out + 3;
  const code = literals + 4;
  const described: usize = codeEnd == 0 ? 0 : codeEnd - (work + CODE);
  if (described > 0) memory.copy(code, work + CODE, described);
  const sizes = code + described;
  let target = sizes + 6;
  const part = (length + 3) >> 2;
  for (let stream: usize = 0; stream < 4; stream++) {
    const from = at + stream * part;
    const start = target;
    target = putBackwards(from, stream == 3 ? at + length : from + part, target, work + WORDS);
    if (stream < 3) store<u16>(sizes + (stream << 1), <u16>(target - start));
  }
  const kind = described > 0 ? OWN_CODE : CODE_BEFORE;
  const size = <u32>(target - code);
  // Rows that the group's code makes longer than they are.
  if (described == 0 && size >= <u32>length) return putRaw(at, length, out, 0);
  store<u32>(literals, kind | (FOUR_STREAMS_14_BITS << 2) | ((<u32>length) << 4) | (size << 18));
  // No sequences follow.
  store<u8>(target, 0);
  target++;
  putBlockHeader(out, COMPRESSED, <u32>(target - literals), 0);
  return target;
}

/** The words of bytes, from the last to the first, as Zstandard's streams are read. */
function putBackwards(start: usize, at: usize, target: usize, words: usize): usize {
  let bits: u64 = 0;
  let held: u64 = 0;
  for (; (at - start) & 3;) {
    at--;
    const word = <u64>load<u32>(words + ((<usize>load<u8>(at)) << 2));
    bits |= (word >> 8) << held;
    held += word & 255;
  }
  store<u64>(target, bits);
  target += <usize>(held >> 3);
  bits >>= held & 56;
  held &= 7;
  while (at > start) {
    at -= 4;
    const four = load<u32>(at);
    // Sums of words have sums of their bits' counts in their low bits, which are all that a shift looks at.
    const a = <u64>load<u32>(words + ((<usize>(four >> 24)) << 2));
    const b = <u64>load<u32>(words + ((<usize>(four >> 16) & 255) << 2));
    const c = <u64>load<u32>(words + ((<usize>(four >> 8) & 255) << 2));
    const d = <u64>load<u32>(words + ((<usize>four & 255) << 2));
    const two = a + b;
    bits |= ((a >> 8) | ((b >> 8) << a) | (((c >> 8) | ((d >> 8) << c)) << two)) << held;
    held += (two + c + d) & 63;
    store<u64>(target, bits);
    target += <usize>(held >> 3);
    bits >>= held & 56;
    held &= 7;
  }
  store<u8>(target, <u8>(bits | ((<u64>1) << held)));
  return target + 1;
}

function putRaw(at: usize, length: usize, out: usize, last: u32): usize {
  putBlockHeader(out, RAW, <u32>length, last);
  memory.copy(out + 3, at, length);
  return out + 3 + length;
}

function putBlockHeader(out: usize, kind: u32, size: u32, last: u32): void {
  const header = last | (kind << 1) | (size << 3);
  store<u16>(out, <u16>header);
  store<u8>(out + 2, <u8>(header >> 16));
}
