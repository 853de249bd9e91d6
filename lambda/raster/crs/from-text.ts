import { TileonceError } from '../../errors.ts';
import type { Crs } from '../types.ts';
import { epsgDefinition } from './epsg.ts';
import type { EpsgDefinition } from './epsg.ts';
import { codedGeoKeys } from './geokey-directory.ts';
import { horizontalPart, parseWkt, wktCode } from './wkt.ts';

/**
 * The coordinate reference system that a text names: `EPSG:3857` in any case, the same as a URN or URL, or WKT (1 or 2)
 * that carries an EPSG code. x is always the easting or the longitude.
 *
 * @throws TileonceError where the text names no EPSG code, or one that cannot be used.
 */
export const crsFromCode = (text: string): Crs => {
  const definition = epsgDefinition(epsgCode(text));
  const refused = 'refused' in definition ? definition.refused : definition.unknownShift;
  if ('refused' in definition || refused !== null) {
    throw new TileonceError(`EPSG:${epsgCode(text)} ${refused}`, {
      remedy: 'choose another system, such as EPSG:3857, EPSG:4326 or a UTM zone (EPSG:326xx, EPSG:327xx)',
    });
  }
  return codedCrs(definition);
};

/** `EPSG:n` for every spelling of one code, or `source`. @throws TileonceError as `crsFromCode`. */
export const normaliseCrsText = (text: string): string =>
  text.trim().toLowerCase() === 'source' ? 'source' : (crsFromCode(text).code ?? text);

/** A coded system as the plan carries it. */
export const codedCrs = ({ code, name, proj4, geographic }: EpsgDefinition): Crs => ({
  code: `EPSG:${code}`,
  name,
  proj4,
  geographic,
  geoKeys: codedGeoKeys(code, geographic),
});

const epsgCode = (text: string): number => {
  const trimmed = text.trim();
  const plain =
    /^epsg:{1,2}(\d{4,6})$/i.exec(trimmed) ??
    /^urn:ogc:def:crs:epsg:[^:]*:(\d{4,6})$/i.exec(trimmed) ??
    /^https?:\/\/www\.opengis\.net\/(?:def\/crs\/epsg\/[^/]+\/|gml\/srs\/epsg\.xml#)(\d{4,6})$/i.exec(trimmed);
  if (plain !== null) return Number(plain[1]);
  if (/^(?:ogc:|urn:ogc:def:crs:ogc:[^:]*:)crs84$/i.test(trimmed)) return 4326;
  const wkt = parseWkt(trimmed);
  const code = wkt === null ? undefined : wktCode(horizontalPart(wkt));
  if (code !== undefined) return code;
  const shown = trimmed.length > 60 ? `${trimmed.slice(0, 57)}...` : trimmed;
  throw new TileonceError(
    wkt === null ? `unknown coordinate reference system "${shown}"` : `the WKT "${shown}" carries no EPSG code`,
    { remedy: 'write it as an EPSG code, like "EPSG:3857", or "source" to keep the scene\'s own' },
  );
};
