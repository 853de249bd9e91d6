// Bilinear interpolation inside the source; see ../../warp/kernel-bilinear.ts.

/** Room for one row's positions: index (i32), right and below (f64), each `MOST` long. */
const MOST: i32 = 4096;

/**
 * Resamples `count` <= MOST output pixels along a line for `bands` bands. Sources stand one after another, `sourceBytes`
 * apart, with rows of `stride` px that begin at column `left`, row `top` of the level; targets are `targetBytes` apart.
 * `scratch`: 20 * MOST bytes, on a boundary of 16.
 */
export function bilinearRun(
  x0: f64,
  dx: f64,
  ddx: f64,
  y0: f64,
  dy: f64,
  ddy: f64,
  first: f64,
  count: i32,
  left: i32,
  top: i32,
  stride: i32,
  bands: i32,
  source: usize,
  sourceBytes: usize,
  target: usize,
  targetBytes: usize,
  scratch: usize,
): void {
  const indices = scratch;
  const rights = scratch + ((<usize>MOST) << 2);
  const belows = rights + ((<usize>MOST) << 3);
  place(x0, dx, ddx, y0, dy, ddy, first, count, left, top, stride, indices, rights, belows);
  for (let band = 0; band < bands; band++) {
    interpolate(source, stride, indices, rights, belows, count, target);
    patch(source, stride, left, top, indices, rights, belows, count, target);
    source += sourceBytes;
    target += targetBytes;
  }
}

/**
 * `bilinearRun` for a rectangle of output pixels in one cell of the warp's lattice, all of whose kernels lie inside the source.
 * Targets' rows are `targetStride` px apart. `cell`: nine source columns of the cell's 3 x 3 nodes, nine rows, then its
 * first output column and row, the ones past its last, and the level's pixels per pixel at full resolution along both axes (f64).
 */
export function bilinearCell(
  cell: usize,
  x: i32,
  y: i32,
  width: i32,
  height: i32,
  targetStride: i32,
  left: i32,
  top: i32,
  stride: i32,
  bands: i32,
  source: usize,
  sourceBytes: usize,
  target: usize,
  targetBytes: usize,
  scratch: usize,
): void {
  const u0 = load<f64>(cell, 18 * 8);
  const v0 = load<f64>(cell, 19 * 8);
  const u1 = load<f64>(cell, 20 * 8);
  const v1 = load<f64>(cell, 21 * 8);
  const factorX = load<f64>(cell, 22 * 8);
  const factorY = load<f64>(cell, 23 * 8);
  const span = u1 - u0;
  for (let row = 0; row < height; row++) {
    const down = (<f64>(y + row) + 0.5 - v0) / (v1 - v0);
    const xl = alongColumn(cell, 0, down) * factorX;
    const xm = alongColumn(cell, 1, down) * factorX;
    const xr = alongColumn(cell, 2, down) * factorX;
    const yl = alongColumn(cell, 9, down) * factorY;
    const ym = alongColumn(cell, 10, down) * factorY;
    const yr = alongColumn(cell, 11, down) * factorY;
    bilinearRun(
      xl,
      (4 * xm - 3 * xl - xr) / span,
      (2 * (xl - 2 * xm + xr)) / (span * span),
      yl,
      (4 * ym - 3 * yl - yr) / span,
      (2 * (yl - 2 * ym + yr)) / (span * span),
      <f64>x - u0 + 0.5,
      width,
      left,
      top,
      stride,
      bands,
      source,
      sourceBytes,
      target + ((<usize>(row * targetStride)) << 2),
      targetBytes,
      scratch,
    );
  }
}

/** The quadratic through a column's three nodes; see `quadratic` in ../../warp/lattice.ts. */
function alongColumn(cell: usize, first: i32, t: f64): f64 {
  const at = cell + ((<usize>first) << 3);
  const a = load<f64>(at);
  const b = load<f64>(at, 3 * 8);
  const c = load<f64>(at, 6 * 8);
  return a + t * (4 * b - 3 * a - c + t * 2 * (a - 2 * b + c));
}

