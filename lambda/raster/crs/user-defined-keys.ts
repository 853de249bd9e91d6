import { createRequire } from 'node:module';
import * as z from 'zod';
import type { GeoKeyValue } from './geokey-directory.ts';
import { fileLinearUnit, withLinearUnit } from './linear-unit.ts';

export type DescribedCrs =
  | { readonly proj4: string; readonly geographic: boolean }
  /** Why not; a sentence's end. */
  | { readonly refused: string };

/** Key numbers and the names the converter knows them by. Vertical keys and citations are left out on purpose. */
const CONVERTED_KEYS: ReadonlyMap<number, string> = new Map([
  [2048, 'GeographicTypeGeoKey'],
  [2050, 'GeogGeodeticDatumGeoKey'],
  [2052, 'GeogLinearUnitsGeoKey'],
  [2053, 'GeogLinearUnitSizeGeoKey'],
  [2056, 'GeogEllipsoidGeoKey'],
  [2057, 'GeogSemiMajorAxisGeoKey'],
  [2058, 'GeogSemiMinorAxisGeoKey'],
  [2059, 'GeogInvFlatteningGeoKey'],
  [2061, 'GeogPrimeMeridianLongGeoKey'],
  [2062, 'GeogTOWGS84GeoKey'],
  [3074, 'ProjectionGeoKey'],
  [3075, 'ProjCoordTransGeoKey'],
  [3076, 'ProjLinearUnitsGeoKey'],
  [3077, 'ProjLinearUnitSizeGeoKey'],
  [3078, 'ProjStdParallel1GeoKey'],
  [3079, 'ProjStdParallel2GeoKey'],
  [3080, 'ProjNatOriginLongGeoKey'],
  [3081, 'ProjNatOriginLatGeoKey'],
  [3082, 'ProjFalseEastingGeoKey'],
  [3083, 'ProjFalseNorthingGeoKey'],
  [3084, 'ProjFalseOriginLongGeoKey'],
  [3085, 'ProjFalseOriginLatGeoKey'],
  [3086, 'ProjFalseOriginEastingGeoKey'],
  [3087, 'ProjFalseOriginNorthingGeoKey'],
  [3088, 'ProjCenterLongGeoKey'],
  [3089, 'ProjCenterLatGeoKey'],
  [3090, 'ProjCenterEastingGeoKey'],
  [3091, 'ProjCenterNorthingGeoKey'],
  [3092, 'ProjScaleAtNatOriginGeoKey'],
  [3093, 'ProjScaleAtCenterGeoKey'],
  [3094, 'ProjAzimuthAngleGeoKey'],
  [3095, 'ProjStraightVertPoleLongGeoKey'],
]);

/** Methods (ProjCoordTransGeoKey) whose conversion was checked against GDAL; another one's could be silently wrong. */
const CHECKED_METHODS = new Set([1, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 20, 22, 23, 24, 28]);
const MERCATOR = 7;
const POLAR_STEREOGRAPHIC = 15;
const EQUIRECTANGULAR = 17;

/** The converter remarks on two codes being set, which is how every user-defined system is written. */
const HARMLESS_REMARKS = new Set(['bothGCSAndPCSAreSet']);

const Converted = z.object({ proj4: z.string(), isGCS: z.boolean(), errors: z.record(z.string(), z.unknown()) });

/** The converter carries tables of 1.5 MB and is loaded only where a file has a system of its own. */
const load = createRequire(import.meta.url);
const Converter = z.object({
  toProj4: z.custom<(keys: Record<string, GeoKeyValue>) => unknown>((value) => typeof value === 'function'),
});

/** The proj4 definition that user-defined keys describe, or why there is none that is exact. */
export const proj4FromUserKeys = (keys: ReadonlyMap<number, GeoKeyValue>): DescribedCrs => {
  const named: Record<string, GeoKeyValue> = {};
  for (const [id, name] of CONVERTED_KEYS) {
    const value = keys.get(id);
    if (value !== undefined) named[name] = value;
  }
  let converted: z.infer<typeof Converted>;
  try {
    converted = Converted.parse(Converter.parse(load('geotiff-geokeys-to-proj4')).toProj4(named));
  } catch {
    return { refused: 'cannot be read' };
  }
  const remarks = Object.keys(converted.errors).filter((remark) => !HARMLESS_REMARKS.has(remark));
  if (remarks.length > 0) return { refused: `cannot be expressed exactly (${remarks.join(', ')})` };
  const proj4 = converted.proj4.replace(/ *\+axis=\S+/, '').trim();
  const meridian = keys.get(2051);
  if (meridian !== undefined && meridian !== 8901 && !/\+pm=(?!0\b)/.test(proj4)) {
    return { refused: 'counts longitudes from another meridian than Greenwich' };
  }
  if (converted.isGCS) return { proj4, geographic: true };

  const projected = withMethodParameters(proj4, keys);
  if (projected === null) return { refused: 'has a projection that cannot be expressed exactly' };
  const unit = fileLinearUnit(keys);
  if (unit === null) return { refused: 'has coordinates in an unknown unit' };
  return { proj4: unit === undefined || unit === 1 ? projected : withLinearUnit(projected, unit), geographic: false };
};

/** The definition with the parameters that the converter leaves out or misplaces (it knows no latitude of true scale). */
const withMethodParameters = (proj4: string, keys: ReadonlyMap<number, GeoKeyValue>): string | null => {
  const method = keys.get(3075);
  // A coded projection method (UTM zones and state planes) stands in the converter's table with all its parameters.
  if (method === undefined || method === 32767) return /\+proj=(?:tmerc|utm|lcc)\b/.test(proj4) ? proj4 : null;
  if (typeof method !== 'number' || !CHECKED_METHODS.has(method)) return null;
  const number = (id: number): number | undefined => {
    const value = keys.get(id);
    return typeof value === 'number' ? value : undefined;
  };
  const parallel = number(3078);
  if (method === MERCATOR || method === EQUIRECTANGULAR) {
    return parallel === undefined ? proj4 : `${proj4.replace(/ *\+lat_(?:1|ts)=\S+/g, '')} +lat_ts=${parallel}`;
  }
  if (method !== POLAR_STEREOGRAPHIC) return proj4;
  const latitude = number(3081);
  if (latitude === undefined || latitude === 0) return null;
  const scale = number(3092) ?? 1;
  const atPole = Math.abs(latitude) === 90;
  if (!atPole && scale !== 1) return null;
  const centre = `+lat_0=${latitude > 0 ? 90 : -90} +lon_0=${number(3095) ?? number(3080) ?? 0}`;
  return `${proj4.replace(/ *\+(?:lat_0|lon_0|k_0)=\S+/g, '')} ${centre} ${atPole ? `+k_0=${scale}` : `+lat_ts=${latitude}`}`;
};
