// Weighted means of float32 pixels for overviews of a source with an odd side; see averageWeighted in
// ../../cog/overview-average.ts, whose order of adding it keeps.

/**
 * Bytes of four columns' spans: their first pixels (i32), whether they have a second and a third (i32, 0 or -1), the weights
 * of the three (f64, 0 where there is none), and the sums of those (f64). weighted-kernels.ts has the same numbers.
 */
const FOUR_SPANS: usize = 176;
const WEIGHTS: usize = 48;
const SUMS: usize = 144;
/** Bytes of a row's span: its first line and how many they are (i32), and their weights (f64). */
const ROW_SPAN: usize = 32;

/**
 * Rows of overview pixels, each the mean of the valid ones among up to three by three pixels, weighted by column and row.
 *
 * @param source rows of `stride` pixels (f32); up to 12 bytes behind them are read
 * @param columnSpans those of `columns` columns, and as many more of any kind as make it a multiple of four
 * @param out rows x columns (f32); up to 12 bytes behind them are written
 * @param nodata NaN where only NaN is missing
 * @param nudged what a mean that equals nodata is stored as
 * @param hole what stands where no pixel is valid
 */
export function averageFloats32(
  source: usize,
  stride: i32,
  columnSpans: usize,
  columns: i32,
  rowSpans: usize,
  rows: i32,
  out: usize,
  nodata: f64,
  nudged: f64,
  hole: f64,
): void {
  const onlyNan = isNaN(nodata);
  const rowBytes = (<usize>stride) << 2;
  for (let row = 0; row < rows; row++, rowSpans += ROW_SPAN) {
    const top = source + <usize>load<i32>(rowSpans) * rowBytes;
    const bottom = top + <usize>load<i32>(rowSpans, 4) * rowBytes;
    let spans = columnSpans;
    for (let column = 0; column < columns; column += 4, spans += FOUR_SPANS) {
      const at = out + ((<usize>column) << 2);
      const wanted = onlyNan && isRegular(v128.load(spans));
      if (wanted && storeWhole(at, top, bottom, rowBytes, spans, rowSpans + 8)) continue;
      storeValid(at, top, bottom, rowBytes, spans, rowSpans + 8, <f32>nodata, <f32>nudged, <f32>hole);
    }
    out += (<usize>columns) << 2;
  }
}

/** True where each of four spans begins two pixels behind the one before. */
function isRegular(starts: v128): bool {
  const next = i32x4.add(i32x4.splat(i32x4.extract_lane(starts, 0)), i32x4(0, 2, 4, 6));
  return i32x4.all_true(i32x4.eq(starts, next));
}

/** Stores four means as if no pixel were missing, of spans that are regular; false, and nothing, where one is. */
function storeWhole(at: usize, top: usize, bottom: usize, rowBytes: usize, spans: usize, shares: usize): bool {
  const weights = spans + WEIGHTS;
  const sumsLow = v128.load(spans, SUMS);
  const sumsHigh = v128.load(spans, SUMS + 16);
  const left = (<usize>load<i32>(spans)) << 2;
  let totalLow = f64x2.splat(0);
  let totalHigh = f64x2.splat(0);
  let weightLow = f64x2.splat(0);
  let weightHigh = f64x2.splat(0);
  for (let line = top + left, end = bottom + left; line < end; line += rowBytes, shares += 8) {
    const p = v128.load(line);
    const q = v128.load(line, 16);
    const a = i32x4.shuffle(p, q, 0, 2, 4, 6);
    const b = i32x4.shuffle(p, q, 1, 3, 5, 7);
    const c = i32x4.shuffle(v128.load(line, 8), v128.load(line, 24), 0, 2, 4, 6);
    const share = v128.load64_splat(shares);
    totalLow = f64x2.add(totalLow, f64x2.mul(lineTotal(weights, a, b, c), share));
    totalHigh = f64x2.add(totalHigh, f64x2.mul(lineTotal(weights + 16, high(a), high(b), high(c)), share));
    weightLow = f64x2.add(weightLow, f64x2.mul(sumsLow, share));
    weightHigh = f64x2.add(weightHigh, f64x2.mul(sumsHigh, share));
  }
  const means = meansOf(totalLow, totalHigh, weightLow, weightHigh);
  if (!i32x4.all_true(f32x4.eq(means, means))) return false;
  v128.store(at, means);
  return true;
}

