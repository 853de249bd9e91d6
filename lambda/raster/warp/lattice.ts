import type { PixelRect, RasterSize } from '../types.ts';
import type { PixelMapping } from './pixel-mapping.ts';

/** Nine values at the corners, edge middles and centre of a rectangle, row by row from the top left. */
export type NineValues = readonly [number, number, number, number, number, number, number, number, number];

/**
 * A rectangle of the output inside which the source position is a quadratic function of the output position along
 * either axis. u and v are output columns and rows of its edges; x and y source positions, px.
 */
export interface LatticeCell {
  readonly u0: number;
  readonly v0: number;
  readonly u1: number;
  readonly v1: number;
  readonly x: NineValues;
  readonly y: NineValues;
  /** True: one pixel at a discontinuity or a domain's edge, for which the mapping itself is to be asked. */
  readonly exact: boolean;
}

/** Output pixels across a cell at first. */
export const LATTICE_STEP = 128;

/**
 * The error, source px, above which a cell is divided. It is taken at the centres of the cell's quarters, where what a
 * quadratic leaves of a smooth mapping is near its largest, and along both axes at once.
 */
const TOLERANCE_PX = 0.0005;

/**
 * The cells that cover a window of the output. Cells hang on the output grid, not on the window: a pixel is computed
 * from the same cell in whatever window it is asked for, so that windows meet without seams. Left out are cells wholly
 * outside the source or outside a projection's domain.
 */
export const latticeCells = (
  mapping: PixelMapping,
  out: RasterSize,
  rect: PixelRect,
  source: RasterSize,
): LatticeCell[] => {
  const cells: LatticeCell[] = [];
  const right = rect.x + rect.width;
  const bottom = rect.y + rect.height;
  const known = new Map<number, Point | null>();
  // Positions are asked for at quarters of a pixel, at the finest.
  const stride = 4 * (rect.width + 2 * LATTICE_STEP + 1);
  const at: PixelMapping['at'] = (u, v) => {
    const key = 4 * (v - rect.y + LATTICE_STEP) * stride + 4 * (u - rect.x + LATTICE_STEP);
    const found = known.get(key);
    if (found !== undefined) return found;
    const position = mapping.at(u, v);
    known.set(key, position);
    return position;
  };
  for (let v = rect.y - (rect.y % LATTICE_STEP); v < bottom; v += LATTICE_STEP) {
    for (let u = rect.x - (rect.x % LATTICE_STEP); u < right; u += LATTICE_STEP) {
      const bounds = {
        u0: u,
        v0: v,
        u1: Math.min(u + LATTICE_STEP, out.width),
        v1: Math.min(v + LATTICE_STEP, out.height),
      };
      divide(cells, { at, turn: mapping.turn }, source, bounds);
    }
  }
  return cells.filter(({ u0, v0, u1, v1 }) => u0 < right && u1 > rect.x && v0 < bottom && v1 > rect.y);
};

interface Point {
  readonly x: number;
  readonly y: number;
}
type Bounds = Pick<LatticeCell, 'u0' | 'v0' | 'u1' | 'v1'>;

const divide = (
  cells: LatticeCell[],
  mapping: Pick<PixelMapping, 'at' | 'turn'>,
  source: RasterSize,
  bounds: Bounds,
): void => {
  const { at, turn } = mapping;
  const { u0, v0, u1, v1 } = bounds;
  const nodes = NODES.map(([s, t]) => at(u0 + s * (u1 - u0), v0 + t * (v1 - v0)));
  const xs = nineValues(nodes, 'x');
  const ys = nineValues(nodes, 'y');
  if (xs !== null && ys !== null) {
    if (errorOf(at, bounds, xs, ys) <= TOLERANCE_PX) {
      if (touches(xs, ys, source, 2)) cells.push({ ...bounds, x: xs, y: ys, exact: false });
      return;
    }
    // Not divided where nothing of the source can be near; the margin is the cell's own span.
    if (!onSomeTurn(xs, turn).some((x) => touches(x, ys, source, Math.max(spanOf(x), spanOf(ys))))) return;
  } else if (nodes.every((node) => node === null) && !anyValid(at, bounds)) return;

  const width = u1 - u0;
  const height = v1 - v0;
  if (width <= 1 && height <= 1) {
    cells.push({ ...bounds, x: NOWHERE, y: NOWHERE, exact: true });
    return;
  }
  const um = width > 1 ? u0 + (width >> 1) : u1;
  const vm = height > 1 ? v0 + (height >> 1) : v1;
  divide(cells, mapping, source, { u0, v0, u1: um, v1: vm });
  if (um < u1) divide(cells, mapping, source, { u0: um, v0, u1, v1: vm });
  if (vm < v1) divide(cells, mapping, source, { u0, v0: vm, u1: um, v1 });
  if (um < u1 && vm < v1) divide(cells, mapping, source, { u0: um, v0: vm, u1, v1 });
};

