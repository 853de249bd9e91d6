import { TileonceError } from '../../errors.ts';
import type { GridDefinition } from '../../pipeline/definition/pipeline.ts';
import { crsFromCode } from '../crs/from-text.ts';
import { sameCrs } from '../crs/same-crs.ts';
import { UNKNOWN_SHIFT_REMEDY } from '../crs/transformation.ts';
import { shiftIsUnknown } from '../crs/unknown-shift.ts';
import type { Crs, RasterGrid } from '../types.ts';
import { extentOf } from './geotransform.ts';
import type { Extent } from './geotransform.ts';
import { longitudePeriod, nearestTurn } from './longitude-period.ts';
import { gridFromExtent, refuseAbsurd, snapGrid, zoomGrid } from './snap-grid.ts';
import { suggestGrid } from './suggest-grid.ts';

/** A band by name, and where its source lies. */
export interface BandGrid {
  readonly name: string;
  readonly grid: RasterGrid;
}

export interface OutputGridOptions {
  /** An EPSG code, or `source`. */
  readonly dstCrs: string;
  readonly grid: GridDefinition;
}

/**
 * The grid of a scene's output. Bands on several grids: the box around all of them, in the finest band's pixels.
 * Under `source` the finest band's own grid, unless the options ask for another resolution or extent.
 *
 * @throws TileonceError where bands differ in CRS under `source`, where a band's datum shift is not known or it lies outside the CRS's domain, where an
 * extent misses the scene, or where the output would have no pixel or one that is larger than the scene. How many it may
 * have is for others to say.
 */
export const planOutputGrid = (bands: readonly BandGrid[], { dstCrs, grid }: OutputGridOptions): RasterGrid => {
  const [first, ...others] = bands;
  if (first === undefined) throw new RangeError('an output needs a band');
  const crs = dstCrs === 'source' ? commonCrs(first, others) : crsFromCode(dstCrs);
  for (const { name, grid: source } of bands) requireKnownShift(name, source.crs, crs);
  const suggestions = bands.map((band) => suggestGrid(band.grid, crs));
  const finest = suggestions.reduce((a, b) => (pixelArea(b) < pixelArea(a) ? b : a));
  if (dstCrs === 'source' && grid.kind === 'suggested') return refuseAbsurd(finest);
  const footprint = union(suggestions, crs);
  return refuseAbsurd(refuseCoarse(gridOf(grid, crs, finest, footprint), grid, footprint));
};

/** Where a warp needs a shift that is not known, the band it is needed for is named. */
const requireKnownShift = (band: string, from: Crs, to: Crs): void => {
  if (!shiftIsUnknown(from.proj4) || sameCrs(from, to)) return;
  throw new TileonceError(
    `band ${band} is in ${from.code === null ? nameOf(from) : `${from.code} (${from.name})`}, whose shift to WGS 84 is not known to within 2 m (it needs a datum grid file, which is not supported)`,
    { remedy: UNKNOWN_SHIFT_REMEDY },
  );
};

const gridOf = (definition: GridDefinition, crs: Crs, finest: RasterGrid, footprint: Extent): RasterGrid => {
  if (definition.kind === 'suggested') {
    return extended(finest, footprint);
  }
  if (definition.kind === 'tms') {
    if (crs.code === 'EPSG:3857') return zoomGrid(crs, footprint, definition.zoom);
    const message = `the tile matrix set ${definition.tms} is in EPSG:3857, but the output is in ${nameOf(crs)}`;
    throw new TileonceError(message, { remedy: 'set "dst_crs": "EPSG:3857"' });
  }
  const extent = definition.kind === 'extent' ? touching(definition.extent, footprint, crs) : footprint;
  const resolution = definition.resolution ?? finest.geotransform[1];
  return (definition.align ? snapGrid : gridFromExtent)(crs, extent, resolution);
};

