// How often bytes occur.

/** Bytes of the counts of all 256, and those that counting works in. */
export const COUNTS_BYTES: usize = 256 << 2;
export const COUNTING_BYTES: usize = 4 * COUNTS_BYTES;

/**
 * How often each byte occurs in `rows` pieces of `length` bytes, `step` bytes apart.
 *
 * @param counts 256 x u32, to be filled
 * @param room COUNTING_BYTES
 */
export function countRows(at: usize, rows: i32, step: usize, length: usize, counts: usize, room: usize): void {
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

export function increment(counts: usize, byte: u32): void {
  const at = counts + ((<usize>byte) << 2);
  store<u32>(at, load<u32>(at) + 1);
}
