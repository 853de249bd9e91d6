import { describe, expect, it } from '@jest/globals';
import { SourceError } from '../../../lambda/errors.ts';
import { crsFromCode } from '../../../lambda/raster/crs/from-text.ts';
import { crsFromGeoKeys } from '../../../lambda/raster/crs/from-geokeys.ts';
import { sameCrs } from '../../../lambda/raster/crs/same-crs.ts';
import { footprint } from '../../../lambda/outputs/footprint.ts';
import { transformation, UNKNOWN_SHIFT_REMEDY, WGS84_PROJ4 } from '../../../lambda/raster/crs/transformation.ts';
import { shiftIsUnknown } from '../../../lambda/raster/crs/unknown-shift.ts';
import type { GeoKeys } from '../../../lambda/raster/types.ts';

/** Keys as a TIFF carries them, from a plain list. */
const keysOf = (values: Readonly<Record<number, number | string | readonly number[]>>): GeoKeys => {
  const doubles: number[] = [];
  let ascii = '';
  const entries = Object.entries(values).map(([id, value]) => {
    if (typeof value === 'string') {
      ascii += `${value}|`;
      return [Number(id), 34737, value.length + 1, ascii.length - value.length - 1];
    }
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 65536 && Number(id) < 3078) {
      return [Number(id), 0, 1, value];
    }
    const numbers = typeof value === 'number' ? [value] : value;
    doubles.push(...numbers);
    return [Number(id), 34736, numbers.length, doubles.length - numbers.length];
  });
  return { directory: [1, 1, 0, entries.length, ...entries.flat()], doubles, ascii };
};

const read = (values: Parameters<typeof keysOf>[0]) => crsFromGeoKeys(keysOf(values), 'scene.tif');

const project = (crs: { proj4: string; name: string }, lon: number, lat: number) =>
  transformation({ proj4: WGS84_PROJ4, name: 'WGS 84' }, crs)(lon, lat) ?? { x: Number.NaN, y: Number.NaN };

describe('The CRS of a GeoTIFF', () => {
  it('is its code, whatever else its keys say of the same system', () => {
    const crs = read({ 1024: 1, 1025: 2, 1026: 'WGS 84 / UTM zone 60N', 2054: 9102, 3072: 32660, 3076: 9001 });
    expect(crs).toEqual(crsFromCode('EPSG:32660'));
    expect(read({ 1024: 2, 1025: 1, 2048: 4326, 4096: 3855 })).toEqual(crsFromCode('EPSG:4326'));
  });

  it('is written back as PixelIsArea', () => {
    const { geoKeys } = read({ 1024: 1, 1025: 2, 3072: 32660 });
    expect(geoKeys.directory.slice(8, 12)).toEqual([1025, 0, 1, 1]);
  });

  it('is the sinusoidal one of MODIS, on its sphere, with the keys kept', () => {
    const modis = {
      1024: 1,
      1025: 1,
      2048: 32767,
      2050: 32767,
      2054: 9102,
      2056: 32767,
      3072: 32767,
      3074: 32767,
      3075: 24,
      3076: 9001,
    };
    const crs = crsFromGeoKeys(
      keysOf({ ...modis, 2057: 6371007.181 + 1e-9, 2058: 6371007.181 + 1e-9, 3082: 0, 3083: 0, 3088: 0 }),
      'modis.tif',
    );
    expect(crs.code).toBeNull();
    const { x, y } = project(crs, 120, -10);
    expect(x).toBeCloseTo(((6371007.181 * 120 * Math.PI) / 180) * Math.cos((10 * Math.PI) / 180), 3);
    expect(y).toBeCloseTo((-6371007.181 * 10 * Math.PI) / 180, 3);
    expect(crs.geoKeys.directory.length).toBeGreaterThan(40);
  });

  it('has true latitudes in polar stereographic and Mercator, which their keys give in other places', () => {
    const base = { 1024: 1, 1025: 1, 2048: 4326, 2054: 9102, 3072: 32767, 3074: 32767, 3076: 9001, 3082: 0, 3083: 0 };
    const polar = read({ ...base, 3075: 15, 3081: -71, 3092: 1, 3095: 0 });
    const expected = project(crsFromCode('EPSG:3031'), 30, -75);
    expect(project(polar, 30, -75).x).toBeCloseTo(expected.x, 3);
    expect(project(polar, 30, -75).y).toBeCloseTo(expected.y, 3);
    const mercator = read({ ...base, 3075: 7, 3078: 60, 3080: 0 });
    expect(project(mercator, 10, 0).x / project(crsFromCode('EPSG:3395'), 10, 0).x).toBeCloseTo(0.5008, 3);
  });

  it('has the unit its keys name, where a code of another unit stands beside it', () => {
    const feet = read({ 1024: 1, 1025: 1, 3072: 26918, 3076: 9003 });
    expect(feet.code).toBeNull();
    const metres = project(crsFromCode('EPSG:26918'), -76, 38);
    expect(project(feet, -76, 38).x * (1200 / 3937)).toBeCloseTo(metres.x, 5);
  });

  it('is the one of an ESRI text where no key can say it', () => {
    const text =
      'ESRI PE String = PROJCS["USGS",GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],' +
      'PRIMEM["Greenwich",0.0],UNIT["Degree",0.017453292519943295]],PROJECTION["Albers"],PARAMETER["false_easting",0.0],' +
      'PARAMETER["false_northing",0.0],PARAMETER["central_meridian",-96.0],PARAMETER["standard_parallel_1",29.5],' +
      'PARAMETER["standard_parallel_2",45.5],PARAMETER["latitude_of_origin",23.0],UNIT["Meter",1.0],' +
      'VERTCS["NAVD_1988",VDATUM["NAVD"],PARAMETER["Vertical_Shift",0.0],UNIT["Centimeter",0.01]]]';
    const crs = read({ 1024: 32767, 1025: 1, 3073: text });
    const expected = project(crsFromCode('EPSG:5070'), -100, 40);
    expect(project(crs, -100, 40).x).toBeCloseTo(expected.x, 3);
    expect(project(crs, -100, 40).y).toBeCloseTo(expected.y, 3);
  });

  it('goes by its axes: coordinates of a south-west system grow to the south and the west', () => {
    const crs = read({ 1024: 1, 1025: 1, 3072: 2046 });
    const { x, y } = project(crs, 14, -33);
    expect(x).toBeGreaterThan(0);
    expect(y).toBeGreaterThan(0);
  });
});

