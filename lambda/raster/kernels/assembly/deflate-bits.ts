// DEFLATE's bits, lowest first. Where they go is kept in 16 bytes at `out`: u64 of bits that wait for the rest of their
// byte, u32 of how many they are (0 to 7), u32 of the address of that byte.

/** Lets the bytes to come go elsewhere; bits that wait are kept. */
export function moveOutput(out: usize, at: usize): void {
  store<u32>(out, <u32>at, 12);
}

/** Where the bytes that are whole end. */
export function outputEnd(out: usize): usize {
  return <usize>load<u32>(out, 12);
}

/** Writes up to 32 bits. */
export function put(out: usize, value: u32, count: u32): void {
  const held = load<u32>(out, 8);
  const bits = load<u64>(out) | ((<u64>value) << held);
  const all = held + count;
  const at = load<u32>(out, 12);
  store<u64>(<usize>at, bits);
  store<u64>(out, bits >> (all & 0x78));
  store<u32>(out, all & 7, 8);
  store<u32>(out, at + (all >> 3), 12);
}

/** Writes zeros up to the next byte. */
export function alignBits(out: usize): void {
  put(out, 0, (8 - load<u32>(out, 8)) & 7);
}

/** As `put`, of bytes that are there. */
export function putStored(out: usize, at: usize, length: i32): void {
  alignBits(out);
  put(out, <u32>length | (~(<u32>length) << 16), 32);
  const target = load<u32>(out, 12);
  memory.copy(<usize>target, at, <usize>length);
  store<u32>(out, target + <u32>length, 12);
}

/**
 * Writes a block's symbols, the one at its end included.
 *
 * @param at the block; 4 bytes behind it can be read
 * @param runs to `runsEnd`: which bytes of it are said as runs, u32 each of position << 9 | length
 * @param words u32 each of bits << 8 | their count: of literals, of at most 14 bits, and of the block's end
 * @param runWords as `words`, of a whole run for each of its lengths
 */
export function putSymbols(
  out: usize,
  at: usize,
  length: i32,
  runs: usize,
  runsEnd: usize,
  words: usize,
  runWords: usize,
): void {
  let bits = load<u64>(out);
  let held: u64 = load<u32>(out, 8);
  let target = <usize>load<u32>(out, 12);
  const end = at + <usize>length;
  let literal = at;
  for (;;) {
    const run = runs < runsEnd ? load<u32>(runs) : 0;
    const literalsEnd = runs < runsEnd ? at + <usize>(run >> 9) : end;
    // Sums of words have sums of their bits' counts in their low bits, which are all that a shift looks at.
    for (; literal + 4 <= literalsEnd; literal += 4) {
      const a = <u64>load<u32>(words + ((<usize>load<u8>(literal)) << 2));
      const b = <u64>load<u32>(words + ((<usize>load<u8>(literal, 1)) << 2));
      const c = <u64>load<u32>(words + ((<usize>load<u8>(literal, 2)) << 2));
      const d = <u64>load<u32>(words + ((<usize>load<u8>(literal, 3)) << 2));
      const two = a + b;
      const four = two + c + d;
      bits |= ((a >> 8) | ((b >> 8) << a) | (((c >> 8) | ((d >> 8) << c)) << two)) << held;
      held += four & 63;
      store<u64>(target, bits);
      target += <usize>(held >> 3);
      bits >>= held & 56;
      held &= 7;
    }
    // None to three are left: words of nothing stand for those that are not.
    const left = <i32>(literalsEnd - literal);
    const bytes = load<u32>(literal);
    const a = <u64>select<u32>(load<u32>(words + ((<usize>bytes & 255) << 2)), 0, left > 0);
    const b = <u64>select<u32>(load<u32>(words + (((<usize>bytes >> 8) & 255) << 2)), 0, left > 1);
    const c = <u64>select<u32>(load<u32>(words + (((<usize>bytes >> 16) & 255) << 2)), 0, left > 2);
    const two = a + b;
    bits |= ((a >> 8) | ((b >> 8) << a) | ((c >> 8) << two)) << held;
    held += (two + c) & 63;
    store<u64>(target, bits);
    target += <usize>(held >> 3);
    bits >>= held & 56;
    held &= 7;
    const atEnd = runs == runsEnd;
    const word = <u64>load<u32>(atEnd ? words + (256 << 2) : runWords + ((<usize>run & 511) << 2));
    bits |= (word >> 8) << held;
    held += word & 63;
    store<u64>(target, bits);
    target += <usize>(held >> 3);
    bits >>= held & 56;
    held &= 7;
    if (atEnd) break;
    literal = literalsEnd + (<usize>run & 511);
    runs += 4;
  }
  store<u64>(out, bits);
  store<u32>(out, <u32>held, 8);
  store<u32>(out, <u32>target, 12);
}
