import type { PixelRect, RasterSize } from '../types.ts';
import type { SourceLine, SourceView } from './source-view.ts';

/**
 * A run of output pixels whose kernels lie wholly inside the source. Where they lie is worked out once for all bands, in
 * integers: together that is twice as fast as a loop that asks at every pixel and for every band.
 */
export interface RunPositions {
  /** Of the pixel up and left of each centre, in the array of pixels that was read. */
  readonly index: Int32Array;
  /** How far the centre lies right of and below that pixel's, px. */
  readonly right: Float64Array;
  readonly below: Float64Array;
}

/** How a kernel that knows its positions resamples `count` pixels of one band; NaN where there is no value. */
export type InteriorKernel = (
  view: SourceView,
  positions: RunPositions,
  count: number,
  out: Float32Array | Float64Array,
  offset: number,
) => void;

/** What of a kernel decides where its runs are interior. */
export interface KernelReach {
  /** From a pixel's centre to the position that is rounded down to its upper left neighbour, px. */
  readonly shift: number;
  /** Pixels that it needs left of and above that neighbour, and right of and below it. */
  readonly before: number;
  readonly after: number;
}

export const runPositions = (longest: number): RunPositions => ({
  index: new Int32Array(longest),
  right: new Float64Array(longest),
  below: new Float64Array(longest),
});

/** Whether every position of a run is so far inside the level that its kernel is. May say no where it just is. */
export const isInterior = (
  { width, height }: RasterSize,
  line: SourceLine,
  count: number,
  { shift, before, after }: KernelReach,
): boolean => {
  const { x0, dx, ddx, y0, dy, ddy, first } = line;
  return (
    within(x0 - shift, dx, ddx, first, count, before, width - after) &&
    within(y0 - shift, dy, ddy, first, count, before, height - after)
  );
};

/** Whether every position of a run is outside the level, where no kernel has a value. May say no where it just is. */
export const isOutside = ({ width, height }: RasterSize, line: SourceLine, count: number): boolean => {
  const { x0, dx, ddx, y0, dy, ddy, first } = line;
  return beyond(x0, dx, ddx, first, count, width) || beyond(y0, dy, ddy, first, count, height);
};

/** An edge's width, px: a centre that close to the level may count as on it. */
const EDGE_PX = 0.01;

const beyond = (origin: number, step: number, bend: number, first: number, count: number, size: number): boolean => {
  const [low, high] = boundsOf(origin, step, bend, first, count);
  return high < -EDGE_PX || low > size + EDGE_PX;
};

const within = (
  origin: number,
  step: number,
  bend: number,
  first: number,
  count: number,
  low: number,
  high: number,
): boolean => {
  const [least, most] = boundsOf(origin, step, bend, first, count);
  return least >= low && most < high;
};

/** A quadratic lies within its ends' values widened by its bend. */
const boundsOf = (
  origin: number,
  step: number,
  bend: number,
  first: number,
  count: number,
): readonly [least: number, most: number] => {
  const last = first + count - 1;
  const start = origin + first * (step + first * bend);
  const end = origin + last * (step + last * bend);
  const margin = Math.abs(bend) * count * count;
  return [Math.min(start, end) - margin, Math.max(start, end) + margin];
};

/** Fills in the positions of an interior run. */
export const placeRun = (
  rect: PixelRect,
  line: SourceLine,
  count: number,
  shift: number,
  { index, right, below }: RunPositions,
): void => {
  const { x0, dx, ddx, y0, dy, ddy, first } = line;
  const stride = rect.width;
  // Wraps around in large scenes, and back again where it is added to what has wrapped around as well.
  const base = -Math.imul(rect.y, stride) - rect.x;
  for (let i = 0; i < count; i++) {
    const k = first + i;
    const x = x0 + k * (dx + k * ddx) - shift;
    const y = y0 + k * (dy + k * ddy) - shift;
    const column = x | 0;
    const row = y | 0;
    index[i] = Math.imul(row, stride) + column + base;
    right[i] = x - column;
    below[i] = y - row;
  }
};

/** The position that `index`, `right` and `below` of one pixel stand for, with the kernel's shift undone, px of the level. */
export const positionOf = (
  { rect }: SourceView,
  index: number,
  right: number,
  below: number,
  shift: number,
): { x: number; y: number } => ({
  x: rect.x + (index % rect.width) + right + shift,
  y: rect.y + Math.floor(index / rect.width) + below + shift,
});
