import { describe, expect, it } from '@jest/globals';
import type { GridDefinition } from '../../../lambda/pipeline/definition/pipeline.ts';
import type { RasterGrid } from '../../../lambda/raster/types.ts';
import { planOutputGrid } from '../../../lambda/raster/warp/plan-output-grid.ts';
import { grid } from './grids.ts';

const SUGGESTED: GridDefinition = { kind: 'suggested' };
const red = { name: 'B04', grid: grid('EPSG:32629', 1098, 1098, [199980, 2800020], 100) };
const classes = { name: 'SCL', grid: grid('EPSG:32629', 549, 549, [199980, 2800020], 200) };

const plan = (dstCrs: string, definition: GridDefinition, bands = [red]): RasterGrid =>
  planOutputGrid(bands, { dstCrs, grid: definition });

describe('The output grid', () => {
  it('is what gdalwarp suggests, by default', () => {
    const { width, height, geotransform } = plan('EPSG:3857', SUGGESTED);
    expect([width, height]).toEqual([1114, 1120]);
    // From `gdalwarp -t_srs EPSG:3857`.
    expect(geotransform[0]).toBeCloseTo(-1333523.4385076337, 4);
    expect(geotransform[1]).toBeCloseTo(110.35265797141554, 9);
  });

  it('is the finest band own grid under "source"', () => {
    expect(plan('source', SUGGESTED, [classes, red])).toEqual(red.grid);
  });

  it('reads a south-up source from the top under "source"', () => {
    const southUp: RasterGrid = { ...red.grid, geotransform: [199980, 100, 0, 2690220, 0, 100] };
    expect(plan('source', SUGGESTED, [{ name: 'B04', grid: southUp }])).toEqual(red.grid);
  });

  it('is the source grid, too, where the CRS named is the source one', () => {
    expect(plan('EPSG:32629', SUGGESTED)).toEqual(red.grid);
  });

  it('covers all bands, on the lattice of the finest', () => {
    const neighbour = { name: 'B05', grid: grid('EPSG:32629', 100, 100, [189970, 2801010], 200) };
    const { width, height, geotransform } = plan('EPSG:32629', SUGGESTED, [red, neighbour]);
    expect(geotransform).toEqual([189980, 100, 0, 2801020, 0, -100]);
    expect([width, height]).toEqual([1198, 1108]);
  });

  it('snaps outward to multiples of a resolution, so that neighbouring scenes stack', () => {
    const { width, height, geotransform } = plan('EPSG:3857', { kind: 'resolution', resolution: 60, align: true });
    expect([width, height]).toEqual([2050, 2061]);
    expect(Math.abs(geotransform[0] % 60) + Math.abs(geotransform[3] % 60)).toBe(0);
  });

  it('does not snap when told not to', () => {
    const { width, height, geotransform } = plan('EPSG:3857', { kind: 'resolution', resolution: 250, align: false });
    expect([width, height]).toEqual([492, 494]);
    expect(geotransform[0]).toBe(plan('EPSG:3857', SUGGESTED).geotransform[0]);
  });

  it('takes a resolution and an extent in the source CRS as well', () => {
    const aligned = plan('source', { kind: 'resolution', resolution: 50, align: true });
    expect([aligned.width, aligned.height, ...aligned.geotransform]).toEqual([
      2197, 2197, 199950, 50, 0, 2800050, 0, -50,
    ]);
    const extent = plan('source', {
      kind: 'extent',
      extent: [200000, 2700000, 210000, 2705000],
      resolution: null,
      align: false,
    });
    expect([extent.width, extent.height, ...extent.geotransform]).toEqual([100, 50, 200000, 100, 0, 2705000, 0, -100]);
  });

  it('is the pixel grid of a zoom level, over whole pixels', () => {
    const { width, geotransform } = plan('EPSG:3857', { kind: 'tms', tms: 'WebMercatorQuad', zoom: 10 });
    const resolution = 156543.03392804097 / 1024;
    expect(geotransform[1]).toBeCloseTo(resolution, 9);
    const column = (geotransform[0] + 20037508.342789244) / resolution;
    expect(column).toBeCloseTo(Math.round(column), 6);
    expect(width).toBe(806);
  });

  it('runs on across the antimeridian instead of around the Earth', () => {
    const across = { name: 'red', grid: grid('EPSG:32660', 2325, 2355, [570585, 5847615], 100) };
    const { width, geotransform } = plan('EPSG:4326', SUGGESTED, [across]);
    expect(geotransform[0]).toBeGreaterThan(177);
    expect(geotransform[0] + width * geotransform[1]).toBeGreaterThan(180);
    expect(geotransform[0] + width * geotransform[1]).toBeLessThan(183);
  });
});

