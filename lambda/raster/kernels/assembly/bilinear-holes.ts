// Bilinear values beside pixels without data; see bilinear.ts.

import { BELOW, PAIR, RIGHT } from './bilinear-pairs';

/** GDAL's: a centre within this of the next pixel belongs to it. px */
const EDGE_EPSILON: f64 = 1e-10;

/** Works out the pixels that came out NaN: a neighbour without data, or the centre itself. */
export function patch(source: usize, stride: i32, left: i32, top: i32, pairs: usize, count: i32, target: usize): void {
  for (let i = 0; i < count; i++, target += 4) {
    const value = load<f32>(target);
    if (value == value) continue;
    const lane = <usize>(i & 1);
    const pair = pairs + <usize>(i >> 1) * PAIR;
    const index = load<i32>(pair + (lane << 2)) >> 2;
    const tx = load<f64>(pair + (lane << 3), RIGHT);
    const ty = load<f64>(pair + (lane << 3), BELOW);
    store<f32>(target, around(source, stride, left, top, index, tx, ty));
  }
}

/** The mean of the neighbours that have data, by their weights; NaN where the pixel under the centre has none. */
function around(source: usize, stride: i32, left: i32, top: i32, index: i32, right: f64, below: f64): f32 {
  const nan = f32.reinterpret_i32(0x7fc00000);
  const centre = index + (right + 0.5 + EDGE_EPSILON >= 1 ? 1 : 0) + (below + 0.5 + EDGE_EPSILON >= 1 ? stride : 0);
  if (isNaN(valueAt(source, centre))) return nan;
  // By way of the position, whose rounding is that of the runs that are not inside the source.
  const x = <f64>(left + (index % stride)) + right + 0.5;
  const y = <f64>(top + index / stride) + below + 0.5;
  if (isNaN(valueAt(source, (<i32>floor(y + EDGE_EPSILON) - top) * stride + <i32>floor(x + EDGE_EPSILON) - left))) {
    return nan;
  }
  const column = floor(x - 0.5);
  const row = floor(y - 0.5);
  const tx = x - 0.5 - column;
  const ty = y - 0.5 - row;
  const at = (<i32>row - top) * stride + <i32>column - left;
  let sum: f64 = 0;
  let weights: f64 = 0;
  for (let j = 0; j < 2; j++) {
    for (let i = 0; i < 2; i++) {
      const weight = (i == 0 ? 1 - tx : tx) * (j == 0 ? 1 - ty : ty);
      // A weight of nothing may belong to a pixel beyond what was read.
      if (weight == 0) continue;
      const value = valueAt(source, at + j * stride + i);
      if (isNaN(value)) continue;
      sum += value * weight;
      weights += weight;
    }
  }
  return weights < 0.00001 ? nan : <f32>(sum / weights);
}

function valueAt(source: usize, index: i32): f64 {
  return <f64>load<f32>(source + ((<usize>index) << 2));
}
