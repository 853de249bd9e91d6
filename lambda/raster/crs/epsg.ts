import { createRequire } from 'node:module';
import * as z from 'zod';
import { datumShiftIsKnown } from './datum-shifts.ts';
import { shiftIsUnknown, withUnknownShift } from './unknown-shift.ts';

/** What the code table knows of one horizontal system. */
export interface EpsgDefinition {
  readonly code: number;
  readonly name: string;
  /** Marked by `withUnknownShift` where the shift to WGS 84 is not known. */
  readonly proj4: string;
  readonly geographic: boolean;
  /** Why the system's shift to WGS 84 is not known to within 2 m, a sentence's end; null where it is known. */
  readonly unknownShift: string | null;
}

/** Why a code cannot be used; a sentence's end, after the code ("EPSG:27700 needs ..."). */
export interface EpsgRefusal {
  readonly refused: string;
}

/**
 * The definition of an EPSG code: made in code for WGS 84, its UTM zones and the two world Mercators, else from the
 * code table (`epsg-index`), one small file a code, read when first asked for.
 */
export const epsgDefinition = (code: number): EpsgDefinition | EpsgRefusal => {
  const known = definitions.get(code);
  if (known !== undefined) return known;
  const definition = madeInCode(code) ?? fromTable(code);
  definitions.set(code, definition);
  return definition;
};

const definitions = new Map<number, EpsgDefinition | EpsgRefusal>();

const madeInCode = (code: number): EpsgDefinition | undefined => {
  if (code === 4326) {
    return { code, name: 'WGS 84', proj4: '+proj=longlat +datum=WGS84 +no_defs', geographic: true, unknownShift: null };
  }
  if (code === 3857) {
    const proj4 =
      '+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m +nadgrids=@null +no_defs';
    return { code, name: 'WGS 84 / Pseudo-Mercator', proj4, geographic: false, unknownShift: null };
  }
  if (code === 3395) {
    const proj4 = '+proj=merc +lon_0=0 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs';
    return { code, name: 'WGS 84 / World Mercator', proj4, geographic: false, unknownShift: null };
  }
  const zone = code % 100;
  const hemisphere = Math.floor(code / 100);
  if ((hemisphere === 326 || hemisphere === 327) && zone >= 1 && zone <= 60) {
    const south = hemisphere === 327;
    return {
      code,
      name: `WGS 84 / UTM zone ${zone}${south ? 'S' : 'N'}`,
      proj4: `+proj=utm +zone=${zone}${south ? ' +south' : ''} +datum=WGS84 +units=m +no_defs`,
      geographic: false,
      unknownShift: null,
    };
  }
  return undefined;
};

const Row = z.object({ kind: z.string(), name: z.string(), wkt: z.string().nullable(), proj4: z.string().nullable() });

const loadJson = createRequire(import.meta.url);

const fromTable = (code: number): EpsgDefinition | EpsgRefusal => {
  // Above this the table carries another authority's codes, which no GeoTIFF key can name.
  if (code > 32760) return { refused: 'is not an EPSG code' };
  let row: z.infer<typeof Row>;
  try {
    row = Row.parse(loadJson(`epsg-index/s/${code}.json`));
  } catch {
    return { refused: 'is not in the table of EPSG codes' };
  }
  const { kind, name, wkt, proj4 } = row;
  if (kind !== 'CRS-GEOGCRS' && kind !== 'CRS-PROJCRS') return { refused: `(${name}) is not a horizontal system` };
  if (proj4 === null) return { refused: `(${name}) has no proj4 definition` };
  const geographic = kind === 'CRS-GEOGCRS';
  const common = { code, name, geographic };
  const definition = proj4.replace(' +type=crs', '');
  const unknownShift = unknownShiftOf(code, geographic ? code : geodeticCode(wkt), definition);
  if (unknownShift === null) return { ...common, proj4: definition, unknownShift };
  return { ...common, proj4: withUnknownShift(definition), unknownShift: `(${name}) ${unknownShift}` };
};

const unknownShiftOf = (code: number, geodetic: number | undefined, proj4: string): string | null => {
  if (shiftIsUnknown(proj4)) return 'needs a datum grid file, which is not supported';
  if (geodetic !== undefined && datumShiftIsKnown(code, geodetic)) return null;
  return 'has a datum whose shift to WGS 84 is not known to within 2 m';
};

/** The code of the geographic system inside a projected one's WKT. */
const geodeticCode = (wkt: string | null): number | undefined => {
  const match = /AUTHORITY\["EPSG","(\d+)"\]\],PROJECTION/.exec(wkt ?? '');
  return match === null ? undefined : Number(match[1]);
};
