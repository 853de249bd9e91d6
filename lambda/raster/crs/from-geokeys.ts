import { SourceError } from '../../errors.ts';
import type { Crs, GeoKeys } from '../types.ts';
import { epsgDefinition } from './epsg.ts';
import { crsFromEsriText, esriText } from './esri-text.ts';
import { codedCrs } from './from-text.ts';
import { asPixelIsArea, GEO_KEY, readGeoKeys, USER_DEFINED } from './geokey-directory.ts';
import type { GeoKeyValue } from './geokey-directory.ts';
import { fileLinearUnit, metresPerUnit, withLinearUnit } from './linear-unit.ts';
import { shiftIsUnknown, withUnknownShift } from './unknown-shift.ts';
import { proj4FromUserKeys } from './user-defined-keys.ts';

type Keys = ReadonlyMap<number, GeoKeyValue>;

/**
 * The coordinate reference system that a GeoTIFF's keys describe. A code wins; then an ESRI text; then the
 * user-defined parameters. What cannot be expressed exactly is refused: a guess would displace the scene. A system
 * whose shift to WGS 84 is not known is marked (`shiftIsUnknown`): it serves on its own grid, and is not warped.
 * Vertical components are left out, for they move no pixel.
 *
 * @throws SourceError naming the file, and the command that gives it a usable system.
 */
export const crsFromGeoKeys = (geoKeys: GeoKeys, file: string): Crs => {
  const keys = readGeoKeys(geoKeys);
  const modelType = keys.get(GEO_KEY.modelType);
  if (modelType === 3) throw refusal(file, 'is in geocentric coordinates');

  const projected = codeOf(keys, GEO_KEY.projectedCsType);
  if (projected !== undefined) return codedProjected(keys, geoKeys, projected, file);

  const text = esriText(keys);
  if (text !== undefined) {
    const crs = crsFromEsriText(text, asPixelIsArea(geoKeys));
    if (crs === null) throw refusal(file, 'has an ESRI coordinate system that cannot be expressed exactly');
    return crs;
  }

  const isProjected = keys.get(GEO_KEY.projectedCsType) === USER_DEFINED || modelType === 1;
  const geographic = codeOf(keys, GEO_KEY.geographicType);
  if (geographic !== undefined && !isProjected) return codedGeographic(keys, geographic, file);
  if (!isProjected && keys.get(GEO_KEY.geographicType) !== USER_DEFINED) throw withoutCrs(file);
  return userDefined(keys, geoKeys, file);
};

const codeOf = (keys: Keys, id: number): number | undefined => {
  const code = keys.get(id);
  return typeof code === 'number' && code > 0 && code !== USER_DEFINED ? code : undefined;
};

const codedGeographic = (keys: Keys, code: number, file: string): Crs => {
  refuseOtherAngles(keys, file);
  return codedCrs(definitionOf(code, file));
};

const codedProjected = (keys: Keys, geoKeys: GeoKeys, code: number, file: string): Crs => {
  const definition = definitionOf(code, file);
  const unit = fileLinearUnit(keys);
  if (unit === null) throw refusal(file, 'has coordinates in an unknown unit');
  if (unit === undefined || Math.abs(unit / metresPerUnit(definition.proj4) - 1) < 1e-9) return codedCrs(definition);
  // Some writers name a metric code beside coordinates in feet: the keys' unit is the one the numbers are in.
  return {
    code: null,
    name: `${definition.name} (unit ${unit} m)`,
    proj4: withLinearUnit(definition.proj4, unit),
    geographic: false,
    geoKeys: asPixelIsArea(geoKeys),
  };
};

const definitionOf = (code: number, file: string) => {
  const definition = epsgDefinition(code);
  if ('refused' in definition) throw refusal(file, `has CRS EPSG:${code}, which ${definition.refused}`);
  return definition;
};

const userDefined = (keys: Keys, geoKeys: GeoKeys, file: string): Crs => {
  refuseOtherAngles(keys, file);
  const base = codeOf(keys, GEO_KEY.geographicType);
  const datum = codeOf(keys, GEO_KEY.geogDatum);
  // EPSG numbers its older datums 2000 above the geographic systems built on them.
  const geodetic = base ?? (datum !== undefined && datum > 6000 && datum < 7000 ? datum - 2000 : undefined);
  const unknownShift = geodetic !== undefined && definitionOf(geodetic, file).unknownShift !== null;

  const described = proj4FromUserKeys(keys);
  if ('refused' in described) throw refusal(file, `has a user-defined CRS that ${described.refused}`);
  return {
    code: null,
    name: nameOf(keys),
    proj4: unknownShift || shiftIsUnknown(described.proj4) ? withUnknownShift(described.proj4) : described.proj4,
    geographic: described.geographic,
    geoKeys: asPixelIsArea(geoKeys),
  };
};

const nameOf = (keys: Keys): string => {
  for (const id of [GEO_KEY.citation, GEO_KEY.projectedCitation]) {
    const text = keys.get(id);
    if (typeof text === 'string' && text.trim() !== '') return text.trim();
  }
  return 'user-defined';
};

const refuseOtherAngles = (keys: Keys, file: string): void => {
  const unit = keys.get(GEO_KEY.geogAngularUnits);
  if (unit === undefined || unit === 9102 || unit === 9122 || unit === 0) return;
  throw refusal(file, 'has angles in a unit other than the degree');
};

/** A file whose system is known but not usable must be warped: naming another would shift its pixels unseen. */
const refusal = (file: string, trait: string): SourceError =>
  new SourceError(file, trait, { remedy: 'warp it to another system first, with gdalwarp -t_srs EPSG:n' });

const withoutCrs = (file: string): SourceError =>
  new SourceError(file, 'has no CRS', { remedy: `name its system with gdal_edit.py -a_srs EPSG:n ${file}` });