/** Stores four means of valid pixels, wherever their spans begin. */
function storeValid(
  at: usize,
  top: usize,
  bottom: usize,
  rowBytes: usize,
  spans: usize,
  shares: usize,
  nodata: f32,
  nudged: f32,
  hole: f32,
): void {
  const missing = f32x4.splat(nodata);
  const weights = spans + WEIGHTS;
  const starts = v128.load(spans);
  const second = v128.load(spans, 16);
  const third = v128.load(spans, 32);
  let totalLow = f64x2.splat(0);
  let totalHigh = f64x2.splat(0);
  let weightLow = f64x2.splat(0);
  let weightHigh = f64x2.splat(0);
  let any = i32x4.splat(0);
  for (let line = top; line < bottom; line += rowBytes, shares += 8) {
    const p = v128.load(line + ((<usize>i32x4.extract_lane(starts, 0)) << 2));
    const q = v128.load(line + ((<usize>i32x4.extract_lane(starts, 1)) << 2));
    const r = v128.load(line + ((<usize>i32x4.extract_lane(starts, 2)) << 2));
    const s = v128.load(line + ((<usize>i32x4.extract_lane(starts, 3)) << 2));
    const pq = i32x4.shuffle(p, q, 0, 4, 1, 5);
    const rs = i32x4.shuffle(r, s, 0, 4, 1, 5);
    const a = i64x2.shuffle(pq, rs, 0, 2);
    const b = i64x2.shuffle(pq, rs, 1, 3);
    const c = i64x2.shuffle(i32x4.shuffle(p, q, 2, 6, 3, 7), i32x4.shuffle(r, s, 2, 6, 3, 7), 0, 2);
    const va = v128.andnot(f32x4.eq(a, a), f32x4.eq(a, missing));
    const vb = v128.and(second, v128.andnot(f32x4.eq(b, b), f32x4.eq(b, missing)));
    const vc = v128.and(third, v128.andnot(f32x4.eq(c, c), f32x4.eq(c, missing)));
    any = v128.or(any, v128.or(va, v128.or(vb, vc)));
    // What does not count is 0.
    const left = v128.and(a, va);
    const middle = v128.and(b, vb);
    const right = v128.and(c, vc);
    const share = v128.load64_splat(shares);
    totalLow = f64x2.add(totalLow, f64x2.mul(lineTotal(weights, left, middle, right), share));
    totalHigh = f64x2.add(totalHigh, f64x2.mul(lineTotal(weights + 16, high(left), high(middle), high(right)), share));
    weightLow = f64x2.add(weightLow, f64x2.mul(lineWeight(weights, va, vb, vc), share));
    weightHigh = f64x2.add(weightHigh, f64x2.mul(lineWeight(weights + 16, high(va), high(vb), high(vc)), share));
  }
  let means = meansOf(totalLow, totalHigh, weightLow, weightHigh);
  means = v128.bitselect(f32x4.splat(nudged), means, f32x4.eq(means, missing));
  // The one NaN that is written.
  const none = isNaN(hole) ? i32x4.splat(0x7fc00000) : f32x4.splat(hole);
  v128.store(at, v128.bitselect(means, none, any));
}

function meansOf(totalLow: v128, totalHigh: v128, weightLow: v128, weightHigh: v128): v128 {
  const low = f32x4.demote_f64x2_zero(f64x2.div(totalLow, weightLow));
  return i64x2.shuffle(low, f32x4.demote_f64x2_zero(f64x2.div(totalHigh, weightHigh)), 0, 2);
}

/** The weighted sums of two columns' pixels, the lower two lanes of each vector. */
function lineTotal(weights: usize, a: v128, b: v128, c: v128): v128 {
  const first = f64x2.mul(f64x2.promote_low_f32x4(a), v128.load(weights));
  const two = f64x2.add(first, f64x2.mul(f64x2.promote_low_f32x4(b), v128.load(weights, 32)));
  return f64x2.add(two, f64x2.mul(f64x2.promote_low_f32x4(c), v128.load(weights, 64)));
}

/** The weights of two columns' valid pixels, the lower two lanes of each vector. */
function lineWeight(weights: usize, a: v128, b: v128, c: v128): v128 {
  const first = v128.and(v128.load(weights), i64x2.extend_low_i32x4_s(a));
  const two = f64x2.add(first, v128.and(v128.load(weights, 32), i64x2.extend_low_i32x4_s(b)));
  return f64x2.add(two, v128.and(v128.load(weights, 64), i64x2.extend_low_i32x4_s(c)));
}

/** The upper two lanes in place of the lower. */
function high(lanes: v128): v128 {
  return i64x2.shuffle(lanes, lanes, 1, 1);
}
