import { sameCrs } from '../crs/same-crs.ts';
import { TileonceError } from '../../errors.ts';
import type { Crs, RasterGrid } from '../types.ts';
import { edgeRuns, edgesComeBack, footprintMapping, gridRuns, projectedPoints } from './footprint.ts';
import type { FootprintMapping, Point } from './footprint.ts';
import { isAxisAligned, northUp } from './geotransform.ts';

/** Web Mercator's tiles end here; beyond, its scale grows without bound. Degrees. */
const MERCATOR_LATITUDE = 85.06;

/**
 * The output grid that gdalwarp suggests for a source in another CRS (GDALSuggestedWarpOutput2): the box around the
 * source's projected edges, in square pixels as many to the diagonal between the projected corners as the source has.
 * A source across the antimeridian gets one box that runs on past it, where gdalwarp would go around the Earth.
 * In the source's own CRS: its own grid, read from the top left.
 *
 * @throws TileonceError where the source has no place in the CRS.
 */
export const suggestGrid = (source: RasterGrid, dst: Crs): RasterGrid => {
  if (sameCrs(source.crs, dst) && isAxisAligned(source.geotransform)) return { ...northUp(source), crs: dst };

  const mapping = footprintMapping(source, dst);
  const steps = Math.min(100, Math.max(20, Math.trunc(Math.min(source.width, source.height) / 50 + 0.5)));
  const reliable = edgesComeBack(source, mapping, steps);
  const runs = reliable ? edgeRuns(source, steps) : gridRuns(source, steps);
  const points = projectedPoints(runs, mapping);
  if (points.length < 10 || whollyBeyondMercator(source, dst)) {
    throw new TileonceError(`the scene lies outside the area where ${dst.code ?? dst.name} is defined`, {
      remedy: 'choose a dst_crs that covers it, or "source"',
    });
  }

  const box = withPoles(boxAround(points), source, dst, mapping);
  const pixel = pixelSize(source, mapping, box);
  const width = Math.trunc((box.maxX - box.minX) / pixel + 0.5);
  const height = Math.trunc((box.maxY - box.minY) / pixel + 0.5);
  return { crs: dst, width, height, geotransform: [box.minX, pixel, 0, box.maxY, 0, -pixel] };
};

interface Box {
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
}

const boxAround = (points: readonly Point[]): Box => {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of points) {
    minX = Math.min(minX, x);
    minY = Math.min(minY, y);
    maxX = Math.max(maxX, x);
    maxY = Math.max(maxY, y);
  }
  return { minX, minY, maxX, maxY };
};

const pixelSize = ({ width, height }: RasterGrid, mapping: FootprintMapping, box: Box): number => {
  const first = mapping.forward(0, 0);
  const last = mapping.forward(width, height);
  let dx = first === null || last === null ? 0 : last.x - first.x;
  let dy = first === null || last === null ? 0 : last.y - first.y;
  if (dx === 0 || dy === 0) {
    dx = box.maxX - box.minX;
    dy = box.maxY - box.minY;
  }
  return Math.hypot(dx, dy) / Math.hypot(width, height);
};

/** In longitudes and latitudes, a source with a pole inside reaches around the Earth and up to it, though no edge does. */
const withPoles = (box: Box, source: RasterGrid, dst: Crs, mapping: FootprintMapping): Box => {
  if (!dst.geographic || source.crs.geographic) return box;
  let result = box;
  for (const pole of [-90, 90]) {
    const at = mapping.inverse(0, pole);
    const tolerance = 1e-5;
    const inside =
      at !== null &&
      at.x >= -tolerance &&
      at.x <= source.width + tolerance &&
      at.y >= -tolerance &&
      at.y <= source.height + tolerance;
    const again = inside ? mapping.forward(at.x, at.y) : null;
    if (again === null || Math.abs(again.y - pole) > 1e-6) continue;
    result = {
      minX: -180,
      maxX: 180,
      minY: pole < 0 ? pole : result.minY,
      maxY: pole > 0 ? pole : result.maxY,
    };
  }
  return result;
};

/** Mercator has numbers for every latitude but the pole's, but nobody uses it there. */
const whollyBeyondMercator = (source: RasterGrid, dst: Crs): boolean => {
  if (!/\+proj=merc\b/.test(dst.proj4)) return false;
  const geographic: Crs = {
    code: 'EPSG:4326',
    name: 'WGS 84',
    proj4: '+proj=longlat +datum=WGS84 +no_defs',
    geographic: true,
    geoKeys: { directory: [], doubles: [], ascii: '' },
  };
  const latitudes = projectedPoints(edgeRuns(source, 20), footprintMapping(source, geographic)).map(({ y }) => y);
  return (
    latitudes.length > 0 && (Math.min(...latitudes) > MERCATOR_LATITUDE || Math.max(...latitudes) < -MERCATOR_LATITUDE)
  );
};