/** Where each centre's upper left neighbour stands (its byte offset in a source), and how far right of and below it the centre lies. */
function place(
  x0: f64,
  dx: f64,
  ddx: f64,
  y0: f64,
  dy: f64,
  ddy: f64,
  first: f64,
  count: i32,
  left: i32,
  top: i32,
  stride: i32,
  indices: usize,
  rights: usize,
  belows: usize,
): void {
  const half = f64x2.splat(0.5);
  const strides = i32x4.splat(stride);
  const lefts = i32x4.splat(left);
  const tops = i32x4.splat(top);
  let k = f64x2(first, first + 1);
  // A last odd pixel is worked out as a pair: there is room for one more.
  for (let i = 0; i < count; i += 2) {
    const x = f64x2.sub(
      f64x2.add(f64x2.splat(x0), f64x2.mul(k, f64x2.add(f64x2.splat(dx), f64x2.mul(k, f64x2.splat(ddx))))),
      half,
    );
    const y = f64x2.sub(
      f64x2.add(f64x2.splat(y0), f64x2.mul(k, f64x2.add(f64x2.splat(dy), f64x2.mul(k, f64x2.splat(ddy))))),
      half,
    );
    const column = i32x4.trunc_sat_f64x2_s_zero(x);
    const row = i32x4.trunc_sat_f64x2_s_zero(y);
    const index = i32x4.add(i32x4.mul(i32x4.sub(row, tops), strides), i32x4.sub(column, lefts));
    v128.store64_lane(indices + ((<usize>i) << 2), i32x4.shl(index, 2), 0);
    v128.store(rights + ((<usize>i) << 3), f64x2.sub(x, f64x2.convert_low_i32x4_s(column)));
    v128.store(belows + ((<usize>i) << 3), f64x2.sub(y, f64x2.convert_low_i32x4_s(row)));
    k = f64x2.add(k, f64x2.splat(2));
  }
}

function interpolate(
  source: usize,
  stride: i32,
  indices: usize,
  rights: usize,
  belows: usize,
  count: i32,
  target: usize,
): void {
  const one = f64x2.splat(1);
  const under = source + ((<usize>stride) << 2);
  const pairs = count >> 1;
  for (let i = 0; i < pairs; i++) {
    const a = <usize>load<i32>(indices);
    const b = <usize>load<i32>(indices, 4);
    const tx = v128.load(rights);
    const ty = v128.load(belows);
    const sx = f64x2.sub(one, tx);
    const sy = f64x2.sub(one, ty);
    const upper = v128.load64_lane(source + b, v128.load64_zero(source + a), 1);
    const lower = v128.load64_lane(under + b, v128.load64_zero(under + a), 1);
    const u = f64x2.add(
      f64x2.mul(f64x2.promote_low_f32x4(i32x4.shuffle(upper, upper, 0, 2, 1, 3)), sx),
      f64x2.mul(f64x2.promote_low_f32x4(i32x4.shuffle(upper, upper, 1, 3, 0, 2)), tx),
    );
    const l = f64x2.add(
      f64x2.mul(f64x2.promote_low_f32x4(i32x4.shuffle(lower, lower, 0, 2, 1, 3)), sx),
      f64x2.mul(f64x2.promote_low_f32x4(i32x4.shuffle(lower, lower, 1, 3, 0, 2)), tx),
    );
    v128.store64_lane(target, f32x4.demote_f64x2_zero(f64x2.add(f64x2.mul(u, sy), f64x2.mul(l, ty))), 0);
    indices += 8;
    rights += 16;
    belows += 16;
    target += 8;
  }
  if (count & 1) {
    const at = source + <usize>load<i32>(indices);
    const below = at + ((<usize>stride) << 2);
    const tx = load<f64>(rights);
    const ty = load<f64>(belows);
    const u = <f64>load<f32>(at) * (1 - tx) + <f64>load<f32>(at, 4) * tx;
    const l = <f64>load<f32>(below) * (1 - tx) + <f64>load<f32>(below, 4) * tx;
    store<f32>(target, <f32>(u * (1 - ty) + l * ty));
  }
}

/** GDAL's: a centre within this of the next pixel belongs to it. px */
const EDGE_EPSILON: f64 = 1e-10;

/** Works out the pixels that came out NaN: a neighbour without data, or the centre itself. */
function patch(
  source: usize,
  stride: i32,
  left: i32,
  top: i32,
  indices: usize,
  rights: usize,
  belows: usize,
  count: i32,
  target: usize,
): void {
  let i = 0;
  while (i < count) {
    if (i + 4 <= count) {
      const values = v128.load(target + ((<usize>i) << 2));
      if (i32x4.all_true(f32x4.eq(values, values))) {
        i += 4;
        continue;
      }
    }
    const end = min(i + 4, count);
    for (; i < end; i++) {
      const value = load<f32>(target + ((<usize>i) << 2));
      if (value == value) continue;
      const index = load<i32>(indices + ((<usize>i) << 2)) >> 2;
      const tx = load<f64>(rights + ((<usize>i) << 3));
      const ty = load<f64>(belows + ((<usize>i) << 3));
      store<f32>(target + ((<usize>i) << 2), around(source, stride, left, top, index, tx, ty));
    }
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
