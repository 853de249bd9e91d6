import { TileonceError } from '../../errors.ts';
import type { Crs, RasterGrid } from '../types.ts';
import type { Extent } from './geotransform.ts';

/** Rounding of coordinates in the millions must not add a row: an edge within this of a multiple is on it. Pixels. */
const ON_GRID_PX = 1e-6;

/** A grid of square pixels over an extent; the left and top edges stay, the others move to whole pixels (gdalwarp -te -tr). */
export const gridFromExtent = (crs: Crs, [minX, minY, maxX, maxY]: Extent, resolution: number): RasterGrid => {
  const width = Math.trunc((maxX - minX) / resolution + 0.5);
  const height = Math.trunc((maxY - minY) / resolution + 0.5);
  return { crs, width, height, geotransform: [minX, resolution, 0, maxY, 0, -resolution] };
};

/** A grid whose edges are the extent's, moved outward to multiples of the resolution (gdalwarp -tap): neighbours stack. */
export const snapGrid = (crs: Crs, extent: Extent, resolution: number): RasterGrid =>
  gridFromExtent(crs, outward(extent, resolution, 0, 0), resolution);

/** Half the equator of the sphere of Web Mercator, m. */
const MERCATOR_HALF = Math.PI * 6378137;

/**
 * The pixel grid of a zoom level of the WebMercatorQuad tile matrix set (OGC 17-083r4; 256 px tiles), over an
 * extent moved outward to whole pixels. Rows end with the set's square; columns may run on past the antimeridian.
 */
export const zoomGrid = (crs: Crs, extent: Extent, zoom: number): RasterGrid => {
  const resolution = (2 * MERCATOR_HALF) / (256 * 2 ** zoom);
  const [minX, minY, maxX, maxY] = extent;
  const clipped: Extent = [minX, Math.max(minY, -MERCATOR_HALF), maxX, Math.min(maxY, MERCATOR_HALF)];
  return gridFromExtent(crs, outward(clipped, resolution, -MERCATOR_HALF, MERCATOR_HALF), resolution);
};

/** An extent moved outward to whole steps from an origin. */
const outward = ([minX, minY, maxX, maxY]: Extent, step: number, originX: number, originY: number): Extent => [
  originX + Math.floor((minX - originX) / step + ON_GRID_PX) * step,
  originY + Math.floor((minY - originY) / step + ON_GRID_PX) * step,
  originX + Math.ceil((maxX - originX) / step - ON_GRID_PX) * step,
  originY + Math.ceil((maxY - originY) / step - ON_GRID_PX) * step,
];

/** @throws TileonceError for a grid that has no pixel, or whose sides are no numbers. */
export const refuseAbsurd = (grid: RasterGrid): RasterGrid => {
  const { width, height } = grid;
  const size = `the output would be ${width} x ${height} px`;
  if (!(width >= 1 && height >= 1)) throw new TileonceError(size, { remedy: 'use a finer resolution' });
  if (!Number.isFinite(width * height)) throw new TileonceError(size, { remedy: 'use a coarser resolution' });
  return grid;
};
