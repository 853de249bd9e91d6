// Samples of a block, converted to a window's float32; see ../convert-samples.ts.

/** The one NaN that is written. */
const NO_DATA = f32.reinterpret_i32(0x7fc00000);

/** `rows` x `width` samples, `step` apart in a row and `fromRow` in a column, to rows of `width` floats. */
export function convertUint16(
  source: usize,
  target: usize,
  rows: i32,
  width: i32,
  step: i32,
  fromRow: i32,
  nodata: i32,
): void {
  const missing = i16x8.splat(<i16>nodata);
  // A nodata that no sample can have matches none.
  const any = i16x8.splat(nodata >= 0 && nodata <= 0xffff ? -1 : 0);
  const nan = i32x4.splat(0x7fc00000);
  for (let row = 0; row < rows; row++) {
    let from = source + ((<usize>(row * fromRow)) << 1);
    const end = target + ((<usize>width) << 2);
    if (step == 1) {
      for (const last = end - 32; <isize>target <= <isize>last; target += 32, from += 16) {
        const samples = v128.load(from);
        const holes = v128.and(i16x8.eq(samples, missing), any);
        const low = f32x4.convert_i32x4_u(i32x4.extend_low_i16x8_u(samples));
        const high = f32x4.convert_i32x4_u(i32x4.extend_high_i16x8_u(samples));
        v128.store(target, v128.bitselect(nan, low, i32x4.extend_low_i16x8_s(holes)));
        v128.store(target, v128.bitselect(nan, high, i32x4.extend_high_i16x8_s(holes)), 16);
      }
    }
    for (; target < end; target += 4, from += (<usize>step) << 1) {
      const sample = <i32>load<u16>(from);
      store<f32>(target, sample == nodata ? NO_DATA : <f32>sample);
    }
  }
}

/** As `convertUint16`. */
export function convertInt16(
  source: usize,
  target: usize,
  rows: i32,
  width: i32,
  step: i32,
  fromRow: i32,
  nodata: i32,
): void {
  const missing = i16x8.splat(<i16>nodata);
  const any = i16x8.splat(nodata >= -0x8000 && nodata <= 0x7fff ? -1 : 0);
  const nan = i32x4.splat(0x7fc00000);
  for (let row = 0; row < rows; row++) {
    let from = source + ((<usize>(row * fromRow)) << 1);
    const end = target + ((<usize>width) << 2);
    if (step == 1) {
      for (const last = end - 32; <isize>target <= <isize>last; target += 32, from += 16) {
        const samples = v128.load(from);
        const holes = v128.and(i16x8.eq(samples, missing), any);
        const low = f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(samples));
        const high = f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(samples));
        v128.store(target, v128.bitselect(nan, low, i32x4.extend_low_i16x8_s(holes)));
        v128.store(target, v128.bitselect(nan, high, i32x4.extend_high_i16x8_s(holes)), 16);
      }
    }
    for (; target < end; target += 4, from += (<usize>step) << 1) {
      const sample = <i32>load<i16>(from);
      store<f32>(target, sample == nodata ? NO_DATA : <f32>sample);
    }
  }
}

/** As `convertUint16`. */
export function convertUint8(
  source: usize,
  target: usize,
  rows: i32,
  width: i32,
  step: i32,
  fromRow: i32,
  nodata: i32,
): void {
  const missing = i16x8.splat(<i16>nodata);
  const any = i16x8.splat(nodata >= 0 && nodata <= 0xff ? -1 : 0);
  const nan = i32x4.splat(0x7fc00000);
  for (let row = 0; row < rows; row++) {
    let from = source + <usize>(row * fromRow);
    const end = target + ((<usize>width) << 2);
    if (step == 1) {
      for (const last = end - 32; <isize>target <= <isize>last; target += 32, from += 8) {
        const samples = v128.load8x8_u(from);
        const holes = v128.and(i16x8.eq(samples, missing), any);
        const low = f32x4.convert_i32x4_u(i32x4.extend_low_i16x8_u(samples));
        const high = f32x4.convert_i32x4_u(i32x4.extend_high_i16x8_u(samples));
        v128.store(target, v128.bitselect(nan, low, i32x4.extend_low_i16x8_s(holes)));
        v128.store(target, v128.bitselect(nan, high, i32x4.extend_high_i16x8_s(holes)), 16);
      }
    }
    for (; target < end; target += 4, from += <usize>step) {
      const sample = <i32>load<u8>(from);
      store<f32>(target, sample == nodata ? NO_DATA : <f32>sample);
    }
  }
}
