// How a Zstandard frame says a Huffman code (RFC 8878, section 4.2.1): the weights of its symbols, themselves compressed
// with finite state entropy (section 4.1), whose states two streams of weights take in turn.
import { put } from './deflate-bits';

/** Weights are 0 to 11. */
const WEIGHTS: usize = 12;
/** The size of the table of states is 2 to this. */
const TABLE_LOG: u32 = 6;
const STATES: usize = 64;

/** Where in `room` things are. */
const COUNTS: usize = 0;
/** States that each weight has. */
const SHARES: usize = COUNTS + (WEIGHTS << 2);
/** What is added to a state to tell how many of its bits are written, and where the weight's states are found. */
const DELTA_BITS: usize = SHARES + (WEIGHTS << 2);
const DELTA_STATE: usize = DELTA_BITS + (WEIGHTS << 2);
const SPREAD: usize = DELTA_STATE + (WEIGHTS << 2);
const NEXT: usize = SPREAD + STATES;
const FIRST: usize = NEXT + (STATES << 1);
/** Bytes that `putWeights` works in. */
export const WEIGHTS_BYTES: usize = FIRST + (WEIGHTS << 2);

/** The longest that compressed weights can be said to be, bytes. */
const MOST_BYTES: usize = 127;

/**
 * Writes a code's description.
 *
 * @param weights n x u8 of the symbols before the last one that occurs, whose own is not said; n at least 2
 * @param out where it goes: at most 129 bytes, and another 8 may be written behind them
 * @param bits 16 bytes that are the caller's no longer
 * @param room WEIGHTS_BYTES
 * @returns where it ends; 0 where it cannot be said: one weight alone, or too many to fit
 */
export function putWeights(weights: usize, n: usize, out: usize, bits: usize, room: usize): usize {
  memory.fill(room, 0, WEIGHTS_BYTES);
  for (let i: usize = 0; i < n; i++) {
    const count = room + COUNTS + ((<usize>load<u8>(weights + i)) << 2);
    store<u32>(count, load<u32>(count) + 1);
  }
  if (!shareStates(room, <u32>n)) return 0;
  spreadStates(room);
  const start = out + 1;
  let end = putShares(room, start, bits);
  end = putStates(weights, n, end, bits, room);
  const length = end - start;
  if (length > MOST_BYTES) return 0;
  store<u8>(out, <u8>length);
  return end;
}

/** Shares out the states by count, one at least to each weight that occurs; the commonest makes up for the rounding. */
function shareStates(room: usize, total: u32): bool {
  let left = <i32>STATES;
  let commonest: usize = 0;
  let kinds = 0;
  for (let weight: usize = 0; weight < WEIGHTS; weight++) {
    const count = load<u32>(room + COUNTS + (weight << 2));
    if (count == 0) continue;
    kinds++;
    const share = max<u32>(1, (count * <u32>STATES + (total >> 1)) / total);
    store<u32>(room + SHARES + (weight << 2), share);
    left -= <i32>share;
    if (count > load<u32>(room + COUNTS + (commonest << 2))) commonest = weight;
  }
  if (kinds < 2) return false;
  const most = room + SHARES + (commonest << 2);
  const share = <i32>load<u32>(most) + left;
  // Cannot be with twelve weights of 64 states, where the commonest has a twelfth at least; said rather than trusted.
  if (share < 1) return false;
  store<u32>(most, <u32>share);
  return true;
}

