import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { z } from 'zod';
import { epsgDefinition } from '../../../lambda/raster/crs/epsg.ts';
import { crsFromCode } from '../../../lambda/raster/crs/from-text.ts';
import { metresPerUnit } from '../../../lambda/raster/crs/linear-unit.ts';
import { transformation, WGS84_PROJ4 } from '../../../lambda/raster/crs/transformation.ts';
import type { Crs } from '../../../lambda/raster/types.ts';
import { describeWith } from '../../support/requirements.ts';
import { readGrid, runPython } from '../warp/gdal.ts';

const Points = z.array(z.tuple([z.number(), z.number(), z.number(), z.number()]));

const project = (crs: Crs, lon: number, lat: number) =>
  transformation({ proj4: WGS84_PROJ4, name: 'WGS 84' }, crs)(lon, lat);

/** Every n-th code of the table; the whole table takes PROJ minutes. */
const sampledCodes = (): number[] => {
  const codes: number[] = [];
  for (let code = 2000; code < 32761; code += 13) if (isUsable(code)) codes.push(code);
  return codes;
};

const isUsable = (code: number): boolean => {
  const definition = epsgDefinition(code);
  return !('refused' in definition) && definition.unknownShift === null;
};

describeWith(['GDAL'], 'A coded CRS against PROJ', () => {
  it('puts points of its area of use within 2 m of where PROJ puts them', () => {
    const program = `
s = osr.SpatialReference(); s.ImportFromEPSG(4326); s.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
out = {}
for code in json.loads(sys.argv[1]):
    try:
        d = osr.SpatialReference(); d.ImportFromEPSG(code); d.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
        a = d.GetAreaOfUse()
        west, east = a.west_lon_degree, a.east_lon_degree
        if east < west: east += 360
        t = osr.CoordinateTransformation(s, d)
        out[code] = []
        for f, g in ((.5, .5), (.3, .8)):
            lon, lat = west + f * (east - west), a.south_lat_degree + g * (a.north_lat_degree - a.south_lat_degree)
            if lon > 180: lon -= 360
            x, y, _ = t.TransformPoint(lon, lat)
            out[code].append([lon, lat, x, y])
    except RuntimeError: pass
print(json.dumps(out))`;
    const codes = sampledCodes();
    const answers = z.record(z.string(), Points).parse(JSON.parse(runPython(program, JSON.stringify(codes))));
    expect(Object.keys(answers).length).toBeGreaterThan(200);
    const far: string[] = [];
    for (const [code, points] of Object.entries(answers)) {
      const crs = crsFromCode(`EPSG:${code}`);
      const unit = crs.geographic ? 111_000 : metresPerUnit(crs.proj4);
      for (const [lon, lat, x, y] of points) {
        const here = project(crs, lon, lat);
        const distance = here === null ? Infinity : Math.hypot(here.x - x, here.y - y) * unit;
        if (!(distance < 2)) far.push(`EPSG:${code} ${distance}`);
      }
    }
    expect(far).toEqual([]);
  }, 120_000);

  it('is read back by GDAL from the keys that we write', async () => {
    const codes = [4326, 3857, 3395, 32631, 32760, 28355, 31985, 26918, 4258, 3035, 2056, 5070];
    const folder = mkdtempSync(join(tmpdir(), 'crs-keys-'));
    try {
      for (const code of codes) {
        runPython(
          "d = gdal.GetDriverByName('GTiff').Create(sys.argv[1], 2, 2); s = osr.SpatialReference(); s.ImportFromEPSG(int(sys.argv[2]))\n" +
            'd.SetProjection(s.ExportToWkt()); d.SetGeoTransform([1, 1, 0, 1, 0, -1])',
          join(folder, `${code}.tif`),
          String(code),
        );
        const { grid } = await readGrid(join(folder, `${code}.tif`));
        expect(grid.crs).toEqual(crsFromCode(`EPSG:${code}`));
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);
});

const USER_DEFINED: Readonly<Record<string, string>> = {
  'transverse Mercator': '+proj=tmerc +lat_0=10 +lon_0=21 +k=0.9993 +x_0=450000 +y_0=-5000000 +ellps=GRS80 +units=m',
  'transverse Mercator in US feet':
    '+proj=tmerc +lat_0=40 +lon_0=21 +k=0.9999 +x_0=300000 +y_0=0 +datum=NAD83 +units=us-ft',
  'transverse Mercator with a datum shift':
    '+proj=tmerc +lat_0=30 +lon_0=21 +k=0.9993 +x_0=450000 +y_0=0 +ellps=bessel +towgs84=598.1,73.7,418.2,0.202,0.045,-2.455,6.7 +units=m',
  'Lambert conformal conic':
    '+proj=lcc +lat_1=49 +lat_2=44 +lat_0=46.5 +lon_0=21 +x_0=700000 +y_0=6600000 +ellps=GRS80 +units=ft',
  Albers: '+proj=aea +lat_1=29.5 +lat_2=45.5 +lat_0=23 +lon_0=21 +x_0=10 +y_0=20 +datum=NAD83 +units=m',
  'Lambert azimuthal on a sphere': '+proj=laea +lat_0=45 +lon_0=21 +x_0=0 +y_0=0 +R=6370997 +units=m',
  'azimuthal equidistant': '+proj=aeqd +lat_0=53 +lon_0=21 +x_0=5837287 +y_0=2121415 +datum=WGS84 +units=m',
  sinusoidal: '+proj=sinu +lon_0=20 +x_0=0 +y_0=0 +R=6371007.181 +units=m',
  'Mercator with a scale': '+proj=merc +lon_0=10 +k=0.99 +x_0=100 +y_0=200 +datum=WGS84 +units=m',
  'Mercator with a true latitude': '+proj=merc +lon_0=10 +lat_ts=40 +x_0=100 +y_0=200 +datum=WGS84 +units=m',
  'polar stereographic with a true latitude':
    '+proj=stere +lat_0=90 +lat_ts=70 +lon_0=20 +x_0=0 +y_0=0 +a=6378273 +b=6356889.449 +units=m',
  'oblique stereographic':
    '+proj=sterea +lat_0=52 +lon_0=20 +k=0.9999 +x_0=155000 +y_0=463000 +ellps=bessel +towgs84=565,50,465,0,0,0,0 +units=m',
  equirectangular: '+proj=eqc +lat_ts=30 +lat_0=0 +lon_0=15 +x_0=0 +y_0=0 +datum=WGS84 +units=m',
  'cylindrical equal area': '+proj=cea +lat_ts=30 +lon_0=0 +x_0=0 +y_0=0 +datum=WGS84 +units=m',
  'equidistant conic': '+proj=eqdc +lat_0=40 +lon_0=20 +lat_1=20 +lat_2=60 +x_0=0 +y_0=0 +datum=NAD83 +units=m',
  polyconic: '+proj=poly +lat_0=0 +lon_0=20 +x_0=5000000 +y_0=10000000 +ellps=GRS80 +units=m',
};

describeWith(['GDAL'], 'A user-defined CRS in a file by GDAL', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'crs-user-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(Object.entries(USER_DEFINED))(
    'is the one that was written: %s',
    async (_, definition) => {
      const file = join(folder, 'scene.tif');
      const program = `
s = osr.SpatialReference(); s.ImportFromProj4(sys.argv[2])
d = gdal.GetDriverByName('GTiff').Create(sys.argv[1], 2, 2); d.SetProjection(s.ExportToWkt()); d.SetGeoTransform([0, 1, 0, 0, 0, -1]); d = None
t = gdal.Open(sys.argv[1]).GetSpatialRef(); t.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
w = osr.SpatialReference(); w.ImportFromEPSG(4326); w.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
c = osr.CoordinateTransformation(w, t)
print(json.dumps([[x, y, *c.TransformPoint(x, y)[:2]] for x, y in ((20.5, 45.5), (18, 51), (23, 39))]))`;
      const points = Points.parse(JSON.parse(runPython(program, file, definition)));
      const { grid } = await readGrid(file);
      expect(grid.crs.code).toBeNull();
      for (const [lon, lat, x, y] of points) {
        const here = project(grid.crs, lon, lat);
        expect(here?.x).toBeCloseTo(x, 2);
        expect(here?.y).toBeCloseTo(y, 2);
      }
    },
    30_000,
  );
});
