// The TIFF predictors, undone and applied row by row; see ../../source/predictor.ts and ../../cog/predictor.ts.

/** Undoes differences of 16-bit samples in place: rows of `rowSamples`, each sample's difference to the one `stride` before. */
export function undoDifferences16(at: usize, rows: i32, rowSamples: i32, stride: i32): void {
  const vectors = rowSamples >> 3;
  for (let row = 0; row < rows; row++) {
    const end = at + ((<usize>rowSamples) << 1);
    if (stride == 1) {
      let carry = i16x8.splat(0);
      for (let i = 0; i < vectors; i++, at += 16) {
        let v = v128.load(at);
        v = i16x8.add(
          v,
          i8x16.shuffle(i16x8.splat(0), v, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29),
        );
        v = i16x8.add(v, i8x16.shuffle(i16x8.splat(0), v, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
        v = i16x8.add(v, i8x16.shuffle(i16x8.splat(0), v, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));
        v = i16x8.add(v, carry);
        carry = i8x16.shuffle(v, v, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15);
        v128.store(at, v);
      }
      for (let sum = <u32>i16x8.extract_lane_u(carry, 0); at < end; at += 2) {
        sum += load<u16>(at);
        store<u16>(at, <u16>sum);
      }
    } else if (stride == 2) {
      let carry = i16x8.splat(0);
      for (let i = 0; i < vectors; i++, at += 16) {
        let v = v128.load(at);
        v = i16x8.add(v, i8x16.shuffle(i16x8.splat(0), v, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
        v = i16x8.add(v, i8x16.shuffle(i16x8.splat(0), v, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));
        v = i16x8.add(v, carry);
        carry = i8x16.shuffle(v, v, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15);
        v128.store(at, v);
      }
      at = restOf16(at, end, stride, end - ((<usize>rowSamples) << 1));
    } else if (stride == 4) {
      let carry = i16x8.splat(0);
      for (let i = 0; i < vectors; i++, at += 16) {
        let v = v128.load(at);
        v = i16x8.add(v, i8x16.shuffle(i16x8.splat(0), v, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));
        v = i16x8.add(v, carry);
        carry = i8x16.shuffle(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
        v128.store(at, v);
      }
      at = restOf16(at, end, stride, end - ((<usize>rowSamples) << 1));
    } else at = restOf16(at, end, stride, at);
  }
}

/** From `at` on; a row's first `stride` samples are what they are. */
function restOf16(at: usize, end: usize, stride: i32, rowStart: usize): usize {
  const back = (<usize>stride) << 1;
  if (at < rowStart + back) at = rowStart + back;
  for (; at < end; at += 2) store<u16>(at, load<u16>(at) + load<u16>(at - back));
  return end;
}

/** As `undoDifferences16` with samples of 8 bits. */
export function undoDifferences8(at: usize, rows: i32, rowSamples: i32, stride: i32): void {
  for (let row = 0; row < rows; row++) {
    const end = at + <usize>rowSamples;
    if (stride == 1) {
      accumulateBytes(at, rowSamples);
      at = end;
      continue;
    }
    for (at += <usize>stride; at < end; at++) store<u8>(at, load<u8>(at) + load<u8>(at - <usize>stride));
    at = end;
  }
}

/** As `undoDifferences16` with samples of 32 bits. */
export function undoDifferences32(at: usize, rows: i32, rowSamples: i32, stride: i32): void {
  const back = (<usize>stride) << 2;
  for (let row = 0; row < rows; row++) {
    const end = at + ((<usize>rowSamples) << 2);
    for (at += back; at < end; at += 4) store<u32>(at, load<u32>(at) + load<u32>(at - back));
    at = end;
  }
}

/** Each byte becomes the sum, modulo 256, of those up to it. */
function accumulateBytes(at: usize, count: i32): void {
  const end = at + <usize>count;
  let carry = i8x16.splat(0);
  for (let i = 0, n = count >> 4; i < n; i++, at += 16) {
    let v = v128.load(at);
    v = i8x16.add(v, i8x16.shuffle(i8x16.splat(0), v, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30));
    v = i8x16.add(v, i8x16.shuffle(i8x16.splat(0), v, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29));
    v = i8x16.add(v, i8x16.shuffle(i8x16.splat(0), v, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
    v = i8x16.add(v, i8x16.shuffle(i8x16.splat(0), v, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));
    v = i8x16.add(v, carry);
    carry = i8x16.shuffle(v, v, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
    v128.store(at, v);
  }
  for (let sum = <u32>i8x16.extract_lane_u(carry, 0); at < end; at++) {
    sum += load<u8>(at);
    store<u8>(at, <u8>sum);
  }
}

/**
 * Undoes the floating point predictor of float32 rows with one sample a pixel: byte planes, most significant first, each
 * byte its difference to the one before. `source` is summed in place; floats, little-endian, go to `target`.
 */
export function joinFloats32(source: usize, target: usize, rows: i32, columns: i32): void {
  const n = <usize>columns;
  for (let row = 0; row < rows; row++) {
    accumulateBytes(source, columns << 2);
    const end = target + (n << 2);
    let at = source;
    for (let i = 0, groups = columns >> 4; i < groups; i++, at += 16, target += 64) {
      const a = v128.load(at);
      const b = v128.load(at + n);
      const c = v128.load(at + 2 * n);
      const d = v128.load(at + 3 * n);
      const dcLow = i8x16.shuffle(d, c, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      const dcHigh = i8x16.shuffle(d, c, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
      const baLow = i8x16.shuffle(b, a, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      const baHigh = i8x16.shuffle(b, a, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
      v128.store(target, i8x16.shuffle(dcLow, baLow, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23));
      v128.store(target, i8x16.shuffle(dcLow, baLow, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31), 16);
      v128.store(target, i8x16.shuffle(dcHigh, baHigh, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23), 32);
      v128.store(
        target,
        i8x16.shuffle(dcHigh, baHigh, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31),
        48,
      );
    }
    for (; target < end; target += 4, at++) {
      const high = ((<u32>load<u8>(at)) << 24) | ((<u32>load<u8>(at + n)) << 16);
      store<u32>(target, high | ((<u32>load<u8>(at + 2 * n)) << 8) | <u32>load<u8>(at + 3 * n));
    }
    source += n << 2;
  }
}

/** The inverse of `joinFloats32`: rows of float32 become planes of bytes' differences. */
export function splitFloats32(source: usize, target: usize, rows: i32, columns: i32): void {
  const n = <usize>columns;
  for (let row = 0; row < rows; row++) {
    let at = target;
    const end = target + n;
    for (let i = 0, groups = columns >> 4; i < groups; i++, at += 16, source += 64) {
      const p = v128.load(source);
      const q = v128.load(source, 16);
      const r = v128.load(source, 32);
      const s = v128.load(source, 48);
      // Of 8 samples each: the two low bytes' planes side by side, then the two high bytes'.
      const lowPQ = i8x16.shuffle(p, q, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
      const highPQ = i8x16.shuffle(p, q, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
      const lowRS = i8x16.shuffle(r, s, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
      const highRS = i8x16.shuffle(r, s, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
      v128.store(at, i64x2.shuffle(highPQ, highRS, 1, 3));
      v128.store(at + n, i64x2.shuffle(highPQ, highRS, 0, 2));
      v128.store(at + 2 * n, i64x2.shuffle(lowPQ, lowRS, 1, 3));
      v128.store(at + 3 * n, i64x2.shuffle(lowPQ, lowRS, 0, 2));
    }
    for (; at < end; at++, source += 4) {
      store<u8>(at, load<u8>(source, 3));
      store<u8>(at + n, load<u8>(source, 2));
      store<u8>(at + 2 * n, load<u8>(source, 1));
      store<u8>(at + 3 * n, load<u8>(source));
    }
    differenceBytes(target, columns << 2);
    target += n << 2;
  }
}

/** The inverse of `accumulateBytes`: from the last byte backwards, so that in place is enough. */
function differenceBytes(start: usize, count: i32): void {
  let at = start + <usize>count;
  while (at > start + 16) {
    at -= 16;
    v128.store(at, i8x16.sub(v128.load(at), v128.load(at - 1)));
  }
  while (at > start + 1) {
    at--;
    store<u8>(at, load<u8>(at) - load<u8>(at - 1));
  }
}
