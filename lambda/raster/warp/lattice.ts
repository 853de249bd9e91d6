import type { PixelRect, RasterSize } from '../types.ts';
import type { PixelMapping } from './pixel-mapping.ts';

/**
 * A rectangle of the output inside which the source position is a bilinear function of the output position.
 * u and v are output columns and rows of its edges; x and y source positions at its corners, px.
 */
export interface LatticeCell {
  readonly u0: number;
  readonly v0: number;
  readonly u1: number;
  readonly v1: number;
  /** Top left, top right, bottom left, bottom right. */
  readonly x: readonly [number, number, number, number];
  readonly y: readonly [number, number, number, number];
  /** True: one pixel at a discontinuity or a domain's edge, for which the mapping itself is to be asked. */
  readonly exact: boolean;
}

/** Output pixels between exact positions at first. */
export const LATTICE_STEP = 128;

/**
 * The error, source px, above which a cell is halved; taken at the middles of its edges and at its centre. A nearest
 * pixel differs from the exact one at about twice the mean error of all pixels, so this keeps it below one in a thousand.
 */
const TOLERANCE_PX = 0.001;

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
  const known = new Map<number, { x: number; y: number } | null>();
  const stride = rect.width + 2 * LATTICE_STEP + 1;
  const at: PixelMapping['at'] = (u, v) => {
    // Halves are asked for too, at the middle of a pixel.
    const key = (v - rect.y + LATTICE_STEP) * 2 * stride * 2 + (u - rect.x + LATTICE_STEP) * 2;
    const found = known.get(key);
    if (found !== undefined) return found;
    const position = mapping.at(u, v);
    known.set(key, position);
    return position;
  };

  for (let v = rect.y - (rect.y % LATTICE_STEP); v < bottom; v += LATTICE_STEP) {
    for (let u = rect.x - (rect.x % LATTICE_STEP); u < right; u += LATTICE_STEP) {
      divide(cells, at, source, {
        u0: u,
        v0: v,
        u1: Math.min(u + LATTICE_STEP, out.width),
        v1: Math.min(v + LATTICE_STEP, out.height),
      });
    }
  }
  return cells.filter(({ u0, v0, u1, v1 }) => u0 < right && u1 > rect.x && v0 < bottom && v1 > rect.y);
};

type Bounds = Pick<LatticeCell, 'u0' | 'v0' | 'u1' | 'v1'>;

const divide = (cells: LatticeCell[], at: PixelMapping['at'], source: RasterSize, bounds: Bounds): void => {
  const { u0, v0, u1, v1 } = bounds;
  const found = probe(at, bounds);
  if (found.valid === 9) {
    if (found.error <= TOLERANCE_PX) {
      if (touches(found, source, 2)) pushCell(cells, at, bounds);
      return;
    }
    // Not refined where nothing of the source can be near; the margin is the cell's own span.
    if (!touches(found, source, Math.max(found.maxX - found.minX, found.maxY - found.minY))) return;
  } else if (found.valid === 0 && !anyValid(at, bounds)) return;

  const width = u1 - u0;
  const height = v1 - v0;
  if (width <= 1 && height <= 1) {
    cells.push({ ...bounds, x: [0, 0, 0, 0], y: [0, 0, 0, 0], exact: true });
    return;
  }
  const um = width > 1 ? u0 + (width >> 1) : u1;
  const vm = height > 1 ? v0 + (height >> 1) : v1;
  divide(cells, at, source, { u0, v0, u1: um, v1: vm });
  if (um < u1) divide(cells, at, source, { u0: um, v0, u1, v1: vm });
  if (vm < v1) divide(cells, at, source, { u0, v0: vm, u1: um, v1 });
  if (um < u1 && vm < v1) divide(cells, at, source, { u0: um, v0: vm, u1, v1 });
};

interface Probe {
  /** Of nine positions: corners, edge middles, centre. */
  readonly valid: number;
  /** Largest distance between exact and interpolated position, px. */
  readonly error: number;
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
}

const probe = (at: PixelMapping['at'], { u0, v0, u1, v1 }: Bounds): Probe => {
  const us = [u0, (u0 + u1) / 2, u1];
  const vs = [v0, (v0 + v1) / 2, v1];
  const positions = vs.flatMap((v) => us.map((u) => at(u, v))).filter((position) => position !== null);
  const xs = positions.map(({ x }) => x);
  const ys = positions.map(({ y }) => y);
  return {
    valid: positions.length,
    error: positions.length === 9 ? Math.max(bilinearError(xs), bilinearError(ys)) : Number.POSITIVE_INFINITY,
    minX: Math.min(...xs),
    minY: Math.min(...ys),
    maxX: Math.max(...xs),
    maxY: Math.max(...ys),
  };
};

/** Nine values in rows of three: how far the middle ones are from the mean of the corners beside them. */
const bilinearError = (values: readonly number[]): number => {
  const [a = 0, ab = 0, b = 0, ac = 0, m = 0, bd = 0, c = 0, cd = 0, d = 0] = values;
  return Math.max(
    Math.abs((a + b) / 2 - ab),
    Math.abs((a + c) / 2 - ac),
    Math.abs((b + d) / 2 - bd),
    Math.abs((c + d) / 2 - cd),
    Math.abs((a + b + c + d) / 4 - m),
  );
};

/** A closer look at a cell of which nine positions have no source: a domain's edge may still bulge into it. */
const anyValid = (at: PixelMapping['at'], { u0, v0, u1, v1 }: Bounds): boolean => {
  for (let i = 0; i <= 4; i++) {
    for (let j = 0; j <= 4; j++) {
      if (at(Math.round(u0 + ((u1 - u0) * i) / 4), Math.round(v0 + ((v1 - v0) * j) / 4)) !== null) return true;
    }
  }
  return false;
};

const touches = ({ minX, minY, maxX, maxY }: Probe, source: RasterSize, margin: number): boolean =>
  maxX >= -margin && minX <= source.width + margin && maxY >= -margin && minY <= source.height + margin;

const pushCell = (cells: LatticeCell[], at: PixelMapping['at'], bounds: Bounds): void => {
  const { u0, v0, u1, v1 } = bounds;
  const corners = [at(u0, v0), at(u1, v0), at(u0, v1), at(u1, v1)];
  const [a, b, c, d] = corners;
  if (!a || !b || !c || !d) return;
  cells.push({ ...bounds, x: [a.x, b.x, c.x, d.x], y: [a.y, b.y, c.y, d.y], exact: false });
};