describe('A system whose datum shift is in a grid file', () => {
  const nad27 = read({ 1024: 1, 3072: 26711 });
  const wgs84 = { proj4: WGS84_PROJ4, name: 'WGS 84' };

  it('is read with its code and its own keys', () => {
    expect(nad27).toMatchObject({ code: 'EPSG:26711', name: 'NAD27 / UTM zone 11N', geographic: false });
    expect(nad27.geoKeys.directory.slice(-4)).toEqual([3072, 0, 1, 26711]);
  });

  it('is not carried to another system, nor is one of its datum that its keys describe', () => {
    const described = read({
      1024: 1,
      2048: 4267,
      3072: 32767,
      3074: 32767,
      3075: 1,
      3076: 9001,
      3080: -117,
      3092: 0.9996,
    });
    for (const crs of [nad27, described, read({ 1024: 1, 3072: 27700 }), read({ 1024: 2, 2048: 4230 })]) {
      expect(shiftIsUnknown(crs.proj4)).toBe(true);
      expect(() => transformation(crs, wgs84)).toThrow(`the shift of ${crs.name} to WGS 84 is not known`);
      expect(() => transformation(wgs84, crs)).toThrow(expect.objectContaining({ remedy: UNKNOWN_SHIFT_REMEDY }));
    }
  });

  it('is no output', () => {
    expect(() => crsFromCode('EPSG:26711')).toThrow('EPSG:26711 (NAD27 / UTM zone 11N) needs a datum grid file');
    expect(() => crsFromCode('EPSG:4230')).toThrow('EPSG:4230 (ED50) has a datum whose shift to WGS 84 is not known');
  });

  it('lies where it is on the map to within 200 m', () => {
    const area = footprint({ crs: nad27, width: 20, height: 20, geotransform: [440_720, 60, 0, 3_751_320, 0, -60] });
    const [west = Number.NaN, , , north = Number.NaN] = area?.bbox ?? [];
    // By PROJ with the grid us_noaa_conus: 117.641993 W, 33.902407 N at the upper left corner.
    expect(Math.abs(west + 117.641993) * 111_320 * Math.cos(0.59)).toBeLessThan(200);
    expect(Math.abs(north - 33.902407) * 111_320).toBeLessThan(200);
  });
});

describe('A GeoTIFF is refused', () => {
  it.each([
    ['without a CRS', {}, /scene\.tif: has no CRS/],
    ['with geocentric coordinates', { 1024: 3, 2048: 4978 }, /geocentric/],
    ['with angles that are not degrees', { 1024: 2, 2048: 4326, 2054: 9101 }, /angles in a unit other than the degree/],
    ['with a unit that nobody knows', { 1024: 1, 3072: 32631, 3076: 9099 }, /unknown unit/],
    [
      'with a projection whose keys may be read wrongly',
      { 1024: 1, 2048: 4326, 3072: 32767, 3075: 21, 3076: 9001 },
      /projection that cannot be expressed exactly/,
    ],
    [
      'with an old datum in an ESRI text',
      { 1024: 32767, 3073: `ESRI PE String = ${nad27()}` },
      /cannot be expressed exactly/,
    ],
  ])('%s', (kind, values, message) => {
    const attempt = (): unknown => read(values);
    expect(attempt).toThrow(message);
    expect(attempt).toThrow(SourceError);
    // Naming another system would shift the pixels of a file that has one.
    const remedy = kind === 'without a CRS' ? 'gdal_edit.py -a_srs EPSG:' : 'gdalwarp -t_srs EPSG:';
    expect(attempt).toThrow(expect.objectContaining({ remedy: expect.stringContaining(remedy) }));
  });

  function nad27(): string {
    return (
      'PROJCS["a",GEOGCS["GCS_North_American_1927",DATUM["D_North_American_1927",SPHEROID["Clarke_1866",6378206.4,294.9786982]],' +
      'PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Albers"],PARAMETER["Central_Meridian",-96.0],UNIT["Meter",1]]'
    );
  }
});

describe('Two systems are the same', () => {
  it('by their code, or by the parameters of their definitions in any order', () => {
    const utm = crsFromCode('EPSG:32631');
    const described = { ...utm, code: null, proj4: '+datum=WGS84 +zone=31.0 +proj=utm' };
    expect(sameCrs(utm, described)).toBe(true);
    expect(sameCrs(utm, crsFromCode('EPSG:32632'))).toBe(false);
    expect(sameCrs(utm, { ...described, proj4: `${described.proj4} +south` })).toBe(false);
  });
});
