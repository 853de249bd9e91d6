import { describe, expect, it } from '@jest/globals';
import { crsFromCode } from '../../../lambda/raster/crs/from-text.ts';
import type { RasterGrid } from '../../../lambda/raster/types.ts';
import { pixelMapping } from '../../../lambda/raster/warp/pixel-mapping.ts';
import { suggestGrid } from '../../../lambda/raster/warp/suggest-grid.ts';
import { partBounds, windowParts } from '../../../lambda/raster/warp/window-geometry.ts';
import { grid, wholeOf } from './grids.ts';

/** The largest distance, px, between positions read off the lattice and exact ones, at the centres of every 7th pixel. */
const largestError = (source: RasterGrid, out: RasterGrid): number => {
  const mapping = pixelMapping(source, out);
  let largest = 0;
  for (const { rect, line, exact } of windowParts(mapping, out, wholeOf(out), source, { x: 1, y: 1 })) {
    if (exact) continue;
    for (let v = rect.y; v < rect.y + rect.height; v += 7) {
      const { x0, dx, ddx, y0, dy, ddy, first } = line(v + 0.5, 0.5);
      for (let i = 0; i < rect.width; i += 7) {
        const position = mapping.at(rect.x + i + 0.5, v + 0.5);
        const k = first + i;
        const error =
          position === null
            ? Infinity
            : Math.hypot(x0 + k * (dx + k * ddx) - position.x, y0 + k * (dy + k * ddy) - position.y);
        largest = Math.max(largest, error);
      }
    }
  }
  return largest;
};

describe('Positions between the exact ones', () => {
  it.each([
    ['a scene of 10 m pixels', grid('EPSG:32631', 400, 400, [300000, 5800000], 10), 'EPSG:3857'],
    ['a scene of 1 km pixels', grid('EPSG:32631', 400, 400, [300000, 5800000], 1000), 'EPSG:3857'],
    ['a scene across the antimeridian', grid('EPSG:32660', 400, 400, [600000, 5800000], 500), 'EPSG:4326'],
    ['half the Earth', grid('EPSG:4326', 360, 160, [-90, 80], 0.5), 'EPSG:3857'],
    ['a polar scene', grid('EPSG:3413', 300, 300, [-500000, 200000], 2000), 'EPSG:4326'],
  ])('are right to a thousandth of a pixel: %s', (_, source, code) => {
    expect(largestError(source, suggestGrid(source, crsFromCode(code)))).toBeLessThan(0.001);
  });

  it('cost few exact ones', () => {
    const source = grid('EPSG:32631', 1024, 1024, [300000, 5800000], 10);
    const out = suggestGrid(source, crsFromCode('EPSG:3857'));
    const mapping = pixelMapping(source, out);
    let asked = 0;
    const counted = {
      ...mapping,
      at: (u: number, v: number) => {
        asked++;
        return mapping.at(u, v);
      },
    };
    windowParts(counted, out, { x: 256, y: 256, width: 512, height: 512 }, source, { x: 1, y: 1 });
    expect(asked).toBeLessThan(200);
  });

  it('lie inside the bounds of their part, as bent as its lines may be', () => {
    const source = grid('EPSG:4326', 360, 160, [-90, 80], 0.5);
    const out = suggestGrid(source, crsFromCode('EPSG:3857'));
    const mapping = pixelMapping(source, out);
    for (const part of windowParts(mapping, out, { x: 30, y: 40, width: 200, height: 150 }, source, { x: 1, y: 1 })) {
      if (part.exact) continue;
      const ys = partBounds(part, 0.5).map(({ y }) => y);
      const { rect } = part;
      const middle = mapping.at(rect.x + rect.width / 2, rect.y + rect.height / 2);
      expect(middle?.y).toBeLessThan(Math.max(...ys) + part.bend);
      expect(middle?.y).toBeGreaterThan(Math.min(...ys) - part.bend);
    }
  });
});

describe('Positions without a source', () => {
  it('are left out: beyond the edge of the Earth in a geostationary view', () => {
    const view = crsFromCode('EPSG:4326');
    const disk: RasterGrid = {
      crs: {
        ...view,
        code: null,
        name: 'GOES',
        geographic: false,
        proj4: '+proj=geos +lon_0=-75 +h=35786023 +ellps=GRS80 +sweep=x',
      },
      width: 100,
      height: 100,
      geotransform: [-5500000, 110000, 0, 5500000, 0, -110000],
    };
    const mapping = pixelMapping(disk, grid('EPSG:4326', 180, 90, [-180, 90], 2));
    expect(mapping.at(52.5, 45)).not.toBeNull();
    expect(mapping.at(142.5, 45)).toBeNull();
  });
});
