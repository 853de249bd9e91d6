import { GEO_KEY, USER_DEFINED } from './geokey-directory.ts';
import type { GeoKeyValue } from './geokey-directory.ts';

const US_SURVEY_FOOT = 1200 / 3937;

/** EPSG units of length that imagery comes in, m. */
const METRES_BY_CODE: ReadonlyMap<number, number> = new Map([
  [9001, 1],
  [9002, 0.3048],
  [9003, US_SURVEY_FOOT],
  [9036, 1000],
]);

const METRES_BY_NAME: ReadonlyMap<string, number> = new Map([
  ['m', 1],
  ['ft', 0.3048],
  ['us-ft', US_SURVEY_FOOT],
  ['km', 1000],
]);

/** The unit that a file's keys give to projected coordinates, m: undefined where they give none, null where it is not known. */
export const fileLinearUnit = (keys: ReadonlyMap<number, GeoKeyValue>): number | null | undefined => {
  const code = keys.get(GEO_KEY.projLinearUnits);
  if (code === undefined || code === 0) return undefined;
  const metres = code === USER_DEFINED ? keys.get(GEO_KEY.projLinearUnitSize) : METRES_BY_CODE.get(Number(code));
  return typeof metres === 'number' && metres > 0 ? metres : null;
};

/** Metres in one unit of a proj4 definition's coordinates. */
export const metresPerUnit = (proj4: string): number => {
  const toMeter = /\+to_meter=(\S+)/.exec(proj4)?.[1];
  if (toMeter !== undefined) return Number(toMeter);
  return METRES_BY_NAME.get(/\+units=(\S+)/.exec(proj4)?.[1] ?? 'm') ?? Number.NaN;
};

/** The same projection with coordinates in another unit; false easting and northing stay metres in both. */
export const withLinearUnit = (proj4: string, metres: number): string =>
  `${proj4.replace(/ *\+(?:units|to_meter)=\S+/g, '')} +to_meter=${metres}`;
