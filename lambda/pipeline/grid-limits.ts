import { TileonceError } from '../errors.ts';
import { MAX_WINDOW_PX, windowsAlong } from '../identity/grid.ts';
import type { RasterSize } from '../raster/types.ts';
import type { Pipeline } from './definition/pipeline.ts';

/** The most windows along an axis, asked for or needed: their edges stand in every message. */
export const MOST_WINDOWS_A_SIDE = 999;
/** The most windows of a scene: as many messages, claims, rows and objects. */
export const MOST_WINDOWS = 10_000;
/** The most blocks of a scene: their places and lengths are the mosaic's header, which a reader takes in whole. */
export const MOST_BLOCKS = 2 ** 24;

/**
 * Refuses a scene that is too large to be worked, by its size alone: nothing is laid out for it yet.
 *
 * @throws TileonceError that says how large it would be, and what to change.
 */
export const refuseTooLarge = (
  size: RasterSize,
  { tilePx, windows, grid, dstCrs }: Pick<Pipeline, 'tilePx' | 'windows' | 'grid' | 'dstCrs'>,
): void => {
  const [rows, columns] = countsOf(size, tilePx, windows);
  const blocks = Math.ceil(size.height / tilePx) * Math.ceil(size.width / tilePx);
  const tooManyWindows = areTooMany([rows, columns]);
  if (!tooManyWindows && blocks <= MOST_BLOCKS) return;

  const output = `the output would be ${size.width} x ${size.height} px`;
  if (!tooManyWindows) {
    throw new TileonceError(`${output}, in ${blocks} blocks of ${tilePx} px, and a scene may have ${MOST_BLOCKS}`, {
      remedy: 'set a larger "tile_px"',
    });
  }
  const limits = `a scene may have ${MOST_WINDOWS}, and ${MOST_WINDOWS_A_SIDE} a side`;
  const needed = areTooMany(countsOf(size, tilePx, { rows: 1, columns: 1 }));
  throw new TileonceError(
    `${output}, in ${rows} x ${columns} windows of at most ${MAX_WINDOW_PX} x ${MAX_WINDOW_PX} px; ${limits}`,
    { remedy: needed ? smaller(grid, dstCrs) : 'ask for fewer windows in "grid"' },
  );
};

type Counts = readonly [rows: number, columns: number];

const countsOf = (size: RasterSize, tilePx: number, wanted: Pipeline['windows']): Counts => [
  windowsAlong(size.height, tilePx, wanted.rows),
  windowsAlong(size.width, tilePx, wanted.columns),
];

const areTooMany = ([rows, columns]: Counts): boolean =>
  Math.max(rows, columns) > MOST_WINDOWS_A_SIDE || rows * columns > MOST_WINDOWS;

/** What makes an output smaller. */
const smaller = (grid: Pipeline['grid'], dstCrs: string): string => {
  if (grid.kind === 'tms') return `set a lower "zoom" than ${grid.zoom}`;
  if (grid.kind !== 'suggested' && grid.resolution !== null) {
    const units = dstCrs === 'source' ? "the source's CRS" : dstCrs;
    return `set a coarser "resolution" than ${grid.resolution} (in units of ${units}), or a smaller "extent"`;
  }
  return 'set a coarser "resolution", a smaller "extent", or a "dst_crs" that suits the scene';
};
