import type { PixelMemory } from '../pixel-memory.ts';
import type { DataType, FloatPixels, PixelRect, RasterGrid } from '../types.ts';
import type { HeldBlocks } from './held-blocks.ts';

export interface RasterLevel {
  /** Columns and rows, px. */
  readonly width: number;
  readonly height: number;
  /** True for overviews. */
  readonly reduced: boolean;
}

export interface WindowOptions {
  /** Instead of the file's nodata; null: no value is nodata. */
  readonly nodata?: number | null;
  readonly signal?: AbortSignal;
  /** Where the pixels are to stand; by default in arrays of their own. */
  readonly memory?: PixelMemory;
  /** Where this is one strip of a larger window: what the strips share. */
  readonly held?: HeldBlocks;
}

/**
 * One GeoTIFF, opened: what it says of itself, and its pixels. Files beside it (`.msk`, `.ovr`, `.aux.xml`, world
 * files) are not looked at: a scene is the object that was announced, and nothing else.
 */
export interface RasterSource {
  /** What messages call it. */
  readonly name: string;
  /** Columns and rows of the full resolution, px. */
  readonly width: number;
  readonly height: number;
  /** Alpha included. */
  readonly bandCount: number;
  /** float16 counts as float32, 1 to 7 bits as uint8, 9 to 15 as uint16, 64-bit integers as float64. */
  readonly dataType: DataType;
  /** Columns and rows of a block of the full resolution, px: windows aligned to it decode least. */
  readonly blockWidth: number;
  readonly blockHeight: number;
  /** Full resolution, then overviews from large to small. */
  readonly levels: readonly RasterLevel[];
  /** As the file gives it, rounded to float32 where its pixels are; NaN, or a value that no pixel can have, included. */
  readonly nodata: number | null;
  /** Seconds, UTC, ISO 8601; null where the file does not say. */
  readonly dateTime: string | null;
  /** @throws SourceError where the file has no CRS or no geotransform */
  grid(): RasterGrid;
  /** Band from 1; null where the file gives none. */
  scaleOf(band: number): number | null;
  offsetOf(band: number): number | null;
  description(band: number): string | null;
  /**
   * Raw values of a window, one array a band, rows x columns of `rect`: NaN where nodata, where the pixel is NaN, where
   * an internal mask says invalid, and where an alpha sample is 0 (but for the alpha band itself). Float64Array for
   * 32- and 64-bit integers and float64, else Float32Array.
   *
   * @param bands from 1
   * @param rect px of that level, inside it
   * @param level index into `levels`
   * @throws SourceError for a band that is not there or a block that is damaged; RangeError for a rect or level outside
   */
  readWindow(bands: readonly number[], rect: PixelRect, level: number, options?: WindowOptions): Promise<FloatPixels[]>;
  /** Forgets what was read; the reader stays with its owner. */
  close(): void;
}
