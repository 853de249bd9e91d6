import type { Crs, GeoKeys, GeoTransform } from '../types.ts';
import type { TiffTag } from './tiff-tags.ts';
import { textTag } from './tiff-tags.ts';

const GT_RASTER_TYPE = 1025;
const PIXEL_IS_AREA = 1;

/** The GeoTIFF tags (OGC 19-008) that say where an image lies, in ascending order. */
export function geoTags(crs: Crs, geotransform: GeoTransform): TiffTag[] {
  const { directory, doubles, ascii } = crs.geoKeys;
  const tags = placement(geotransform);
  tags.push({ tag: 34_735, type: 'SHORT', values: withPixelIsArea(directory) });
  if (doubles.length > 0) tags.push({ tag: 34_736, type: 'DOUBLE', values: doubles });
  if (ascii !== '') tags.push(textTag(34_737, ascii));
  return tags;
}

/** Scale and tie point where the image is north-up, else a transformation matrix: a scale cannot be negative or turned. */
function placement([x0, dx, rx, y0, ry, dy]: GeoTransform): TiffTag[] {
  if (rx === 0 && ry === 0 && dx > 0 && dy < 0) {
    return [
      { tag: 33_550, type: 'DOUBLE', values: [dx, -dy, 0] },
      { tag: 33_922, type: 'DOUBLE', values: [0, 0, 0, x0, y0, 0] },
    ];
  }
  return [{ tag: 34_264, type: 'DOUBLE', values: [dx, rx, 0, x0, ry, dy, 0, y0, 0, 0, 0, 0, 0, 0, 0, 1] }];
}

/** The key directory with its raster type set to PixelIsArea, keys in ascending order. */
function withPixelIsArea(directory: GeoKeys['directory']): number[] {
  const [version = 1, revision = 1, minor = 0, count = 0] = directory;
  const keys: (readonly number[])[] = [[GT_RASTER_TYPE, 0, 1, PIXEL_IS_AREA]];
  // Some writers leave room behind the keys that they count.
  for (let at = 4; at + 4 <= Math.min(directory.length, 4 + 4 * count); at += 4) {
    if (directory[at] !== GT_RASTER_TYPE) keys.push(directory.slice(at, at + 4));
  }
  keys.sort(([a = 0], [b = 0]) => a - b);
  return [version, revision, minor, keys.length, ...keys.flat()];
}
