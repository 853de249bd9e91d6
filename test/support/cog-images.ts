import { pixelArray } from '../../lambda/raster/data-type.ts';
import type { BandTag, CogImage } from '../../lambda/raster/cog/cog-image.ts';
import { sampleType } from '../../lambda/raster/cog/sample-type.ts';
import type { Crs, DataType, PixelArray } from '../../lambda/raster/types.ts';

/** UTM zone 31 north, as keys with a name that GDAL reads back. */
export const UTM_31N: Crs = {
  code: 'EPSG:32631',
  name: 'WGS 84 / UTM zone 31N',
  proj4: '+proj=utm +zone=31 +datum=WGS84 +units=m +no_defs',
  geographic: false,
  geoKeys: { directory: [1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 2, 3072, 0, 1, 32631], doubles: [], ascii: '' },
};

export const NO_TAG: BandTag = { name: null, scale: null, offset: null, unit: null, statistics: null };

/** Numbers from 0 to 1 that look random and are the same on every run (xorshift32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Pixels over the type's whole range (floats: -1 to 1), with `missing` of them set to `nodata`, partly in whole areas. */
export function noisyPixels(
  dataType: DataType,
  width: number,
  height: number,
  options: { seed?: number; nodata?: number | null; missing?: number } = {},
): PixelArray {
  const random = seededRandom(options.seed ?? 1);
  const { min, max, format } = sampleType(dataType);
  const pixels = pixelArray(dataType, width * height);
  const nodata = options.nodata ?? null;
  for (let i = 0; i < pixels.length; i++) {
    const value = random();
    pixels[i] = format === 3 ? 2 * value - 1 : min + Math.floor(value * (max - min + 1));
    const inHole = i % width < width / 3 && i < pixels.length / 2;
    if (nodata !== null && random() < (inHole ? 0.9 : (options.missing ?? 0.1))) pixels[i] = nodata;
  }
  return pixels;
}

/** An image to encode; what `parts` leaves out is a plain uint8 of no compression on a 10 m UTM grid. */
export function cogImage(parts: Partial<CogImage> & Pick<CogImage, 'width' | 'height' | 'bands'>): CogImage {
  return {
    dataType: 'uint8',
    nodata: null,
    grid: { crs: UTM_31N, geotransform: [500_000, 10, 0, 5_000_000, 0, -10] },
    blockSize: 16,
    compression: 'deflate',
    overviews: 'average',
    color: null,
    alpha: false,
    bandTags: parts.bands.map(() => NO_TAG),
    digest: 'ab'.repeat(32),
    ...parts,
  };
}
