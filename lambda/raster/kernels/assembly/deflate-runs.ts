// What DEFLATE is to say of a block: which of its bytes are literals, and which repeat the byte before them.
import { COUNTS_BYTES, countRows, increment } from './count-bytes';
import { estimatedBits } from './entropy';

/** Runs are found from this length on, and are said in pieces of at most DEFLATE's longest match. */
const SHORTEST: i32 = 4;
const LONGEST: i32 = 258;
/** Symbols of literals, the end of a block and lengths; as many as the fixed code has. */
export const SYMBOLS: usize = 288;

/** Kinds of runs by length, and the symbols and bytes they are counted in. */
const KINDS: usize = 5;
const KIND_BYTES: usize = COUNTS_BYTES;
const COUNT_BYTES: usize = SYMBOLS << 2;
/** Bytes that `chooseRuns` works in; `countBytes` needs less. */
export const RUNS_BYTES: usize = KINDS * KIND_BYTES + 2 * COUNT_BYTES;

/** How often each symbol occurs where every byte is a literal. */
export function countBytes(at: usize, length: i32, counts: usize, room: usize): void {
  memory.fill(counts + COUNTS_BYTES, 0, COUNT_BYTES - COUNTS_BYTES);
  countRows(at, 1, 0, <usize>length, counts, room);
  store<u32>(counts, 1, 256 << 2);
}

/** Bit i: whether the byte at `at` + i is as the one before it. */
function repeats64(at: usize): u64 {
  return repeats16(at) | (repeats16(at + 16) << 16) | (repeats16(at + 32) << 32) | (repeats16(at + 48) << 48);
}

function repeats16(at: usize): u64 {
  return <u64>(<u32>i8x16.bitmask(i8x16.eq(v128.load(at), v128.load(at - 1))));
}

/**
 * Finds the runs of a block, each said as its position << 9 | its length.
 *
 * @param at the block; 1 byte before it and 64 behind it can be read
 * @param runs where they go, u32 each, at most a quarter as many as there are bytes
 * @returns where they end
 */
export function findRuns(at: usize, length: i32, runs: usize): usize {
  let position = 0;
  while (position < length) {
    const repeats = repeats64(at + <usize>position) & upTo(length - position);
    let starts = repeats & (repeats >> 1) & (repeats >> 2) & (repeats >> 3);
    // Runs that start in the last three bytes are not seen yet.
    let next = position + 61;
    while (starts != 0) {
      const start = <i32>ctz(starts);
      const count = <i32>ctz(~(repeats >> start));
      let end = position + start + count;
      if (start + count == 64) {
        for (let more = 64; more == 64; end += more) {
          const further = repeats64(at + <usize>end) & upTo(length - end);
          more = <i32>ctz(~further);
        }
        next = end;
        starts = 0;
      } else starts &= (<u64>-1) << (start + count);
      next = max(next, end);
      for (let from = position + start; end - from >= SHORTEST; runs += 4) {
        const said = min(end - from, LONGEST);
        store<u32>(runs, (from << 9) | said);
        from += said;
      }
    }
    position = next;
  }
  return runs;
}

/** The lowest `count` bits, all 64 where it is 64 or more. */
function upTo(count: i32): u64 {
  return count >= 64 ? <u64>-1 : ((<u64>1) << count) - 1;
}

/** The symbol of a length of 3 to 258 bytes, and below it how many bits more say which of the symbol's lengths. */
export function lengthSymbol(length: i32): i32 {
  if (length == LONGEST) return 285 << 3;
  const beyond = length - 3;
  const extra = 29 - clz(beyond | 4);
  return ((257 + (extra << 2) + (beyond >> extra)) << 3) | extra;
}

/**
 * Of the runs only those stay whose lengths are worth a symbol: shorter ones are literals where these are common. Which is
 * best is estimated for five shortest lengths, and for no runs at all.
 *
 * @param runs of the block `at`; those that stay are moved together
 * @param counts where every byte is a literal; become those with the runs that stay
 * @returns where the runs end
 */
export function chooseRuns(at: usize, runs: usize, end: usize, counts: usize, room: usize): usize {
  if (runs == end) return end;
  const lengths = room + KINDS * KIND_BYTES;
  const trial = lengths + COUNT_BYTES;
  memory.fill(room, 0, KINDS * KIND_BYTES + COUNT_BYTES);
  for (let run = runs; run < end; run += 4) {
    const length = load<u32>(run) & 511;
    const value = load<u8>(at + <usize>(load<u32>(run) >> 9));
    const counted = room + kindOf(length) * KIND_BYTES + ((<usize>value) << 2);
    store<u32>(counted, load<u32>(counted) + length);
    increment(lengths, length);
  }
  memory.copy(trial, counts, COUNT_BYTES);
  let least = estimatedBits(counts, SYMBOLS);
  let shortest = LONGEST + 1;
  let extraBits: u32 = 0;
  let length = LONGEST;
  for (let kind: usize = 0; kind < KINDS; kind++) {
    for (let i: usize = 0; i < KIND_BYTES; i += 16) {
      v128.store(trial + i, i32x4.sub(v128.load(trial + i), v128.load(room + kind * KIND_BYTES + i)));
    }
    for (; length >= SHORTEST && kindOf(length) == kind; length--) {
      const count = load<u32>(lengths + ((<usize>length) << 2));
      const symbol = lengthSymbol(length);
      const counted = trial + ((<usize>(symbol >> 3)) << 2);
      store<u32>(counted, load<u32>(counted) + count);
      extraBits += count * ((symbol & 7) + 1);
    }
    const bits = estimatedBits(trial, SYMBOLS) + <f32>extraBits;
    if (bits >= least) continue;
    least = bits;
    shortest = length + 1;
    memory.copy(counts, trial, COUNT_BYTES);
  }
  let kept = runs;
  for (let run = runs; run < end; run += 4) {
    const said = load<u32>(run);
    store<u32>(kept, said);
    kept += (<usize>(<i32>(said & 511) >= shortest)) << 2;
  }
  return kept;
}

/** 0 for the longest runs to 4 for the shortest. */
function kindOf(length: u32): usize {
  return <usize>(length < 20) + <usize>(length < 12) + <usize>(length < 8) + <usize>(length < 6);
}
