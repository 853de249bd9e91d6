// Bilinear interpolation inside the source; see ../../warp/kernel-bilinear.ts.

import { BELOW, CONSTANT, PAIR, RIGHT, constant } from './bilinear-pairs';
import { interpolate, interpolateTwo } from './bilinear-values';

/**
 * Resamples `count` <= 4096 output pixels along a line for `bands` bands. `planes`: where each band's source and target stand
 * (2 x u32). Sources have rows of `stride` px that begin at column `left`, row `top` of the level; the line's first pixel goes
 * `offset` bytes into the targets.
 * `scratch`: 24 bytes a pixel and 64 more, on a boundary of 16.
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
  planes: usize,
  offset: usize,
  scratch: usize,
): void {
  const pairs = scratch + CONSTANT;
  place(x0, dx, ddx, y0, dy, ddy, first, count, left, top, stride, pairs);
  for (; bands > 1; bands -= 2, planes += 16) {
    const target = <usize>load<u32>(planes, 4) + offset;
    const target2 = <usize>load<u32>(planes, 12) + offset;
    interpolateTwo(load<u32>(planes), load<u32>(planes, 8), stride, left, top, pairs, count, target, target2);
  }
  if (bands > 0) interpolate(load<u32>(planes), stride, left, top, pairs, count, <usize>load<u32>(planes, 4) + offset);
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
  planes: usize,
  offset: usize,
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
      planes,
      offset + ((<usize>(row * targetStride)) << 2),
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

/** Fills in the pairs of a line. */
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
  pairs: usize,
): void {
  const half = constant(pairs - CONSTANT, 0.5);
  const two = constant(pairs - CONSTANT, 2);
  const strides = f64x2.splat(<f64>stride);
  const origin = f64x2.splat(INTEGERS - (<f64>top * <f64>stride + <f64>left));
  let k = f64x2(first, first + 1);
  for (let i = 0; i < count; i += 2) {
    const x = f64x2.sub(
      f64x2.add(f64x2.splat(x0), f64x2.mul(k, f64x2.add(f64x2.splat(dx), f64x2.mul(k, f64x2.splat(ddx))))),
      half,
    );
    const y = f64x2.sub(
      f64x2.add(f64x2.splat(y0), f64x2.mul(k, f64x2.add(f64x2.splat(dy), f64x2.mul(k, f64x2.splat(ddy))))),
      half,
    );
    const column = f64x2.floor(x);
    const row = f64x2.floor(y);
    const index = f64x2.add(f64x2.add(f64x2.mul(row, strides), column), origin);
    v128.store64_lane(pairs, i32x4.shl(i32x4.shuffle(index, index, 0, 2, 0, 2), 2), 0);
    v128.store(pairs, f64x2.sub(x, column), RIGHT);
    v128.store(pairs, f64x2.sub(y, row), BELOW);
    k = f64x2.add(k, two);
    pairs += PAIR;
  }
}

/** Beyond it a double's lower 32 bits are those of the integer that was added to it. */
const INTEGERS: f64 = 4503599627370496;
