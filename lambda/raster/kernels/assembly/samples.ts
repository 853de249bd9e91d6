// Samples of a block, converted to a window's float32; see ../sample-kernels.ts.

/** The bits of the one NaN that is written. */
const NO_DATA: i32 = 0x7fc00000;

/** `rows` x `width` samples, `step` apart in a row and `fromRow` from row to row, to rows of floats `toRow` apart; nodata to NaN. */
export function convertUint8(
  source: usize,
  target: usize,
  rows: i32,
  width: i32,
  step: i32,
  fromRow: i32,
  nodata: i32,
  toRow: i32,
): void {
  convert<u8>(source, target, rows, width, step, fromRow, nodata, toRow);
}

/** As `convertUint8`. */
export function convertUint16(
  source: usize,
  target: usize,
  rows: i32,
  width: i32,
  step: i32,
  fromRow: i32,
  nodata: i32,
  toRow: i32,
): void {
  convert<u16>(source, target, rows, width, step, fromRow, nodata, toRow);
}

/** As `convertUint8`. */
export function convertInt16(
  source: usize,
  target: usize,
  rows: i32,
  width: i32,
  step: i32,
  fromRow: i32,
  nodata: i32,
  toRow: i32,
): void {
  convert<i16>(source, target, rows, width, step, fromRow, nodata, toRow);
}

function convert<T>(
  source: usize,
  target: usize,
  rows: i32,
  width: i32,
  step: i32,
  fromRow: i32,
  nodata: i32,
  toRow: i32,
): void {
  const lowest: i32 = isSigned<T>() ? -0x8000 : 0;
  const highest: i32 = sizeof<T>() === 1 ? 0xff : isSigned<T>() ? 0x7fff : 0xffff;
  const missing = i16x8.splat(<i16>nodata);
  // A nodata that no sample can have matches none.
  const any = i16x8.splat(nodata >= lowest && nodata <= highest ? -1 : 0);
  const gap = <usize>step * sizeof<T>();
  for (let row = 0; row < rows; row++) {
    let from = source + <usize>(row * fromRow) * sizeof<T>();
    const end = target + ((<usize>width) << 2);
    // The last vector's loads may pass the row's end where samples are interleaved, but not the block's: the scalar loop ends it.
    for (const last = end - 32 - step8(step); <isize>target <= <isize>last; target += 32, from += gap << 3) {
      const samples = sizeof<T>() === 1 ? gather8(from, step) : gather16(from, step);
      const holes = v128.and(i16x8.eq(samples, missing), any);
      const low = isSigned<T>() ? i32x4.extend_low_i16x8_s(samples) : i32x4.extend_low_i16x8_u(samples);
      const high = isSigned<T>() ? i32x4.extend_high_i16x8_s(samples) : i32x4.extend_high_i16x8_u(samples);
      store32(target, low, i32x4.extend_low_i16x8_s(holes));
      store32(target + 16, high, i32x4.extend_high_i16x8_s(holes));
    }
    for (; target < end; target += 4, from += gap) store1(target, <i32>load<T>(from), nodata);
    target += (<usize>(toRow - width)) << 2;
  }
}

