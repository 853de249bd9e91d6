import { SourceError } from '../../errors.ts';
import type { GeoKeys, GeoTransform } from '../types.ts';
import type { Directory } from './directory.ts';
import { TAG } from './tags.ts';

/** The tags that say where a raster lies, as they stand in the file. */
export interface Georeference {
  readonly pixelScale: readonly number[];
  readonly tiepoints: readonly number[];
  readonly transformation: readonly number[];
  readonly hasRpc: boolean;
  readonly geoKeys: GeoKeys;
}

const RASTER_TYPE_KEY = 1025;
const PIXEL_IS_POINT = 2;
const ASSIGN = 'give it one: gdal_edit.py -a_srs EPSG:CODE -a_ullr ULX ULY LRX LRY';

/** Reads a directory's georeference tags; judges nothing. */
export async function readGeoreference(directory: Directory): Promise<Georeference> {
  return {
    pixelScale: await directory.numbers(TAG.ModelPixelScale),
    tiepoints: await directory.numbers(TAG.ModelTiepoint),
    transformation: await directory.numbers(TAG.ModelTransformation),
    hasRpc: directory.has(TAG.RpcCoefficients),
    geoKeys: {
      directory: await directory.numbers(TAG.GeoKeyDirectory),
      doubles: await directory.numbers(TAG.GeoDoubleParams),
      ascii: (await directory.text(TAG.GeoAsciiParams)) ?? '',
    },
  };
}

/**
 * The geotransform in GDAL's order, of the outer corner of the first pixel (OGC 19-008, annex B.6; the order in which
 * GDAL looks at the tags). PixelIsPoint rasters are moved by half a pixel. A negative scale in y is taken as positive,
 * as GDAL does: a raster that is truly south-up says so by a transformation.
 *
 * @throws SourceError where there is none, or only ground control points or RPCs: none is made up
 */
export function geotransformOf(georeference: Georeference, file: string): GeoTransform {
  const transform = fromScale(georeference) ?? fromMatrix(georeference.transformation);
  if (transform === null || (georeference.hasRpc && isPixelSpace(transform))) return refuse(georeference, file);
  const [a, b, c, d, e, f] = transform;
  if (!transform.every(Number.isFinite) || b * f - c * e === 0) {
    throw new SourceError(file, `its geotransform [${transform.join(', ')}] does not map pixels to the ground`, {
      remedy: ASSIGN,
    });
  }
  if (!isPixelPoint(georeference.geoKeys)) return transform;
  return [a - (b + c) / 2, b, c, d - (e + f) / 2, e, f];
}

/** @throws SourceError where the file has no GeoTIFF keys at all, so that no CRS can be meant */
export function requireGeoKeys(georeference: Georeference, file: string): GeoKeys {
  if (georeference.geoKeys.directory.length < 4) {
    throw new SourceError(file, 'has no coordinate reference system', { remedy: ASSIGN });
  }
  return georeference.geoKeys;
}

function fromScale({ pixelScale, tiepoints }: Georeference): GeoTransform | null {
  const [scaleX = 0, scaleY = 0] = pixelScale;
  const [column, row, , x, y] = tiepoints;
  if (scaleX === 0 || scaleY === 0 || tiepoints.length < 6) return null;
  if (column === undefined || row === undefined || x === undefined || y === undefined) return null;
  const stepY = -Math.abs(scaleY);
  return [x - column * scaleX, scaleX, 0, y - row * stepY, 0, stepY];
}

function fromMatrix(matrix: readonly number[]): GeoTransform | null {
  if (matrix.length !== 16) return null;
  const [a, b, , x, c, d, , y] = matrix;
  if (a === undefined || b === undefined || x === undefined) return null;
  if (c === undefined || d === undefined || y === undefined) return null;
  return [x, a, b, y, c, d];
}

function isPixelPoint({ directory }: GeoKeys): boolean {
  for (let at = 4; at + 3 < directory.length; at += 4) {
    if (directory[at] === RASTER_TYPE_KEY) return directory[at + 3] === PIXEL_IS_POINT;
  }
  return false;
}

/** Columns and rows under the name of a ground position: what writers of RPC images leave behind. */
function isPixelSpace([x, a, b, y, c, d]: GeoTransform): boolean {
  return x === 0 && y === 0 && a === 1 && b === 0 && c === 0 && Math.abs(d) === 1;
}

function refuse({ tiepoints, hasRpc }: Georeference, file: string): never {
  const warp = `warp it first: gdalwarp -t_srs EPSG:CODE ${file} warped.tif`;
  if (hasRpc) throw new SourceError(file, 'has no geotransform, only RPC coefficients', { remedy: warp });
  if (tiepoints.length > 6) {
    const count = Math.floor(tiepoints.length / 6);
    throw new SourceError(file, `has no geotransform, only ${count} ground control points`, { remedy: warp });
  }
  throw new SourceError(file, 'has no geotransform', { remedy: ASSIGN });
}