/** Lays the weights' states over the table, and tells how each weight goes on from a state. */
function spreadStates(room: usize): void {
  const step = (STATES >> 1) + (STATES >> 3) + 3;
  let position: usize = 0;
  let first: u32 = 0;
  for (let weight: usize = 0; weight < WEIGHTS; weight++) {
    const share = load<u32>(room + SHARES + (weight << 2));
    store<u32>(room + FIRST + (weight << 2), first);
    if (share > 0) {
      const most = TABLE_LOG - (31 - clz(max<u32>(1, share - 1)));
      const bits = share == 1 ? TABLE_LOG : most;
      store<u32>(room + DELTA_BITS + (weight << 2), (bits << 16) - (share << bits));
      store<i32>(room + DELTA_STATE + (weight << 2), <i32>first - <i32>share);
    }
    first += share;
    for (let i: u32 = 0; i < share; i++) {
      store<u8>(room + SPREAD + position, <u8>weight);
      position = (position + step) & (STATES - 1);
    }
  }
  for (let state: usize = 0; state < STATES; state++) {
    const next = room + FIRST + ((<usize>load<u8>(room + SPREAD + state)) << 2);
    const place = load<u32>(next);
    store<u16>(room + NEXT + ((<usize>place) << 1), <u16>(STATES + state));
    store<u32>(next, place + 1);
  }
}

/** Writes the shares, each in as few bits as what is left of the states allows; returns where they end. */
function putShares(room: usize, out: usize, bits: usize): usize {
  startBits(bits, out);
  put(bits, TABLE_LOG - 5, 4);
  let left = <i32>STATES;
  let weight: usize = 0;
  while (left > 0) {
    const share = <i32>load<u32>(room + SHARES + (weight << 2));
    // 0 to left + 1 may be said; the lowest values take a bit less where their number is no power of two.
    const width = 32 - clz(left + 1);
    const short = (1 << width) - (left + 2);
    const value = share + 1;
    if (value < short) put(bits, <u32>value, <u32>width - 1);
    else put(bits, <u32>(value < 1 << (width - 1) ? value : value + short), <u32>width);
    left -= share;
    weight++;
    if (share > 0) continue;
    // How many more that do not occur follow, three at a time.
    let more: u32 = 0;
    while (weight < WEIGHTS && load<u32>(room + SHARES + (weight << 2)) == 0) {
      more++;
      weight++;
    }
    for (; more >= 3; more -= 3) put(bits, 3, 2);
    put(bits, more, 2);
  }
  return wholeBytes(bits);
}

/** Writes the weights, from the last to the first. */
function putStates(weights: usize, n: usize, out: usize, bits: usize, room: usize): usize {
  startBits(bits, out);
  // The first weight is the first stream's, the second the other's, and so on.
  let last = firstState(room, load<u8>(weights + n - 1));
  let other = firstState(room, load<u8>(weights + n - 2));
  for (let i = n - 2; i > 0; i--) {
    const weight = (<usize>load<u8>(weights + i - 1)) << 2;
    const count = (last + load<u32>(room + DELTA_BITS + weight)) >> 16;
    put(bits, last & ((1 << count) - 1), count);
    const state = stateAt(room, weight, last >> count);
    last = other;
    other = state;
  }
  put(bits, last & (<u32>STATES - 1), TABLE_LOG);
  put(bits, other & (<u32>STATES - 1), TABLE_LOG);
  put(bits, 1, 1);
  return wholeBytes(bits);
}

function firstState(room: usize, weight: u32): u32 {
  const at = (<usize>weight) << 2;
  const delta = load<u32>(room + DELTA_BITS + at);
  const count = (delta + (1 << 15)) >> 16;
  return stateAt(room, at, ((count << 16) - delta) >> count);
}

function stateAt(room: usize, weight: usize, place: u32): u32 {
  const index = <i32>place + load<i32>(room + DELTA_STATE + weight);
  return load<u16>(room + NEXT + ((<usize>index) << 1));
}

function startBits(bits: usize, out: usize): void {
  store<u64>(bits, 0);
  store<u32>(bits, 0, 8);
  store<u32>(bits, <u32>out, 12);
}

/** Ends with the byte that is begun; where that is. */
function wholeBytes(bits: usize): usize {
  const held = load<u32>(bits, 8);
  return <usize>load<u32>(bits, 12) + <usize>(held > 0);
}
