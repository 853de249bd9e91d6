import { BoundedMemo } from '../bounded-memo.ts';
import { sameCrs } from '../crs/same-crs.ts';
import { transformation } from '../crs/transformation.ts';
import type { GeoTransform, RasterGrid } from '../types.ts';
import { inverted, toCoordinates } from './geotransform.ts';
import { longitudePeriod, nearestTurn } from './longitude-period.ts';

/** Where a position of the output lies in the source: pixel positions, corners at whole numbers. */
export interface PixelMapping {
  /** Source position as a linear function of the output's, where both are in one CRS; else null. */
  readonly affine: GeoTransform | null;
  /** Source pixels once around the Earth, where x leads around it; else null. */
  readonly turn: number | null;
  /** The source position, px, of an output position, px; null outside a projection's domain. */
  at(col: number, row: number): { x: number; y: number } | null;
  /** The output position, px, of a source position, px: the way back. */
  from(x: number, y: number): { x: number; y: number } | null;
}

/** A position must come back to within this of where it set out, in output pixels: beyond their domain projections fold over. */
const ROUND_TRIP_PX = 0.1;

/** The exact mapping from the pixels of `out` to those of `source`: of the same grids it is the same object. */
export const pixelMapping = (source: RasterGrid, out: RasterGrid): PixelMapping =>
  mappings.get(JSON.stringify([source, out]), () => makeMapping(source, out));

/** A scene's windows share one or two; several scenes may take turns. */
const mappings = new BoundedMemo<PixelMapping>(32);

const makeMapping = (source: RasterGrid, out: RasterGrid): PixelMapping => {
  const toPixel = inverted(source.geotransform);
  if (sameCrs(source.crs, out.crs)) {
    const affine = settled(composed(out.geotransform, toPixel), out);
    const back = inverted(affine);
    return {
      affine,
      turn: null,
      at: (col, row) => toCoordinates(affine, col, row),
      from: (x, y) => toCoordinates(back, x, y),
    };
  }

  const toSource = transformation(out.crs, source.crs);
  const toOut = transformation(source.crs, out.crs);
  const toOutPixel = inverted(out.geotransform);
  const sourcePeriod = longitudePeriod(source.crs);
  const outPeriod = longitudePeriod(out.crs);
  const centre = toCoordinates(source.geotransform, source.width / 2, source.height / 2);
  const outCentre = toCoordinates(out.geotransform, out.width / 2, out.height / 2);

  return {
    affine: null,
    turn: sourcePeriod === null ? null : Math.abs(sourcePeriod * toPixel[1]),
    at(col, row) {
      const there = toCoordinates(out.geotransform, col, row);
      const here = toSource(there.x, there.y);
      if (here === null) return null;
      const back = toOut(here.x, here.y);
      if (back === null) return null;
      const again = toCoordinates(toOutPixel, nearestTurn(back.x, there.x, outPeriod), back.y);
      if (!(Math.abs(again.x - col) < ROUND_TRIP_PX && Math.abs(again.y - row) < ROUND_TRIP_PX)) return null;
      return toCoordinates(toPixel, nearestTurn(here.x, centre.x, sourcePeriod), here.y);
    },
    from(x, y) {
      const here = toCoordinates(source.geotransform, x, y);
      const there = toOut(here.x, here.y);
      return there === null ? null : toCoordinates(toOutPixel, nearestTurn(there.x, outCentre.x, outPeriod), there.y);
    },
  };
};

const composed = (first: GeoTransform, then: GeoTransform): GeoTransform => {
  const origin = toCoordinates(then, first[0], first[3]);
  return [
    origin.x,
    then[1] * first[1] + then[2] * first[4],
    then[1] * first[2] + then[2] * first[5],
    origin.y,
    then[4] * first[1] + then[5] * first[4],
    then[4] * first[2] + then[5] * first[5],
  ];
};

/** Far below what resampling can show, and far above the rounding of coordinates in the millions of metres. */
const SETTLE_PX = 1e-6;

/**
 * The mapping freed of rounding noise: steps that are whole or one over a whole number, and offsets on half pixels,
 * are made exactly so. Aligned grids then copy pixels, and a centre on a pixel's edge always falls to the same side.
 */
const settled = (mapping: GeoTransform, out: RasterGrid): GeoTransform => {
  const step = (value: number, count: number): number => {
    const size = Math.abs(value);
    const nice = size >= 1 ? Math.round(size) : size * count < SETTLE_PX ? 0 : 1 / Math.round(1 / size);
    return Math.abs(size - nice) * count < SETTLE_PX ? Math.sign(value) * nice : value;
  };
  const offset = (value: number): number => {
    const nice = Math.round(value * 2) / 2;
    return Math.abs(value - nice) < SETTLE_PX ? nice : value;
  };
  const [x0, a, b, y0, c, d] = mapping;
  return [offset(x0), step(a, out.width), step(b, out.height), offset(y0), step(c, out.width), step(d, out.height)];
};
