// Zstandard blocks (RFC 8878, section 3.1.1.2) of float32 after the floating point predictor: a row is four planes of
// bytes, of which the upper two are coded with Huffman's code and the lower two, noise in whatever was divided, stand as
// they are. Nothing is searched: such rows have no matches to find.
import { countRows } from './count-bytes';
import { estimatedBits } from './entropy';
import { BYTES, CODE, COUNTS, ROOM, WORDS, makeCode } from './zstd-code';

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

/**
 * Writes rows as blocks, the last of them marked as the frame's last.
 *
 * @param at rows x 4 planes x columns bytes; columns 3 to 8,191
 * @param out where the blocks go: at most 160 bytes more for each row, and as many again as a row has are written behind them
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
