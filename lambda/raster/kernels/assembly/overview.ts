// Halving of float32 pixels for overviews; see averageValidFours in ../../cog/overview-average.ts, whose order of adding it keeps.

/**
 * Rows of overview pixels, each the mean of those of two by two pixels that are neither NaN nor `nodata`.
 *
 * @param source 2 * rows rows of `stride` pixels (f32); up to 32 bytes behind them are read
 * @param out rows x columns (f32); up to 12 bytes behind them are written
 * @param nodata NaN where only NaN is missing. It stands where all four are missing
 * @param nudged what a mean that equals nodata is stored as
 */
export function halveFloats32(
  source: usize,
  stride: i32,
  columns: i32,
  rows: i32,
  out: usize,
  nodata: f64,
  nudged: f64,
): void {
  const missing = f32x4.splat(<f32>nodata);
  const beside = f32x4.splat(<f32>nudged);
  // The one NaN that is written.
  const hole = isNaN(nodata) ? i32x4.splat(0x7fc00000) : missing;
  const rowBytes = (<usize>stride) << 2;
  for (let row = 0; row < rows; row++) {
    let at = source;
    for (let column = 0; column < columns; column += 4, at += 32) {
      const p = v128.load(at);
      const q = v128.load(at, 16);
      const r = v128.load(at + rowBytes);
      const s = v128.load(at + rowBytes, 16);
      const a = i32x4.shuffle(p, q, 0, 2, 4, 6);
      const b = i32x4.shuffle(p, q, 1, 3, 5, 7);
      const c = i32x4.shuffle(r, s, 0, 2, 4, 6);
      const d = i32x4.shuffle(r, s, 1, 3, 5, 7);
      const va = v128.andnot(f32x4.eq(a, a), f32x4.eq(a, missing));
      const vb = v128.andnot(f32x4.eq(b, b), f32x4.eq(b, missing));
      const vc = v128.andnot(f32x4.eq(c, c), f32x4.eq(c, missing));
      const vd = v128.andnot(f32x4.eq(d, d), f32x4.eq(d, missing));
      const counts = i32x4.neg(i32x4.add(i32x4.add(va, vb), i32x4.add(vc, vd)));
      // Nothing added to -0 is -0: what does not count is 0 where a sum begins and -0 where it goes on.
      const left = v128.and(a, va);
      const right = v128.bitselect(b, f32x4.splat(-0.0), vb);
      const lowerLeft = v128.and(c, vc);
      const lowerRight = v128.bitselect(d, f32x4.splat(-0.0), vd);
      const first = meanOfPairs(left, right, lowerLeft, lowerRight, counts);
      const second = meanOfPairs(high(left), high(right), high(lowerLeft), high(lowerRight), high(counts));
      let mean = i64x2.shuffle(first, second, 0, 2);
      mean = v128.bitselect(beside, mean, f32x4.eq(mean, missing));
      v128.store(out + ((<usize>column) << 2), v128.bitselect(hole, mean, i32x4.eq(counts, i32x4.splat(0))));
    }
    source += 2 * rowBytes;
    out += (<usize>columns) << 2;
  }
}

/** The sums of the first two lanes over their counts, as two f32. */
function meanOfPairs(a: v128, b: v128, c: v128, d: v128, counts: v128): v128 {
  const upper = f64x2.add(f64x2.promote_low_f32x4(a), f64x2.promote_low_f32x4(b));
  const lower = f64x2.add(f64x2.promote_low_f32x4(c), f64x2.promote_low_f32x4(d));
  return f32x4.demote_f64x2_zero(f64x2.div(f64x2.add(upper, lower), f64x2.convert_low_i32x4_s(counts)));
}

/** The upper two lanes in place of the lower. */
function high(lanes: v128): v128 {
  return i64x2.shuffle(lanes, lanes, 1, 1);
}