describe('An output grid is refused', () => {
  it('where bands differ in CRS under "source", with their names and systems', () => {
    const other = { name: 'B08', grid: grid('EPSG:4326', 100, 100, [-10, 25], 0.01) };
    expect(() => plan('source', SUGGESTED, [red, other])).toThrow(/B04 is in EPSG:32629 but band B08 in EPSG:4326/);
  });

  it('where the scene lies outside the CRS domain', () => {
    const pole = { name: 'dem', grid: grid('EPSG:4326', 120, 120, [-164, -89], 0.008) };
    expect(() => plan('EPSG:3857', SUGGESTED, [pole])).toThrow(/outside the area where EPSG:3857 is defined/);
  });

  it('where an extent misses the scene', () => {
    const extent: GridDefinition = { kind: 'extent', extent: [0, 0, 1000, 1000], resolution: null, align: false };
    expect(() => plan('EPSG:3857', extent)).toThrow(/extent \[0, 0, 1000, 1000\] does not touch the scene/);
  });

  it('where it would have no pixel, or more than can be counted', () => {
    const thin = { name: 'B04', grid: grid('EPSG:32629', 1000, 1, [199980, 2800020], 100) };
    const coarse: GridDefinition = { kind: 'resolution', resolution: 1000, align: false };
    expect(() => plan('EPSG:32629', coarse, [thin])).toThrow(/100 x 0 px/);
    expect(() => plan('EPSG:3857', { kind: 'resolution', resolution: 1e-320, align: true })).toThrow(/px/);
  });

  it.each<[string, string, GridDefinition, RegExp]>([
    [
      'a resolution',
      'EPSG:3857',
      { kind: 'resolution', resolution: 1e6, align: true },
      /be 1 x 1 px, one of which, 1000000 wide, is larger than the scene: 1\d{5}(\.\d+)? x 1\d{5}(\.\d+)? units of EPSG:3857/,
    ],
    ['one that is not aligned', 'EPSG:3857', { kind: 'resolution', resolution: 1e9, align: false }, /0 x 0 px, one of/],
    [
      'metres for degrees',
      'EPSG:4326',
      { kind: 'resolution', resolution: 10, align: true },
      /larger than the scene: 1\.\d+ x \S+ degrees/,
    ],
    [
      'an extent',
      'EPSG:32629',
      { kind: 'extent', extent: [0, 0, 1e7, 1e7], resolution: 1e6, align: true },
      /10 x 10 px/,
    ],
    ['a zoom level', 'EPSG:3857', { kind: 'tms', tms: 'WebMercatorQuad', zoom: 0 }, /px, one of which, 156543 wide/],
  ])('where its pixel is larger than the scene: %s', (_, dstCrs, definition, says) => {
    expect(() => plan(dstCrs, definition)).toThrow(says);
  });

  it('but not where its pixel is as large as the scene', () => {
    const { width, height } = plan('EPSG:32629', { kind: 'resolution', resolution: 109_800, align: false });
    expect([width, height]).toEqual([1, 1]);
  });

  it('where a zoom level is asked for in another CRS', () => {
    expect(() => plan('EPSG:4326', { kind: 'tms', tms: 'WebMercatorQuad', zoom: 3 })).toThrow(/is in EPSG:3857, but/);
  });
});
