import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { PixelArray, RangeReader } from '../types.ts';
import type { CogDescription, CogImage } from './cog-image.ts';
import { digestIn } from './gdal-metadata.ts';
import { readCogIndex } from './read-cog.ts';
import { canonicaliseNan, hasOddNan } from './sample-type.ts';

type Georeferenced = Pick<CogDescription, 'width' | 'height' | 'bandCount' | 'dataType' | 'nodata' | 'grid'>;

/**
 * What an image's pixels and georeference are, whatever its blocks and compression: the lower-case hex SHA-256 of a line of JSON
 * (size, bands, type, nodata, CRS, geotransform) and of each band's samples, row by row, little-endian, with every NaN one bit pattern.
 */
export function pixelDigest(
  image: Pick<CogImage, 'width' | 'height' | 'dataType' | 'nodata' | 'grid' | 'bands'>,
): string {
  const hash = createHash('sha256').update(headerLine({ ...image, bandCount: image.bands.length }));
  for (const band of image.bands) updateWithSamples(hash, band);
  return hash.digest('hex');
}

/**
 * What a mosaic is: the lower-case hex SHA-256 of its own line of JSON and of its windows' digests in row-major order, a line each;
 * a window without a valid pixel (null) is EMPTY.
 */
export function mosaicDigest(windowDigests: readonly (string | null)[], mosaic: Georeferenced): string {
  const hash = createHash('sha256').update(headerLine(mosaic));
  for (const digest of windowDigests) hash.update(`${digest ?? 'EMPTY'}\n`);
  return hash.digest('hex');
}

/** The digest that a file of ours carries inside; null for a file that carries none, or is no TIFF of ours. */
export async function readEmbeddedDigest(reader: RangeReader): Promise<string | null> {
  const index = await readCogIndex(reader);
  return index === null ? null : digestIn(index.metadata);
}

function headerLine({ width, height, bandCount, dataType, nodata, grid }: Georeferenced): string {
  const header = {
    width,
    height,
    bands: bandCount,
    dtype: dataType,
    nodata: nodata === null ? null : String(nodata),
    crs: grid.crs.code ?? grid.crs.geoKeys,
    geotransform: grid.geotransform,
  };
  return `${JSON.stringify(header)}\n`;
}

function updateWithSamples(hash: Hash, pixels: PixelArray): void {
  let canonical = pixels;
  if (hasOddNan(pixels)) {
    canonical = pixels.slice();
    canonicaliseNan(canonical);
  }
  hash.update(new Uint8Array(canonical.buffer, canonical.byteOffset, canonical.byteLength));
}
