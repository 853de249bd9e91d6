// Huffman codes whose lengths are limited, in DEFLATE's canonical order (RFC 1951, section 3.2.2).

/** Symbols a code may have. */
const MOST: usize = 288;

/** Bytes that `codeLengths` and `codewords` work in: two lists of symbols, 256 places of sorting, 16 counts of lengths. */
export const HUFFMAN_BYTES: usize = (2 * MOST + 256 + 16) << 2;

/**
 * The lengths of codewords that make symbols with these counts shortest. Where that needs longer ones than `limit`, a code
 * that is near the shortest within it.
 *
 * @param counts n x u32, below 65,536; two of them at least are not 0
 * @param lengths n x u8, to be filled: 0 where a symbol does not occur
 * @param room HUFFMAN_BYTES
 */
export function codeLengths(counts: usize, n: i32, limit: i32, lengths: usize, room: usize): void {
  const nodes = room + (MOST << 2);
  const places = nodes + (MOST << 2);
  const ofLength = places + (256 << 2);
  const used = sortByCount(counts, n, room, nodes, places);
  joinRarest(room, used, nodes);
  countLengths(nodes, used - 2, limit, ofLength);
  memory.fill(lengths, 0, <usize>n);
  // The rarest symbols come first, and get the longest codewords.
  let symbol = room;
  for (let length = limit; length > 0; length--) {
    for (let i = load<u32>(ofLength + ((<usize>length) << 2)); i > 0; i--, symbol += 4) {
      store<u8>(lengths + <usize>(load<u32>(symbol) & 511), <u8>length);
    }
  }
}

/** Symbols that occur, as count << 9 | symbol, into `sorted`, rarest first; how many. Sorts by the counts' low byte, then the high. */
function sortByCount(counts: usize, n: i32, sorted: usize, other: usize, places: usize): i32 {
  let used: usize = 0;
  for (let symbol = 0; symbol < n; symbol++) {
    const count = load<u32>(counts + ((<usize>symbol) << 2));
    store<u32>(sorted + (used << 2), (count << 9) | symbol);
    used += <usize>(count != 0);
  }
  sortByByte(sorted, used, 9, other, places);
  sortByByte(other, used, 17, sorted, places);
  return <i32>used;
}

function sortByByte(from: usize, n: usize, shift: u32, to: usize, places: usize): void {
  const end = from + (n << 2);
  memory.fill(places, 0, 256 << 2);
  for (let at = from; at < end; at += 4) {
    const place = places + (((<usize>load<u32>(at) >> shift) & 255) << 2);
    store<u32>(place, load<u32>(place) + 4);
  }
  let next = <u32>to;
  for (let place = places; place < places + (256 << 2); place += 4) {
    const bytes = load<u32>(place);
    store<u32>(place, next);
    next += bytes;
  }
  for (let at = from; at < end; at += 4) {
    const item = load<u32>(at);
    const place = places + (((<usize>item >> shift) & 255) << 2);
    const target = load<u32>(place);
    store<u32>(<usize>target, item);
    store<u32>(place, target + 4);
  }
}

/**
 * Huffman's tree: the two rarest become one, until one is left. Its n - 1 inner nodes go to `nodes` in the order in which
 * they are made, each its weight until it is joined, and then the node above it.
 */
function joinRarest(sorted: usize, n: i32, nodes: usize): void {
  let leaf = 0;
  let inner = 0;
  for (let made = 0; made < n - 1; made++) {
    let weight: u32 = 0;
    for (let child = 0; child < 2; child++) {
      const ofLeaf = leaf < n ? load<u32>(sorted + ((<usize>leaf) << 2)) >> 9 : u32.MAX_VALUE;
      const ofInner = inner < made ? load<u32>(nodes + ((<usize>inner) << 2)) : u32.MAX_VALUE;
      if (ofLeaf <= ofInner) {
        weight += ofLeaf;
        leaf++;
      } else {
        weight += ofInner;
        store<u32>(nodes + ((<usize>inner) << 2), made);
        inner++;
      }
    }
    store<u32>(nodes + ((<usize>made) << 2), weight);
  }
}

/**
 * How many leaves each depth has, the inner nodes taken from the root down: each makes of a leaf two that are one deeper.
 * Where the leaves would be too deep, it is the deepest leaf above the limit that is split instead, so that the code stays
 * complete.
 *
 * @param nodes become depths
 */
function countLengths(nodes: usize, root: i32, limit: i32, ofLength: usize): void {
  memory.fill(ofLength, 0, 16 << 2);
  store<u32>(ofLength, 2, 4);
  store<u32>(nodes + ((<usize>root) << 2), 0);
  for (let node = root - 1; node >= 0; node--) {
    const at = nodes + ((<usize>node) << 2);
    let depth = load<u32>(nodes + ((<usize>load<u32>(at)) << 2)) + 1;
    store<u32>(at, depth);
    if (depth >= <u32>limit) {
      depth = limit - 1;
      while (load<u32>(ofLength + ((<usize>depth) << 2)) == 0) depth--;
    }
    const leaves = ofLength + ((<usize>depth) << 2);
    store<u32>(leaves, load<u32>(leaves) - 1);
    store<u32>(leaves, load<u32>(leaves, 4) + 2, 4);
  }
}

/**
 * The canonical codewords of these lengths, up to 15.
 *
 * @param lengths n x u8
 * @param words n x u32, to be filled: the codeword, its first bit lowest, << 8 | its length
 * @param room HUFFMAN_BYTES
 */
export function codewords(lengths: usize, n: i32, words: usize, room: usize): void {
  memory.fill(room, 0, 16 << 2);
  for (let symbol = 0; symbol < n; symbol++) {
    const count = room + ((<usize>load<u8>(lengths + <usize>symbol)) << 2);
    store<u32>(count, load<u32>(count) + 1);
  }
  // Each length's count becomes its first codeword.
  let next: u32 = 0;
  let before: u32 = 0;
  for (let length: usize = 1; length < 16; length++) {
    next = (next + before) << 1;
    before = load<u32>(room + (length << 2));
    store<u32>(room + (length << 2), next);
  }
  for (let symbol = 0; symbol < n; symbol++) {
    const length = <u32>load<u8>(lengths + <usize>symbol);
    const place = room + ((<usize>length) << 2);
    const word = load<u32>(place);
    store<u32>(place, word + 1);
    store<u32>(words + ((<usize>symbol) << 2), length == 0 ? 0 : ((reversed16(word) >> (16 - length)) << 8) | length);
  }
}

function reversed16(word: u32): u32 {
  word = ((word >> 1) & 0x5555) | ((word & 0x5555) << 1);
  word = ((word >> 2) & 0x3333) | ((word & 0x3333) << 2);
  word = ((word >> 4) & 0x0f0f) | ((word & 0x0f0f) << 4);
  return (word >> 8) | ((word & 0xff) << 8);
}
