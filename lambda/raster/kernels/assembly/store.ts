// Values of an expression to stored float32 pixels, with their statistics; see ../../expression/quantize.ts.

/**
 * @param values n <= 4096 of them (f64); become the stored values, NaN where there is no data
 * @param pixels where the float32 pixels go, with `hole` where there is no data
 * @param nodata NaN where no value is nodata; a value equal to it is stored as `nudged`
 * @param statistics 5 x f64: count, min, max, mean, m2 (the sum of squared deviations from the mean)
 */
export function storeFloats(
  values: usize,
  n: i32,
  pixels: usize,
  nodata: f64,
  nudged: f64,
  hole: f64,
  statistics: usize,
): void {
  const missing = f64x2.splat(nodata);
  const beside = f64x2.splat(nudged);
  const holes = f32x4.demote_f64x2_zero(f64x2.splat(hole));
  // A hole of NaN is the one NaN that is written.
  const filler = isNaN(hole) ? i32x4.splat(0x7fc00000) : i32x4.shuffle(holes, holes, 0, 0, 0, 0);
  // By way of memory: a constant that is known is made anew in every turn of the loop.
  store<i64>(statistics, 0x7ff8000000000000);
  const nan = v128.load64_splat(statistics);
  let low = f64x2.splat(Infinity);
  let high = f64x2.splat(-Infinity);
  let sums = f64x2.splat(0);
  let counts = i64x2.splat(0);
  const pairs = (n + 1) >> 1;
  // An odd last value gets a NaN beside it, which counts for nothing.
  if (n & 1) store<f64>(values + ((<usize>n) << 3), f64.reinterpret_i64(0x7ff8000000000000));
  for (let i = 0; i < pairs; i++) {
    const at = values + ((<usize>i) << 4);
    let stored = f64x2.promote_low_f32x4(f32x4.demote_f64x2_zero(v128.load(at)));
    stored = v128.bitselect(beside, stored, f64x2.eq(stored, missing));
    // Not so where it is not finite.
    const none = f64x2.sub(stored, stored);
    const valid = f64x2.eq(none, none);
    const counted = v128.and(stored, valid);
    sums = f64x2.add(sums, counted);
    counts = i64x2.sub(counts, valid);
    const kept = v128.bitselect(stored, nan, valid);
    // A NaN is neither less nor more.
    low = f64x2.pmin(low, kept);
    high = f64x2.pmax(high, kept);
    v128.store(at, kept);
    const narrow = f32x4.demote_f64x2_zero(stored);
    const mask = i32x4.shuffle(valid, valid, 0, 2, 0, 2);
    v128.store64_lane(pixels + ((<usize>i) << 3), v128.bitselect(narrow, filler, mask), 0);
  }
  const count = i64x2.extract_lane(counts, 0) + i64x2.extract_lane(counts, 1);
  const sum = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
  const mean = sum / <f64>count;
  const means = f64x2.splat(mean);
  let squares = f64x2.splat(0);
  for (let i = 0; i < pairs; i++) {
    const stored = v128.load(values + ((<usize>i) << 4));
    const deviation = v128.and(f64x2.sub(stored, means), f64x2.eq(stored, stored));
    squares = f64x2.add(squares, f64x2.mul(deviation, deviation));
  }
  store<f64>(statistics, <f64>count);
  store<f64>(statistics, min(f64x2.extract_lane(low, 0), f64x2.extract_lane(low, 1)), 8);
  store<f64>(statistics, max(f64x2.extract_lane(high, 0), f64x2.extract_lane(high, 1)), 16);
  store<f64>(statistics, mean, 24);
  store<f64>(statistics, f64x2.extract_lane(squares, 0) + f64x2.extract_lane(squares, 1), 32);
}

/** Whether any NaN among `count` float32 has other bits than the one that is written. */
export function hasOddNan32(at: usize, count: i32): bool {
  const end = at + ((<usize>count) << 2);
  while (at + 64 <= end) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    const nans = v128.or(v128.or(f32x4.ne(a, a), f32x4.ne(b, b)), v128.or(f32x4.ne(c, c), f32x4.ne(d, d)));
    if (v128.any_true(nans) && (isOdd(a) || isOdd(b) || isOdd(c) || isOdd(d))) return true;
    at += 64;
  }
  while (at + 16 <= end) {
    if (isOdd(v128.load(at))) return true;
    at += 16;
  }
  for (; at < end; at += 4) {
    const value = load<f32>(at);
    if (value != value && load<u32>(at) != 0x7fc00000) return true;
  }
  return false;
}

function isOdd(v: v128): bool {
  return v128.any_true(v128.andnot(f32x4.ne(v, v), i32x4.eq(v, i32x4.splat(0x7fc00000))));
}
