/** Sample types that the pipeline computes with and writes. */
export const DATA_TYPES = ['uint8', 'int8', 'uint16', 'int16', 'uint32', 'int32', 'float32', 'float64'] as const;
export type DataType = (typeof DATA_TYPES)[number];

export const RESAMPLINGS = ['nearest', 'bilinear', 'cubic', 'average'] as const;
export type Resampling = (typeof RESAMPLINGS)[number];

export const OVERVIEW_METHODS = ['average', 'nearest', 'mode'] as const;
export type OverviewMethod = (typeof OVERVIEW_METHODS)[number];

export const COMPRESSIONS = ['deflate', 'zstd', 'none'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

/**
 * GDAL's order: x = gt[0] + col * gt[1] + row * gt[2]; y = gt[3] + col * gt[4] + row * gt[5], where (col, row) = (0, 0)
 * is the outer corner of the first pixel (PixelIsArea; PixelIsPoint sources are shifted when they are read).
 */
export type GeoTransform = readonly [number, number, number, number, number, number];

/** A rectangle of pixels; x and y are the column and row of its first pixel. */
export interface PixelRect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface RasterSize {
  /** Columns, px. */
  readonly width: number;
  /** Rows, px. */
  readonly height: number;
}

/** Working pixels, row-major rows x cols, NaN where there is no data. Float64 where float32 would lose integers. */
export type FloatPixels = Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** Pixels in an output's own type, row-major rows x cols. */
export type PixelArray =
  | Uint8Array<ArrayBuffer>
  | Int8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Int16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/** The three GeoTIFF key tags as they stand in a file (34735, 34736, 34737). */
export interface GeoKeys {
  readonly directory: readonly number[];
  readonly doubles: readonly number[];
  readonly ascii: string;
}

/** A coordinate reference system; plain data, so that a plan record can carry it. */
export interface Crs {
  /** `EPSG:32631`, or null where the system has no authority code. */
  readonly code: string | null;
  readonly name: string;
  /** What proj4 makes its transformation from. */
  readonly proj4: string;
  readonly geographic: boolean;
  /** The keys an output of this CRS is written with; the raster type in them is always PixelIsArea. */
  readonly geoKeys: GeoKeys;
}

/** Where a raster lies: CRS, geotransform and size. */
export interface RasterGrid extends RasterSize {
  readonly crs: Crs;
  readonly geotransform: GeoTransform;
}

/**
 * One band's statistics over its valid pixels; `mean` and `m2` (sum of squared deviations) merge exactly by Chan's formula.
 * All are finite: what float64 cannot hold is null, not known.
 */
export interface BandStatistics {
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number | null;
  readonly m2: number | null;
}

/** Reads byte ranges of one immutable object. The only way a raster is reached: a file here, an S3 object there. */
export interface RangeReader {
  /** What messages call the object: a file name or a URL. */
  readonly name: string;
  /** The object's size, bytes. */
  readonly size: number;
  /** One byte array per range, each exactly as long as asked for and the caller's own; throws where the object ends earlier. */
  read(ranges: readonly ByteRange[], signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>[]>;
}

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}
