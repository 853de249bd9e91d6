import { TileonceError } from '../../errors.ts';
import type { BandStatistics, Compression, Crs, DataType, GeoTransform, OverviewMethod, PixelArray } from '../types.ts';
import { dataTypeOf } from './sample-type.ts';

/** What is written about one band as GDAL metadata; nulls are left out. */
export interface BandTag {
  readonly name: string | null;
  readonly scale: number | null;
  readonly offset: number | null;
  readonly unit: string | null;
  readonly statistics: BandStatistics | null;
}

/** A Cloud Optimized GeoTIFF but for its pixels. */
export interface CogDescription {
  /** Columns, px. */
  readonly width: number;
  /** Rows, px. */
  readonly height: number;
  readonly bandCount: number;
  readonly dataType: DataType;
  readonly nodata: number | null;
  readonly grid: { readonly crs: Crs; readonly geotransform: GeoTransform };
  /** Side of a block, px; a multiple of 16. */
  readonly blockSize: number;
  /**
   * True: one overview more, in blocks of half the side. A scene's overview whose blocks lie across tiles is then put
   * together from a quarter of the pixels that would have to be decoded to make it.
   */
  readonly halfBlockOverview?: boolean;
  readonly compression: Compression;
  readonly overviews: OverviewMethod;
  /** `rgb`: the first three bands are red, green, blue. */
  readonly color: 'rgb' | null;
  /** True: the last band is an unassociated alpha, 0 where the pixel is invalid; `nodata` is then null. */
  readonly alpha: boolean;
  /** One a band, in band order. */
  readonly bandTags: readonly BandTag[];
  /** What the file says its pixels and georeference hash to, lower-case hex SHA-256. */
  readonly digest: string;
}

/** A Cloud Optimized GeoTIFF with its pixels: one array a band, rows x cols. */
export interface CogImage extends Omit<CogDescription, 'bandCount'> {
  readonly bands: readonly PixelArray[];
}

/** An image that cannot be written as it was described. */
export class CogImageError extends TileonceError {}

/** Refuses a description that no TIFF can be made from. Throws CogImageError. */
export function checkDescription(description: CogDescription): void {
  const { width, height, blockSize, bandCount, bandTags, color, alpha, nodata } = description;
  const refuse = (what: string): never => {
    throw new CogImageError(`a GeoTIFF of ${width} x ${height} px cannot be written: ${what}`);
  };
  if (!isCount(width) || !isCount(height)) refuse('width and height must be positive integers');
  if (!isCount(blockSize) || blockSize % 16 !== 0) refuse(`its block size ${blockSize} is not a multiple of 16`);
  if (description.halfBlockOverview === true && blockSize % 32 !== 0)
    refuse(`half its block size ${blockSize} is not a multiple of 16`);
  if (!isCount(bandCount) || bandCount > 0xffff) refuse(`it has ${bandCount} bands`);
  if (bandTags.length !== bandCount) refuse(`it has ${bandCount} bands but tags for ${bandTags.length}`);
  if (color === 'rgb' && bandCount < (alpha ? 4 : 3)) refuse(`${bandCount} bands are too few for colour`);
  if (alpha && color === null) refuse('alpha goes with colour only');
  if (alpha && nodata !== null) refuse('it has both alpha and a nodata value');
}

/** The description of an image. Throws CogImageError where its bands are not of its size and type. */
export function describe(image: CogImage): CogDescription {
  const { bands, ...rest } = image;
  for (const [index, band] of bands.entries()) {
    if (band.length !== image.width * image.height || dataTypeOf(band) !== image.dataType) {
      throw new CogImageError(
        `band ${index + 1} holds ${band.length} ${dataTypeOf(band)} samples where ` +
          `${image.width} x ${image.height} of ${image.dataType} were expected`,
      );
    }
  }
  const description = { ...rest, bandCount: bands.length };
  checkDescription(description);
  return description;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}
