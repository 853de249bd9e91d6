import type { GeoTransform, RasterGrid } from '../types.ts';

/** x and y of a pixel position (column, row; corners are whole numbers). */
export const toCoordinates = (gt: GeoTransform, col: number, row: number): { x: number; y: number } => ({
  x: gt[0] + col * gt[1] + row * gt[2],
  y: gt[3] + col * gt[4] + row * gt[5],
});

/** The geotransform that leads back from coordinates to pixel positions. @throws RangeError where a pixel has no area. */
export const inverted = (gt: GeoTransform): GeoTransform => {
  const [x0, a, b, y0, c, d] = gt;
  const determinant = a * d - b * c;
  if (!Number.isFinite(determinant) || determinant === 0)
    throw new RangeError('a geotransform has pixels without area');
  if (b === 0 && c === 0) return [-x0 / a, 1 / a, 0, -y0 / d, 0, 1 / d];
  return [
    (b * y0 - d * x0) / determinant,
    d / determinant,
    -b / determinant,
    (c * x0 - a * y0) / determinant,
    -c / determinant,
    a / determinant,
  ];
};

/** Rows run along x and columns along y, in either direction. */
export const isAxisAligned = (gt: GeoTransform): boolean => gt[2] === 0 && gt[4] === 0;

/** minX, minY, maxX, maxY in the units of a CRS. */
export type Extent = readonly [minX: number, minY: number, maxX: number, maxY: number];

/** The box around a raster. */
export const extentOf = ({
  geotransform,
  width,
  height,
}: Pick<RasterGrid, 'geotransform' | 'width' | 'height'>): Extent => {
  const corners = [
    toCoordinates(geotransform, 0, 0),
    toCoordinates(geotransform, width, 0),
    toCoordinates(geotransform, 0, height),
    toCoordinates(geotransform, width, height),
  ];
  const xs = corners.map(({ x }) => x);
  const ys = corners.map(({ y }) => y);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
};

/** The same pixels read from the top left: x grows with the column, y falls with the row. Axis-aligned grids alone. */
export const northUp = (grid: RasterGrid): RasterGrid => {
  const [, width, , , , height] = grid.geotransform;
  const [minX, , , maxY] = extentOf(grid);
  return { ...grid, geotransform: [minX, Math.abs(width), 0, maxY, 0, -Math.abs(height)] };
};
