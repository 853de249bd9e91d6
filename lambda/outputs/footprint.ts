import proj4 from 'proj4';

import { withoutUnknownShift } from '../raster/crs/unknown-shift.ts';
import type { GeoTransform, RasterGrid } from '../raster/types.ts';
import { areaOfRing, type GlobeArea, type LonLat, nearestTurn } from './antimeridian.ts';

type Point = readonly [number, number];

/** Into which an edge is cut before curvature is looked at: neighbours stay under 180 degrees apart, whatever the grid. */
const PIECES_PER_EDGE = 4;
/** A piece is halved until its middle is this close to the straight line (degrees, about 10 m), or 4 times. */
const TOLERANCE = 1e-4;
const MOST_HALVINGS = 4;
/** On these every meridian is a vertical line: east of the antimeridian the map simply goes on. */
const CYLINDRICAL = /\+proj=(longlat|latlong|merc|eqc|cea|mill)\b/;
/** Points per axis that are tried where a grid reaches beyond the projected world. */
const PROBES = 65;

/**
 * Where a grid lies on the globe, WGS84 degrees: its four edges, made dense where the projection bends them.
 *
 * A grid whose edges leave the projected world (a corner tile of a sinusoidal grid) gets the box of the part that is on
 * it; null where no part is. A system whose shift to WGS 84 is not known lies beside its place by that shift.
 */
export function footprint(grid: RasterGrid): GlobeArea | null {
  const projection = globeProjection(grid);
  const ring = edgeRing(grid, projection);
  return ring === null ? boxOfVisiblePart(grid, projection) : areaOfRing(ring);
}

/** The box of a grid in its own CRS: min x, min y, max x, max y. */
export function projectedBox(grid: RasterGrid): [number, number, number, number] {
  const corners = cornersOf(grid).map(([column, row]) => apply(grid.geotransform, column, row));
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** CRS units → longitude and latitude, degrees; null for a point that is on no place of the globe. */
type GlobeProjection = (point: Point) => LonLat | null;

function globeProjection(grid: RasterGrid): GlobeProjection {
  const converter = proj4(withoutUnknownShift(grid.crs.proj4), 'WGS84');
  const [west, south, east, north] = projectedBox(grid);
  const goesOn = grid.crs.geographic || CYLINDRICAL.test(grid.crs.proj4);
  const slack = Math.max(east - west, north - south) * 1e-4;
  return (point) => {
    const [lon = Number.NaN, lat = Number.NaN] = converter.forward([...point]);
    if (!Number.isFinite(lon) || !Number.isFinite(lat) || Math.abs(lat) > 90 + 1e-9) return null;
    if (goesOn) return [lon, lat];
    if (Math.abs(lon) > 180 + 1e-6) return null;
    // Beyond its world a projection still answers, with a place that projects elsewhere.
    const [x = Number.NaN, y = Number.NaN] = converter.inverse([lon, lat]);
    // A point on the antimeridian may come back on the other side of the map.
    const sameColumn = Math.abs(x - point[0]) <= slack || Math.abs(Math.abs(lon) - 180) < 1e-6;
    return sameColumn && Math.abs(y - point[1]) <= slack ? [lon, lat] : null;
  };
}

/** The outline, an open ring; null where a part of it is on no place of the globe. */
function edgeRing(grid: RasterGrid, projection: GlobeProjection): LonLat[] | null {
  const corners = cornersOf(grid);
  const at = ([column, row]: Point): LonLat | null => projection(apply(grid.geotransform, column, row));
  const ring: LonLat[] = [];
  for (let edge = 0; edge < 4; edge += 1) {
    const from = corners[edge] ?? [0, 0];
    const to = corners[(edge + 1) % 4] ?? [0, 0];
    for (let piece = 0; piece < PIECES_PER_EDGE; piece += 1) {
      const points = bend(
        between(from, to, piece / PIECES_PER_EDGE),
        between(from, to, (piece + 1) / PIECES_PER_EDGE),
        at,
      );
      if (points === null) return null;
      ring.push(...points);
    }
  }
  return withoutStraightPoints(ring);
}

/** Points of a piece of an edge, its end left out, halved where it is bent. */
function bend(from: Point, to: Point, at: (pixel: Point) => LonLat | null, halvings = 0): LonLat[] | null {
  const start = at(from);
  const end = at(to);
  const middle = at(between(from, to, 0.5));
  if (start === null || end === null || middle === null) return null;
  if (halvings >= MOST_HALVINGS || (halvings > 0 && offLine(start, middle, end) <= TOLERANCE)) return [start];
  const first = bend(from, between(from, to, 0.5), at, halvings + 1);
  const second = bend(between(from, to, 0.5), to, at, halvings + 1);
  return first === null || second === null ? null : [...first, ...second];
}

/** Distance of a middle point from the straight line of its neighbours, degrees. */
function offLine(start: LonLat, middle: LonLat, end: LonLat): number {
  const lon = nearestTurn(middle[0], start[0]) - start[0];
  const lat = middle[1] - start[1];
  const toLon = nearestTurn(end[0], start[0]) - start[0];
  const toLat = end[1] - start[1];
  const length = Math.hypot(toLon, toLat);
  return length === 0 ? Math.hypot(lon, lat) : Math.abs(toLon * lat - toLat * lon) / length;
}

/** A straight edge needs its ends alone, but for steps under 90 degrees that keep the ring's turns countable. */
function withoutStraightPoints(ring: readonly LonLat[]): LonLat[] {
  const kept: LonLat[] = [];
  ring.forEach((point, i) => {
    const before = kept.at(-1) ?? ring.at(-1) ?? point;
    const after = ring[(i + 1) % ring.length] ?? point;
    const shortStep = Math.abs(nearestTurn(after[0], before[0]) - before[0]) < 90;
    if (!shortStep || offLine(before, point, after) > TOLERANCE / 10) kept.push(point);
  });
  return kept;
}

function boxOfVisiblePart(grid: RasterGrid, projection: GlobeProjection): GlobeArea | null {
  const seen: LonLat[] = [];
  for (let j = 0; j < PROBES; j += 1) {
    for (let i = 0; i < PROBES; i += 1) {
      const pixel: Point = [(grid.width * i) / (PROBES - 1), (grid.height * j) / (PROBES - 1)];
      const place = projection(apply(grid.geotransform, pixel[0], pixel[1]));
      if (place !== null) seen.push(place);
    }
  }
  if (seen.length === 0) return null;
  const lons = seen.map(([lon]) => lon);
  const lats = seen.map(([, lat]) => lat);
  const [west, east, south, north] = [Math.min(...lons), Math.max(...lons), Math.min(...lats), Math.max(...lats)];
  const thirds = [0, 1 / 3, 2 / 3, 1].map((t) => west + (east - west) * t);
  return areaOfRing([
    ...thirds.map((lon): LonLat => [lon, south]),
    ...thirds.toReversed().map((lon): LonLat => [lon, north]),
  ]);
}

/** Outer corners of a grid in pixels, in order around it. */
const cornersOf = (grid: RasterGrid): Point[] => [
  [0, 0],
  [0, grid.height],
  [grid.width, grid.height],
  [grid.width, 0],
];

const apply = (gt: GeoTransform, column: number, row: number): Point => [
  gt[0] + column * gt[1] + row * gt[2],
  gt[3] + column * gt[4] + row * gt[5],
];

const between = (a: Point, b: Point, t: number): Point => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