/** As `convertUint16` for all of four interleaved samples at once: their targets are `plane` bytes apart. */
export function convertFourUint16(
  source: usize,
  target: usize,
  plane: usize,
  rows: i32,
  width: i32,
  fromRow: i32,
  nodata: i32,
): void {
  const missing = i16x8.splat(<i16>nodata);
  const any = i16x8.splat(nodata >= 0 && nodata <= 0xffff ? -1 : 0);
  for (let row = 0; row < rows; row++) {
    let from = source + <usize>(row * fromRow) * 2;
    const end = target + ((<usize>width) << 2);
    for (const last = end - 32; <isize>target <= <isize>last; target += 32, from += 64) {
      const p = v128.load(from);
      const q = v128.load(from, 16);
      const r = v128.load(from, 32);
      const s = v128.load(from, 48);
      const abPQ = i8x16.shuffle(p, q, 0, 1, 8, 9, 16, 17, 24, 25, 2, 3, 10, 11, 18, 19, 26, 27);
      const cdPQ = i8x16.shuffle(p, q, 4, 5, 12, 13, 20, 21, 28, 29, 6, 7, 14, 15, 22, 23, 30, 31);
      const abRS = i8x16.shuffle(r, s, 0, 1, 8, 9, 16, 17, 24, 25, 2, 3, 10, 11, 18, 19, 26, 27);
      const cdRS = i8x16.shuffle(r, s, 4, 5, 12, 13, 20, 21, 28, 29, 6, 7, 14, 15, 22, 23, 30, 31);
      store8(target, i64x2.shuffle(abPQ, abRS, 0, 2), missing, any);
      store8(target + plane, i64x2.shuffle(abPQ, abRS, 1, 3), missing, any);
      store8(target + 2 * plane, i64x2.shuffle(cdPQ, cdRS, 0, 2), missing, any);
      store8(target + 3 * plane, i64x2.shuffle(cdPQ, cdRS, 1, 3), missing, any);
    }
    for (; target < end; target += 4, from += 8) {
      store1(target, load<u16>(from), nodata);
      store1(target + plane, load<u16>(from, 2), nodata);
      store1(target + 2 * plane, load<u16>(from, 4), nodata);
      store1(target + 3 * plane, load<u16>(from, 6), nodata);
    }
  }
}

function store8(target: usize, samples: v128, missing: v128, any: v128): void {
  const holes = v128.and(i16x8.eq(samples, missing), any);
  store32(target, i32x4.extend_low_i16x8_u(samples), i32x4.extend_low_i16x8_s(holes));
  store32(target + 16, i32x4.extend_high_i16x8_u(samples), i32x4.extend_high_i16x8_s(holes));
}

/** Bytes of floats that are left to the scalar loop where samples are interleaved. */
function step8(step: i32): usize {
  return step === 1 ? 0 : 32;
}

/** Eight samples of 16 bits, `step` apart. */
function gather16(at: usize, step: i32): v128 {
  if (step === 1) return v128.load(at);
  if (step === 2) {
    return i8x16.shuffle(v128.load(at), v128.load(at, 16), 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29);
  }
  if (step === 4) {
    const low = i8x16.shuffle(v128.load(at), v128.load(at, 16), 0, 1, 8, 9, 16, 17, 24, 25, 0, 0, 0, 0, 0, 0, 0, 0);
    const high = i8x16.shuffle(
      v128.load(at, 32),
      v128.load(at, 48),
      0,
      1,
      8,
      9,
      16,
      17,
      24,
      25,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
    );
    return i64x2.shuffle(low, high, 0, 2);
  }
  const gap = (<usize>step) << 1;
  let v = i16x8.splat(0);
  v = v128.load16_lane(at, v, 0);
  v = v128.load16_lane(at + gap, v, 1);
  v = v128.load16_lane(at + 2 * gap, v, 2);
  v = v128.load16_lane(at + 3 * gap, v, 3);
  v = v128.load16_lane(at + 4 * gap, v, 4);
  v = v128.load16_lane(at + 5 * gap, v, 5);
  v = v128.load16_lane(at + 6 * gap, v, 6);
  return v128.load16_lane(at + 7 * gap, v, 7);
}

/** Eight samples of 8 bits, `step` apart, as 16 bits each. */
function gather8(at: usize, step: i32): v128 {
  if (step === 1) return v128.load8x8_u(at);
  const gap = <usize>step;
  let v = i8x16.splat(0);
  v = v128.load8_lane(at, v, 0);
  v = v128.load8_lane(at + gap, v, 1);
  v = v128.load8_lane(at + 2 * gap, v, 2);
  v = v128.load8_lane(at + 3 * gap, v, 3);
  v = v128.load8_lane(at + 4 * gap, v, 4);
  v = v128.load8_lane(at + 5 * gap, v, 5);
  v = v128.load8_lane(at + 6 * gap, v, 6);
  v = v128.load8_lane(at + 7 * gap, v, 7);
  return i16x8.extend_low_i8x16_u(v);
}

function store32(target: usize, samples: v128, holes: v128): void {
  v128.store(target, v128.bitselect(i32x4.splat(NO_DATA), f32x4.convert_i32x4_s(samples), holes));
}

function store1(target: usize, sample: i32, nodata: i32): void {
  store<f32>(target, sample === nodata ? f32.reinterpret_i32(NO_DATA) : <f32>sample);
}
