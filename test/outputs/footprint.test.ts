import { describe, expect, it } from '@jest/globals';
import type { MultiPolygon, Polygon, Position } from 'geojson';
import proj4 from 'proj4';

import { footprint, projectedBox } from '../../lambda/outputs/footprint.ts';
import { ARCTIC, grid, LONLAT, MERCATOR, SINUSOIDAL, UTM31 } from './scene-fixture.ts';

const rings = (geometry: Polygon | MultiPolygon | undefined): Position[][] =>
  geometry === undefined ? [] : geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat();

/** Square degrees; positive where every ring runs counter-clockwise. */
const area = (geometry: Polygon | MultiPolygon | undefined): number =>
  rings(geometry).reduce((total, ring) => total + ringArea(ring), 0);

const ringArea = (ring: Position[]): number =>
  ring.slice(1).reduce((sum, [x = 0, y = 0], i) => {
    const [x0 = 0, y0 = 0] = ring[i] ?? [];
    return sum + (x0 * y - x * y0) / 2;
  }, 0);

const EDGE = 20_037_508.342789244;

describe('the footprint of a grid', () => {
  it('follows the bent edges of a UTM scene within 20 m', () => {
    const utm = grid(UTM31, 10_980, 10_980, [399_960, 10, 0, 5_500_020, 0, -10]);
    const found = footprint(utm);
    const toUtm = proj4('WGS84', UTM31.proj4);
    const [ring = []] = rings(found?.geometry);
    const [west, south, east, north] = projectedBox(utm);
    for (let i = 1; i < ring.length; i += 1) {
      const [lon0 = 0, lat0 = 0] = ring[i - 1] ?? [];
      const [lon1 = 0, lat1 = 0] = ring[i] ?? [];
      const [x = 0, y = 0] = toUtm.forward([(lon0 + lon1) / 2, (lat0 + lat1) / 2]);
      const toEdge = Math.min(...[x - west, x - east, y - south, y - north].map(Math.abs));
      expect(toEdge).toBeLessThan(20);
    }
    expect(ring.length).toBeLessThan(40);
    expect(area(found?.geometry)).toBeGreaterThan(0);
  });

  it('is the same area for a south-up grid', () => {
    const northUp = footprint(grid(UTM31, 100, 100, [400_000, 100, 0, 5_410_000, 0, -100]));
    const southUp = footprint(grid(UTM31, 100, 100, [400_000, 100, 0, 5_400_000, 0, 100]));
    expect(southUp?.bbox).toEqual(northUp?.bbox);
    expect(area(southUp?.geometry)).toBeCloseTo(area(northUp?.geometry), 9);
  });

  it('of a straight-edged grid is its four corners, rounded to 7 decimals', () => {
    const found = footprint(grid(MERCATOR, 1024, 1024, [300_000, 10, 0, 6_200_000, 0, -10]));
    expect(found).toEqual({
      bbox: [2.6949459, 48.4959295, 2.7869333, 48.5568505],
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [2.6949459, 48.5568505],
            [2.6949459, 48.4959295],
            [2.7869333, 48.4959295],
            [2.7869333, 48.5568505],
            [2.6949459, 48.5568505],
          ],
        ],
      },
    });
  });

  it.each([
    ['geographic', grid(LONLAT, 10, 10, [175, 1, 0, -10, 0, -1]), [175, -20, -175, -10], 100],
    ['geographic, west of -180', grid(LONLAT, 10, 10, [-185, 1, 0, -10, 0, -1]), [175, -20, -175, -10], 100],
    [
      'Web Mercator',
      grid(MERCATOR, 100, 10, [EDGE - EDGE / 36, EDGE / 1800, 0, 0, 0, -EDGE / 1800]),
      [175, -0.9999746, -175, 0],
      10,
    ],
  ])(
    'is split where it crosses the antimeridian (%s), its bbox running from west to east',
    (_, crossing, bbox, size) => {
      const found = footprint(crossing);
      expect(found?.geometry.type).toBe('MultiPolygon');
      expect(found?.bbox).toEqual(bbox.map((value) => expect.closeTo(value, 3)));
      expect(rings(found?.geometry).map((ring) => ringArea(ring) > 0)).toEqual([true, true]);
      expect(area(found?.geometry)).toBeCloseTo(size, 2);
    },
  );

  it('of a UTM scene on the line keeps both halves narrow', () => {
    const utm60 = { ...UTM31, code: 'EPSG:32660', proj4: '+proj=utm +zone=60 +datum=WGS84 +units=m +no_defs' };
    const found = footprint(grid(utm60, 10_980, 10_980, [760_000, 10, 0, 1_900_020, 0, -10]));
    const [west = 0, , east = 0] = found?.bbox ?? [];
    expect(found?.geometry.type).toBe('MultiPolygon');
    expect(west).toBeGreaterThan(178);
    expect(east).toBeLessThan(-179);
    expect(area(found?.geometry)).toBeLessThan(1.2);
  });

  it('of the whole world is the whole world', () => {
    expect(footprint(grid(LONLAT, 360, 180, [-180, 1, 0, 90, 0, -1]))?.bbox).toEqual([-180, -90, 180, 90]);
    const from0 = footprint(grid(LONLAT, 360, 180, [0, 1, 0, 90, 0, -1]));
    expect(from0?.bbox).toEqual([-180, -90, 180, 90]);
    expect(area(from0?.geometry)).toBeCloseTo(360 * 180, 6);
    const mercator = footprint(grid(MERCATOR, 256, 256, [-EDGE, EDGE / 128, 0, EDGE, 0, -EDGE / 128]));
    expect(mercator?.bbox).toEqual([-180, -85.0511288, 180, 85.0511288]);
  });

  it('around a pole reaches it at every longitude', () => {
    const arctic = footprint(grid(ARCTIC, 100, 100, [-1e6, 2e4, 0, 1e6, 0, -2e4]));
    expect(arctic?.bbox).toEqual([-180, expect.closeTo(77, 1), 180, 90]);
    const [ring = []] = rings(arctic?.geometry);
    expect(ring).toEqual(
      expect.arrayContaining([
        [180, 90],
        [-180, 90],
      ]),
    );
    // The cap between the latitudes of the corners and of the middles of the edges.
    expect(area(arctic?.geometry)).toBeGreaterThan(360 * 9);
    expect(area(arctic?.geometry)).toBeLessThan(360 * 13);

    const antarctic = { ...ARCTIC, proj4: '+proj=stere +lat_0=-90 +lat_ts=-71 +lon_0=0 +datum=WGS84 +units=m' };
    const south = footprint(grid(antarctic, 100, 100, [-1e6, 2e4, 0, 5e5, 0, -2e4]));
    expect(south?.bbox).toEqual([-180, -90, 180, expect.closeTo(-73.5, 1)]);
    expect(area(south?.geometry)).toBeGreaterThan(0);
  });

  it('of a sinusoidal tile at the edge of the world is the part that is on the globe', () => {
    const tile = 1_111_950.519667;
    const at = (column: number, row: number): ReturnType<typeof grid> =>
      grid(SINUSOIDAL, 2400, 2400, [(column - 18) * tile, tile / 2400, 0, (9 - row) * tile, 0, -tile / 2400]);
    expect(footprint(at(18, 4))?.bbox).toEqual([0, 40, expect.closeTo(15.557, 3), 50]);
    expect(footprint(at(0, 8))?.bbox).toEqual([-180, 0, -170, expect.closeTo(10, 1)]);
    expect(footprint(at(0, 0))).toBeNull();
  });
});