const NODES = [0, 0.5, 1].flatMap((t) => [0, 0.5, 1].map((s) => [s, t] as const));
const QUARTERS = [0.25, 0.75].flatMap((t) => [0.25, 0.75].map((s) => [s, t] as const));
const NOWHERE: NineValues = [0, 0, 0, 0, 0, 0, 0, 0, 0];

const nineValues = (nodes: readonly (Point | null)[], axis: 'x' | 'y'): NineValues | null => {
  const [a, b, c, d, e, f, g, h, i] = nodes;
  if (!a || !b || !c || !d || !e || !f || !g || !h || !i) return null;
  return [a[axis], b[axis], c[axis], d[axis], e[axis], f[axis], g[axis], h[axis], i[axis]];
};

/** The quadratic through three values at 0, 1/2 and 1. */
export const quadratic = (first: number, middle: number, last: number, t: number): number =>
  first + t * (4 * middle - 3 * first - last + t * 2 * (first - 2 * middle + last));

/** The largest distance between exact and interpolated position, px; infinite where a position has no source. */
const errorOf = (at: PixelMapping['at'], { u0, v0, u1, v1 }: Bounds, xs: NineValues, ys: NineValues): number => {
  let error = 0;
  for (const [s, t] of QUARTERS) {
    const exact = at(u0 + s * (u1 - u0), v0 + t * (v1 - v0));
    if (exact === null) return Number.POSITIVE_INFINITY;
    error = Math.max(error, Math.abs(inside(xs, s, t) - exact.x), Math.abs(inside(ys, s, t) - exact.y));
  }
  return error;
};

const inside = ([a, b, c, d, e, f, g, h, i]: NineValues, s: number, t: number): number =>
  quadratic(quadratic(a, d, g, t), quadratic(b, e, h, t), quadratic(c, f, i, t), s);

/** A closer look at a cell of which nine positions have no source: a domain's edge may still bulge into it. */
const anyValid = (at: PixelMapping['at'], { u0, v0, u1, v1 }: Bounds): boolean =>
  [0, 0.25, 0.5, 0.75, 1].some((s) =>
    [0, 0.25, 0.5, 0.75, 1].some((t) => at(u0 + s * (u1 - u0), v0 + t * (v1 - v0)) !== null),
  );

/** A cell across the source's own seam, where x jumps by a turn around the Earth: the same without the jump, on each turn. */
const onSomeTurn = (xs: NineValues, turn: number | null): readonly NineValues[] => {
  if (turn === null || spanOf(xs) < turn / 2) return [xs];
  const [first] = xs;
  return [-turn, 0, turn].map((shift) => {
    const moved = (x: number): number => x + turn * Math.round((first - x) / turn) + shift;
    const [a, b, c, d, e, f, g, h, i] = xs;
    return [moved(a), moved(b), moved(c), moved(d), moved(e), moved(f), moved(g), moved(h), moved(i)];
  });
};

const spanOf = (values: NineValues): number => Math.max(...values) - Math.min(...values);

const touches = (xs: NineValues, ys: NineValues, source: RasterSize, margin: number): boolean =>
  Math.max(...xs) >= -margin &&
  Math.min(...xs) <= source.width + margin &&
  Math.max(...ys) >= -margin &&
  Math.min(...ys) <= source.height + margin;
