// The checksum at the end of zlib's format (RFC 1950, section 8.2).

const PRIME: u32 = 65_521;
/** Bytes before the sums need their remainder: as many as keep the second below 2^32, a multiple of 16. */
const CHUNK: usize = 5536;

/** Adler-32 of bytes that follow others whose checksum is `before`; 1 where none do. */
export function adler32(before: u32, at: usize, length: usize): u32 {
  let a = before & 0xffff;
  let b = before >> 16;
  const end = at + length;
  while (at + 16 <= end) {
    const vectors = min(end - at, CHUNK) >> 4;
    // b grows by a before each byte: 16 times a vector by what a is then, and by a byte as often as bytes follow it in it.
    let sums = i32x4.splat(0);
    let sumsBefore = i32x4.splat(0);
    let weighed = i32x4.splat(0);
    for (let i: usize = 0; i < vectors; i++, at += 16) {
      const v = v128.load(at);
      sumsBefore = i32x4.add(sumsBefore, sums);
      sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(v)));
      const low = i16x8.extmul_low_i8x16_u(v, i8x16(16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1));
      const high = i16x8.extmul_high_i8x16_u(v, i8x16(16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1));
      weighed = i32x4.add(weighed, i32x4.extadd_pairwise_i16x8_u(i16x8.add(low, high)));
    }
    b = (b + a * ((<u32>vectors) << 4) + (sumOf(sumsBefore) << 4) + sumOf(weighed)) % PRIME;
    a = (a + sumOf(sums)) % PRIME;
  }
  for (; at < end; at++) {
    a += load<u8>(at);
    b += a;
  }
  return ((b % PRIME) << 16) | (a % PRIME);
}

function sumOf(v: v128): u32 {
  return (
    <u32>i32x4.extract_lane(v, 0) +
    <u32>i32x4.extract_lane(v, 1) +
    <u32>i32x4.extract_lane(v, 2) +
    <u32>i32x4.extract_lane(v, 3)
  );
}
