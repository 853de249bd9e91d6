import { transformation, WGS84_PROJ4 } from '../crs/transformation.ts';
import { withoutUnknownShift } from '../crs/unknown-shift.ts';
import type { Crs } from '../types.ts';

/**
 * How far x runs once around the Earth, in the units of the CRS: 360 for longitudes, the equator's length for
 * cylindrical projections; null where going around does not lead back to the same y.
 */
export const longitudePeriod = (crs: Crs): number | null => {
  if (crs.geographic) return 360;
  if (!/\+proj=(?:merc|eqc|cea|mill)\b/.test(crs.proj4) || /\+axis=/.test(crs.proj4)) return null;
  const known = periods.get(crs.proj4);
  if (known !== undefined) return known;
  // A datum's shift changes no length.
  const definition = withoutUnknownShift(crs.proj4);
  const project = transformation({ proj4: WGS84_PROJ4, name: 'WGS 84' }, { name: crs.name, proj4: definition });
  const centre = Number(/\+lon_0=(\S+)/.exec(crs.proj4)?.[1] ?? 0);
  const west = project(centre - 45, 0);
  const east = project(centre + 45, 0);
  const period = west === null || east === null ? null : 4 * (east.x - west.x);
  periods.set(crs.proj4, period);
  return period;
};

const periods = new Map<string, number | null>();

/** x moved by whole turns to within half a turn of a centre; x itself where it already is (a hair over counts as within). */
export const nearestTurn = (x: number, centre: number, period: number | null): number =>
  period === null || Math.abs(x - centre) <= period * 0.5000000001 ? x : x + period * Math.round((centre - x) / period);