const commonCrs = (first: BandGrid, others: readonly BandGrid[]): Crs => {
  const other = others.find(({ grid }) => !sameCrs(grid.crs, first.grid.crs));
  if (other === undefined) return first.grid.crs;
  throw new TileonceError(
    `band ${first.name} is in ${nameOf(first.grid.crs)} but band ${other.name} in ${nameOf(other.grid.crs)}, so there is no one source CRS`,
    { remedy: 'set "dst_crs" to an EPSG code' },
  );
};

const nameOf = ({ code, name }: Crs): string => code ?? `"${name}"`;

const pixelArea = ({ geotransform }: RasterGrid): number => Math.abs(geotransform[1] * geotransform[5]);

/** The box around all grids; each on the turn around the Earth that is nearest to the first. */
const union = (grids: readonly RasterGrid[], crs: Crs): Extent => {
  const [first, ...others] = grids.map(extentOf);
  if (first === undefined) throw new RangeError('no grid to enclose');
  let [minX, minY, maxX, maxY] = first;
  for (const other of others) {
    const [left, bottom, right, top] = onTurnOf(other, first, crs);
    minX = Math.min(minX, left);
    minY = Math.min(minY, bottom);
    maxX = Math.max(maxX, right);
    maxY = Math.max(maxY, top);
  }
  return [minX, minY, maxX, maxY];
};

const onTurnOf = (extent: Extent, reference: Extent, crs: Crs): Extent => {
  const centre = (extent[0] + extent[2]) / 2;
  const shift = nearestTurn(centre, (reference[0] + reference[2]) / 2, longitudePeriod(crs)) - centre;
  return [extent[0] + shift, extent[1], extent[2] + shift, extent[3]];
};

/** A grid with whole pixels added at its edges, until it reaches as far as an extent; less than half a pixel is let go. */
const extended = (grid: RasterGrid, [minX, minY, maxX, maxY]: Extent): RasterGrid => {
  const [x0, width, , y0, , height] = grid.geotransform;
  const [left, bottom, right, top] = extentOf(grid);
  const pixels = (distance: number, size: number): number => Math.max(0, Math.round(distance / size));
  const before = pixels(left - minX, width);
  const above = pixels(maxY - top, -height);
  return {
    crs: grid.crs,
    width: grid.width + before + pixels(maxX - right, width),
    height: grid.height + above + pixels(bottom - minY, -height),
    geotransform: [x0 - before * width, width, 0, y0 - above * height, 0, height],
  };
};

/** @throws TileonceError where one pixel would be larger than the scene, which then most often has no pixel's centre in it. */
const refuseCoarse = (output: RasterGrid, definition: GridDefinition, [minX, minY, maxX, maxY]: Extent): RasterGrid => {
  const { crs, width, height, geotransform } = output;
  const pixel = geotransform[1];
  // Rounding must not make a scene of one pixel smaller than it.
  const enough = Math.max(maxX - minX, maxY - minY) * (1 + 1e-6);
  if (pixel <= enough) return output;
  const units = crs.geographic ? 'degrees' : `units of ${nameOf(crs)}`;
  const scene = `${rounded(maxX - minX)} x ${rounded(maxY - minY)}`;
  throw new TileonceError(
    `the output would be ${width} x ${height} px, one of which, ${rounded(pixel)} wide, is larger than the scene: ${scene} ${units}`,
    { remedy: definition.kind === 'tms' ? 'set a higher "zoom"' : `give "resolution" in ${units}` },
  );
};

const rounded = (value: number): number => Number(value.toPrecision(6));

/** The extent asked for. @throws TileonceError where it misses the scene: every window would be empty. */
const touching = (extent: Extent, footprint: Extent, crs: Crs): Extent => {
  const [minX, minY, maxX, maxY] = onTurnOf(footprint, extent, crs);
  if (extent[0] < maxX && extent[2] > minX && extent[1] < maxY && extent[3] > minY) return extent;
  throw new TileonceError(
    `the extent [${extent.join(', ')}] does not touch the scene, which covers [${footprint.join(', ')}] in ${nameOf(crs)}`,
    { remedy: 'give "extent" as minX, minY, maxX, maxY in units of the dst_crs' },
  );
};
