import type { PixelRect } from '../raster/types.ts';
import { LATTICE_STEP } from '../raster/warp/lattice.ts';

/** Output pixels that are read and warped at a time: a window of 1,024 px and its neighbour's sliver are one strip. */
export const STRIP_PX = 1.25 * 1024 * 1024;

/**
 * A window as strips of whole rows, from the top, so that floats of its sources exist for one strip only. Edges are
 * multiples of a strip's rows on the output grid, and those of the warp's lattice: no cell of it is worked out twice.
 *
 * @param most pixels of a strip, but for the least height that is worth one
 */
export const stripsOf = (rect: PixelRect, most = STRIP_PX): PixelRect[] => {
  const { x, y, width, height } = rect;
  if (width * height <= most) return [rect];
  const rows = LATTICE_STEP * Math.max(1, Math.floor(most / width / LATTICE_STEP));
  const strips: PixelRect[] = [];
  for (let top = y; top < y + height;) {
    const bottom = Math.min(y + height, top - (top % rows) + rows);
    strips.push({ x, y: top, width, height: bottom - top });
    top = bottom;
  }
  return strips;
};
