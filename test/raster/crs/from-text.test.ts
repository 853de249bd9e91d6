import { describe, expect, it } from '@jest/globals';
import { crsFromCode, normaliseCrsText } from '../../../lambda/raster/crs/from-text.ts';
import { TileonceError } from '../../../lambda/errors.ts';

const WKT1 =
  'PROJCS["WGS 84 / UTM zone 31N",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],' +
  'AUTHORITY["EPSG","6326"]],AUTHORITY["EPSG","4326"]],PROJECTION["Transverse_Mercator"],UNIT["metre",1],AXIS["Easting",EAST],AUTHORITY["EPSG","32631"]]';
const WKT2 =
  'PROJCRS["WGS 84 / Pseudo-Mercator",BASEGEOGCRS["WGS 84",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,298.257223563]],' +
  'ID["EPSG",4326]],CONVERSION["x",METHOD["Popular Visualisation Pseudo Mercator",ID["EPSG",1024]]],CS[Cartesian,2],ID["EPSG",3857]]';

describe('The text of a CRS', () => {
  it.each([
    'EPSG:3857',
    'epsg:3857',
    ' EPSG:3857 ',
    'urn:ogc:def:crs:EPSG::3857',
    'http://www.opengis.net/def/crs/EPSG/0/3857',
    WKT2,
  ])('is one and the same system in every spelling: %s', (text) => {
    expect(normaliseCrsText(text)).toBe('EPSG:3857');
  });

  it('may be WKT 1, or a compound system whose horizontal part counts', () => {
    expect(normaliseCrsText(WKT1)).toBe('EPSG:32631');
    expect(normaliseCrsText(`COMPD_CS["with heights",${WKT1},VERT_CS["EGM",AUTHORITY["EPSG","5773"]]]`)).toBe(
      'EPSG:32631',
    );
  });

  it('keeps "source" as it is', () => {
    expect(normaliseCrsText('Source')).toBe('source');
  });

  it('gives a system with its definition and the smallest keys that name it', () => {
    expect(crsFromCode('EPSG:32733')).toEqual({
      code: 'EPSG:32733',
      name: 'WGS 84 / UTM zone 33S',
      proj4: '+proj=utm +zone=33 +south +datum=WGS84 +units=m +no_defs',
      geographic: false,
      geoKeys: { directory: [1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32733], doubles: [], ascii: '' },
    });
    const { geographic, geoKeys } = crsFromCode('EPSG:4258');
    expect(geographic).toBe(true);
    expect(geoKeys.directory).toEqual([1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4258]);
  });

  it.each([
    ['EPSG:99999', /is not an EPSG code/],
    ['EPSG:1000', /is not in the table/],
    ['EPSG:27700', /needs a datum grid file/],
    ['EPSG:4978', /is not a horizontal system/],
    ['EPSG:5773', /is not a horizontal system/],
    ['WebMercator', /unknown coordinate reference system "WebMercator"/],
    ['GEOGCS["mine",DATUM["d",SPHEROID["s",6378137,298]]]', /carries no EPSG code/],
  ])('is refused with a remedy where no system can be had exactly: %s', (text, message) => {
    const attempt = (): unknown => crsFromCode(text);
    expect(attempt).toThrow(message);
    expect(attempt).toThrow(TileonceError);
  });

  it('is refused where the shift between datums is a guess', () => {
    expect(() => crsFromCode('EPSG:2393')).toThrow(/shift to WGS 84 is not known/);
    expect(() => crsFromCode('EPSG:4807')).toThrow(/EPSG:4807/);
  });
});
