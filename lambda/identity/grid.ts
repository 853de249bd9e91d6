import type { PixelRect, RasterSize } from '../raster/types.ts';

/** The most pixels a window may have on an axis; a larger scene gets more windows. */
export const MAX_WINDOW_PX = 4096;

/** A block narrower than this share of a block is no window's own: it joins its neighbour's. */
const SLIVER_SHARE = 1 / 16;

/** How a scene is cut into windows: edges in px, ascending, first 0, last the size. */
export interface WindowGrid {
  readonly rowEdges: readonly number[];
  readonly columnEdges: readonly number[];
}

/**
 * Edges of the windows along one axis (docs/design.md, section 3): they fall on multiples of `tilePx`, in units of the
 * largest power of two of blocks that still leaves `wanted` units and fits a window; edge i is floor(i x units / n).
 *
 * @param size px along the axis, > 0
 * @param tilePx block size, px
 * @param wanted windows asked for along the axis
 */
export const windowEdges = (size: number, tilePx: number, wanted: number): number[] => {
  const { unit, units, windows } = cutOf(size, tilePx, wanted);
  const edges: number[] = [];
  for (let i = 0; i < windows; i++) edges.push(Math.floor((i * units) / windows) * unit * tilePx);
  edges.push(size);
  return edges;
};

/** How many windows `windowEdges` makes, at no cost however many they are. */
export const windowsAlong = (size: number, tilePx: number, wanted: number): number =>
  cutOf(size, tilePx, wanted).windows;

/** Blocks to a unit, units along the axis, and windows. */
const cutOf = (
  size: number,
  tilePx: number,
  wanted: number,
): { readonly unit: number; readonly units: number; readonly windows: number } => {
  const remainder = size % tilePx;
  const whole = Math.floor(size / tilePx);
  const joinsNeighbour = whole > 0 && remainder < tilePx * SLIVER_SHARE;
  const blocks = Math.max(1, joinsNeighbour ? whole : whole + 1);

  let unit = 1;
  while (Math.ceil(blocks / (unit * 2)) >= wanted && unit * 2 * tilePx <= MAX_WINDOW_PX) unit *= 2;
  const units = Math.ceil(blocks / unit);

  const unitsPerWindow = Math.max(1, Math.floor(MAX_WINDOW_PX / (unit * tilePx)));
  return { unit, units, windows: Math.min(units, Math.max(wanted, Math.ceil(units / unitsPerWindow))) };
};

/** Cuts a scene of `size` into windows; `wanted` is rows x columns. */
export const windowGrid = (
  size: RasterSize,
  tilePx: number,
  wanted: { readonly rows: number; readonly columns: number },
): WindowGrid => ({
  rowEdges: windowEdges(size.height, tilePx, wanted.rows),
  columnEdges: windowEdges(size.width, tilePx, wanted.columns),
});

/** A window's place in its grid; row and column count from 0. */
export interface WindowIndex {
  readonly row: number;
  readonly column: number;
}

/** Number of windows. */
export const windowCount = (grid: WindowGrid): number => (grid.rowEdges.length - 1) * (grid.columnEdges.length - 1);

/** Every window, row by row. */
export function* windowsOf(grid: WindowGrid): Generator<WindowIndex> {
  for (let row = 0; row < grid.rowEdges.length - 1; row++) {
    for (let column = 0; column < grid.columnEdges.length - 1; column++) yield { row, column };
  }
}

const span = (edges: readonly number[], index: number): { start: number; length: number } => {
  const start = edges[index];
  const end = edges[index + 1];
  if (start === undefined || end === undefined) throw new RangeError(`no window ${index} among ${edges.length - 1}`);
  return { start, length: end - start };
};

/**
 * The pixels of a window in the output grid.
 *
 * @throws RangeError where the grid has no such window.
 */
export const windowRect = (grid: WindowGrid, window: WindowIndex): PixelRect => {
  const rows = span(grid.rowEdges, window.row);
  const columns = span(grid.columnEdges, window.column);
  return { x: columns.start, y: rows.start, width: columns.length, height: rows.length };
};
