// Values between four neighbours, for pairs of pixels; see bilinear.ts.

import { patch } from './bilinear-holes';
import { BELOW, CONSTANT, PAIR, RIGHT, constant } from './bilinear-pairs';

/** The pixels of one band. */
export function interpolate(
  source: usize,
  stride: i32,
  left: i32,
  top: i32,
  pairs: usize,
  count: i32,
  target: usize,
): void {
  const under = source + ((<usize>stride) << 2);
  const one = constant(pairs - CONSTANT, 1);
  let sums = f64x2.splat(0);
  let to = target;
  let at = pairs;
  for (const end = pairs + <usize>(count >> 1) * PAIR; at < end; at += PAIR, to += 8) {
    const a = <usize>load<i32>(at);
    const b = <usize>load<i32>(at, 4);
    const tx = v128.load(at, RIGHT);
    const ty = v128.load(at, BELOW);
    const sx = f64x2.sub(one, tx);
    const u = along(source + a, source + b, sx, tx);
    const l = along(under + a, under + b, sx, tx);
    const values = f64x2.add(f64x2.mul(u, f64x2.sub(one, ty)), f64x2.mul(l, ty));
    sums = f64x2.add(sums, values);
    v128.store64_lane(to, f32x4.demote_f64x2_zero(values), 0);
  }
  if (count & 1) sums = f64x2.add(sums, f64x2.splat(single(source, under, at, to)));
  if (isOdd(sums)) patch(source, stride, left, top, pairs, count, target);
}

/** `interpolate` for two bands at once. */
export function interpolateTwo(
  source: usize,
  source2: usize,
  stride: i32,
  left: i32,
  top: i32,
  pairs: usize,
  count: i32,
  target: usize,
  target2: usize,
): void {
  const under = source + ((<usize>stride) << 2);
  const under2 = source2 + ((<usize>stride) << 2);
  const one = constant(pairs - CONSTANT, 1);
  let sums = f64x2.splat(0);
  let to = target;
  const apart = target2 - target;
  let at = pairs;
  for (const end = pairs + <usize>(count >> 1) * PAIR; at < end; at += PAIR, to += 8) {
    const a = <usize>load<i32>(at);
    const b = <usize>load<i32>(at, 4);
    const tx = v128.load(at, RIGHT);
    const ty = v128.load(at, BELOW);
    const sx = f64x2.sub(one, tx);
    const sy = f64x2.sub(one, ty);
    const u = along(source + a, source + b, sx, tx);
    const l = along(under + a, under + b, sx, tx);
    const values = f64x2.add(f64x2.mul(u, sy), f64x2.mul(l, ty));
    sums = f64x2.add(sums, values);
    v128.store64_lane(to, f32x4.demote_f64x2_zero(values), 0);
    const u2 = along(source2 + a, source2 + b, sx, tx);
    const l2 = along(under2 + a, under2 + b, sx, tx);
    const values2 = f64x2.add(f64x2.mul(u2, sy), f64x2.mul(l2, ty));
    sums = f64x2.add(sums, values2);
    v128.store64_lane(to + apart, f32x4.demote_f64x2_zero(values2), 0);
  }
  if (count & 1) {
    sums = f64x2.add(sums, f64x2.splat(single(source, under, at, to)));
    sums = f64x2.add(sums, f64x2.splat(single(source2, under2, at, to + apart)));
  }
  if (isOdd(sums)) {
    patch(source, stride, left, top, pairs, count, target);
    patch(source2, stride, left, top, pairs, count, target2);
  }
}

/** Whether a NaN was among what was added up; may say so of infinities. */
function isOdd(sums: v128): bool {
  return isNaN(f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1));
}

/** The first pixel of a pair alone. Returns its value. */
function single(source: usize, under: usize, pair: usize, target: usize): f64 {
  const index = <usize>load<i32>(pair);
  const tx = load<f64>(pair, RIGHT);
  const ty = load<f64>(pair, BELOW);
  const u = <f64>load<f32>(source + index) * (1 - tx) + <f64>load<f32>(source + index, 4) * tx;
  const l = <f64>load<f32>(under + index) * (1 - tx) + <f64>load<f32>(under + index, 4) * tx;
  const value = u * (1 - ty) + l * ty;
  store<f32>(target, <f32>value);
  return value;
}

/** Between two neighbours of each of two pixels, the left ones at `a` and `b`. */
function along(a: usize, b: usize, sx: v128, tx: v128): v128 {
  const p = f64x2.promote_low_f32x4(v128.load64_zero(a));
  const q = f64x2.promote_low_f32x4(v128.load64_zero(b));
  return f64x2.add(f64x2.mul(i64x2.shuffle(p, q, 0, 2), sx), f64x2.mul(i64x2.shuffle(p, q, 1, 3), tx));
}
