import type { Crs, GeoKeys } from '../types.ts';
import { epsgDefinition } from './epsg.ts';
import { codedCrs } from './from-text.ts';
import { GEO_KEY } from './geokey-directory.ts';
import type { GeoKeyValue } from './geokey-directory.ts';
import { formatWkt, horizontalPart, parseWkt, wktChild, wktCode } from './wkt.ts';
import type { WktNode } from './wkt.ts';

const PREFIX = 'ESRI PE String = ';

/** Projections whose reading from WKT was checked against GDAL; another one's parameters could be taken wrongly. */
const CHECKED_PROJECTIONS = new Set([
  'Albers',
  'Albers_Conic_Equal_Area',
  'Lambert_Conformal_Conic',
  'Lambert_Conformal_Conic_2SP',
  'Lambert_Azimuthal_Equal_Area',
  'Transverse_Mercator',
  'Gauss_Kruger',
  'Sinusoidal',
]);

/** The WKT that ESRI's writers, and GDAL after them, put in a citation where no GeoTIFF key can express the system. */
export const esriText = (keys: ReadonlyMap<number, GeoKeyValue>): string | undefined => {
  for (const id of [GEO_KEY.projectedCitation, GEO_KEY.citation]) {
    const text = keys.get(id);
    if (typeof text === 'string' && text.startsWith(PREFIX)) return text.slice(PREFIX.length);
  }
  return undefined;
};

/** The system of an ESRI text, or null where it cannot be expressed exactly. */
export const crsFromEsriText = (text: string, geoKeys: GeoKeys): Crs | null => {
  const parsed = parseWkt(text);
  if (parsed === null) return null;
  const node = horizontalPart(parsed);
  const code = wktCode(node);
  if (code !== undefined) {
    const definition = epsgDefinition(code);
    return 'refused' in definition ? null : codedCrs(definition);
  }
  const [name] = node.items;
  const common = { code: null, name: typeof name === 'string' ? name : 'user-defined', geoKeys };

  const [kind, extension] = wktChild(node, 'EXTENSION')?.items ?? [];
  if (kind === 'PROJ4' && typeof extension === 'string') {
    const exact = !/\+(?:nadgrids=(?!@null)|geoidgrids)/.test(extension);
    return exact ? { ...common, proj4: extension, geographic: extension.includes('+proj=longlat') } : null;
  }
  if (node.keyword !== 'PROJCS') return null;
  const [projection] = wktChild(node, 'PROJECTION')?.items ?? [];
  if (typeof projection !== 'string' || !CHECKED_PROJECTIONS.has(projection) || !needsNoDatumShift(node)) return null;
  return { ...common, proj4: formatWkt(withoutVertical(node)), geographic: false };
};

/** On the ellipsoids of WGS 84 and GRS 80, or on a sphere, latitudes pass between datums unchanged; older ones need a shift that the text does not give. */
const needsNoDatumShift = (node: WktNode): boolean => {
  const datum = wktChild(node, 'GEOGCS')?.items.find(
    (item): item is WktNode => typeof item === 'object' && item.keyword === 'DATUM',
  );
  const [, radius, inverseFlattening] = (datum && wktChild(datum, 'SPHEROID')?.items) ?? [];
  return inverseFlattening === 0 || (radius === 6378137 && Math.abs(Number(inverseFlattening) - 298.25722) < 1e-5);
};

/** Axes are left out too: a GeoTIFF's x is always the easting, whatever order the text gives. */
const withoutVertical = (node: WktNode): WktNode => ({
  keyword: node.keyword,
  items: node.items.filter(
    (item) => typeof item !== 'object' || !['VERTCS', 'VERT_CS', 'AXIS', 'EXTENSION'].includes(item.keyword),
  ),
});
