import type { MultiPolygon, Polygon, Position } from 'geojson';

/** A closed area on the globe as GeoJSON wants it, and its box: west, south, east, north (degrees). */
export interface GlobeArea {
  readonly geometry: Polygon | MultiPolygon;
  readonly bbox: [number, number, number, number];
}

/** Longitude and latitude, degrees; the longitude counts on past 180 where a ring does. */
export type LonLat = readonly [number, number];

/** 7 decimals of a degree are about 1 cm. */
const DECIMALS = 7;
/** Rounding noise of a projection must not tear a sliver off at the antimeridian. */
const EPSILON = 1e-9;

/**
 * The area inside a ring of points, cut where it crosses the antimeridian, by the rules of RFC 7946: outer rings run
 * counter-clockwise, a crossing area is a MultiPolygon, and the box of a crossing area has its west greater than its
 * east (sections 3.1.6, 3.1.9, 5.2).
 *
 * @param ring open ring (the last point is not the first) whose neighbours are less than 180 degrees apart; longitudes
 *   may lie anywhere. A ring that winds around the globe encloses the pole of its hemisphere.
 */
export function areaOfRing(ring: readonly LonLat[]): GlobeArea {
  const { track, winding } = unwrap(ring);
  if (Math.abs(winding) > 180) return polarCap(track, winding);

  const span = rangeOf(track);
  const shift = -360 * Math.floor((span.west + 180 + EPSILON) / 360);
  const west = span.west + shift;
  const east = span.east + shift;
  const moved = track.map(([lon, lat]): LonLat => [lon + shift, lat]);
  if (east <= 180 + EPSILON) {
    return {
      geometry: { type: 'Polygon', coordinates: [close(moved)] },
      bbox: box(west, span.south, east, span.north),
    };
  }
  const eastOfLine = clip(moved, 180, 1).map(([lon, lat]): LonLat => [lon - 360, lat]);
  const wholeCircle = east - west >= 360 - EPSILON;
  return {
    geometry: { type: 'MultiPolygon', coordinates: [[close(clip(moved, 180, -1))], [close(eastOfLine)]] },
    bbox: wholeCircle ? box(-180, span.south, 180, span.north) : box(west, span.south, east - 360, span.north),
  };
}

/** Makes neighbours' longitudes continuous; `winding` is what is left over when the ring closes: 0 or +-360. */
function unwrap(ring: readonly LonLat[]): { track: LonLat[]; winding: number } {
  const track: LonLat[] = [];
  let previous: number | undefined;
  for (const [lon, lat] of ring) {
    previous = previous === undefined ? lon : nearestTurn(lon, previous);
    track.push([previous, lat]);
  }
  const first = track[0]?.[0] ?? 0;
  const winding = nearestTurn(first, previous ?? first) - first;
  return { track, winding: Math.round(winding / 360) * 360 };
}

/** The longitude equal to `lon` but for whole turns that is nearest to `to`. */
export function nearestTurn(lon: number, to: number): number {
  return lon - 360 * Math.round((lon - to) / 360);
}

/** A ring around a pole is cut open at the antimeridian and led along it to the pole and back. */
function polarCap(track: readonly LonLat[], winding: number): GlobeArea {
  const meanLat = track.reduce((sum, [, lat]) => sum + lat, 0) / track.length;
  const pole = meanLat < 0 ? -90 : 90;
  const eastward = winding > 0 ? [...track] : track.toReversed();
  const first = eastward[0] ?? [0, 0];
  const start = -180 + 360 * Math.ceil((first[0] + 180) / 360);
  const turned = eastward.map(([lon, lat]): LonLat => [lon - start, lat]);
  const twice = [...turned, ...turned.map(([lon, lat]): LonLat => [lon + 360, lat])];
  const lap: LonLat[] = [];
  for (let i = 0; i + 1 < twice.length; i += 1) {
    const a = twice[i] ?? [0, 0];
    const b = twice[i + 1] ?? [0, 0];
    if (a[0] < 0 && b[0] >= 0) lap.push([-180, latitudeAt(a, b, 0)]);
    if (b[0] > EPSILON && b[0] < 360 - EPSILON) lap.push([b[0] - 180, b[1]]);
    if (a[0] < 360 && b[0] >= 360) lap.push([180, latitudeAt(a, b, 360)]);
  }
  const span = rangeOf(lap);
  return {
    geometry: { type: 'Polygon', coordinates: [close([...lap, [180, pole], [-180, pole]])] },
    bbox: pole > 0 ? box(-180, span.south, 180, 90) : box(-180, -90, 180, span.north),
  };
}

function latitudeAt(a: LonLat, b: LonLat, lon: number): number {
  return b[0] === a[0] ? a[1] : a[1] + ((lon - a[0]) / (b[0] - a[0])) * (b[1] - a[1]);
}

/** The part of a ring on one side of a meridian (side -1: west of it, 1: east), by Sutherland and Hodgman. */
function clip(ring: readonly LonLat[], meridian: number, side: -1 | 1): LonLat[] {
  const inside = (point: LonLat): boolean => (point[0] - meridian) * side >= 0;
  const kept: LonLat[] = [];
  ring.forEach((point, i) => {
    const before = ring.at(i - 1) ?? point;
    if (inside(point) !== inside(before)) kept.push([meridian, latitudeAt(before, point, meridian)]);
    if (inside(point)) kept.push(point);
  });
  return kept;
}

/** Rounds, drops repeated points, turns the ring counter-clockwise and repeats its first point at the end. */
function close(ring: readonly LonLat[]): Position[] {
  const rounded: [number, number][] = [];
  for (const [lon, lat] of ring) {
    const point: [number, number] = [round(clamp(lon, 180)), round(clamp(lat, 90))];
    const last = rounded.at(-1);
    if (last === undefined || last[0] !== point[0] || last[1] !== point[1]) rounded.push(point);
  }
  const last = rounded.at(-1);
  const first = rounded[0];
  if (first === undefined || last === undefined) return [];
  if (rounded.length > 1 && first[0] === last[0] && first[1] === last[1]) rounded.pop();
  const counterClockwise = signedArea(rounded) < 0 ? rounded.toReversed() : rounded;
  const start = counterClockwise[0] ?? first;
  return [...counterClockwise, [...start]];
}

function signedArea(ring: readonly LonLat[]): number {
  return ring.reduce((sum, [x, y], i) => {
    const [x0, y0] = ring.at(i - 1) ?? [x, y];
    return sum + (x0 * y - x * y0) / 2;
  }, 0);
}

function rangeOf(points: readonly LonLat[]): { west: number; south: number; east: number; north: number } {
  const range = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
  for (const [lon, lat] of points) {
    range.west = Math.min(range.west, lon);
    range.east = Math.max(range.east, lon);
    range.south = Math.min(range.south, lat);
    range.north = Math.max(range.north, lat);
  }
  return range;
}

function box(west: number, south: number, east: number, north: number): [number, number, number, number] {
  return [round(clamp(west, 180)), round(clamp(south, 90)), round(clamp(east, 180)), round(clamp(north, 90))];
}

const clamp = (value: number, limit: number): number => Math.min(limit, Math.max(-limit, value));

/** To the fixed decimals; never -0, which JSON cannot carry. */
const round = (value: number): number => Number(value.toFixed(DECIMALS)) + 0;
