import type { DataType, PixelArray, RasterSize } from '../raster/types.ts';

// Looked up once: in a test runner's sandbox every look-up of a global costs more than a pixel.
const { isFinite } = Number;

/** A band at the preview's size, rows x cols. */
export interface ReducedBand {
  readonly values: Float64Array<ArrayBuffer>;
  /** 1 where there is data. */
  readonly valid: Uint8Array<ArrayBuffer>;
}

export interface ReduceOptions extends RasterSize {
  readonly nodata: number | null;
  readonly dataType: DataType;
  readonly categorical: boolean;
}

/** The size scaled down so that its longer side is at most `longest`; its own where it is no larger. */
export function fitted(size: RasterSize, longest: number): RasterSize {
  const scale = Math.min(1, longest / Math.max(size.width, size.height));
  return {
    width: Math.max(1, Math.round(size.width * scale)),
    height: Math.max(1, Math.round(size.height * scale)),
  };
}

/**
 * A band scaled down to `size`: each pixel is the mean of the valid pixels under it, or the middle one of a class map.
 * Nodata, NaN and infinities are no data; so is what the alpha, where there is one, says is transparent.
 *
 * @param band rows x cols of `options`' size, `size` no larger.
 */
export function reduce(
  band: PixelArray,
  alpha: PixelArray | undefined,
  options: ReduceOptions,
  size: RasterSize,
): ReducedBand {
  const values = new Float64Array(size.width * size.height);
  const valid = new Uint8Array(size.width * size.height);
  const nodata = storedNodata(options);
  // A power of two takes no bit: the sum of the largest doubles must not overflow.
  const share = options.dataType === 'float64' ? 2 ** -64 : 1;
  const columns = spans(options.width, size.width, options.categorical);
  const rows = spans(options.height, size.height, options.categorical);
  for (let row = 0; row < size.height; row += 1) {
    const top = rows.start[row] ?? 0;
    const bottom = rows.end[row] ?? 0;
    for (let column = 0; column < size.width; column += 1) {
      const left = columns.start[column] ?? 0;
      const right = columns.end[column] ?? 0;
      let sum = 0;
      let count = 0;
      for (let y = top; y < bottom; y += 1) {
        for (let i = y * options.width + left; i < y * options.width + right; i += 1) {
          const value = band[i] ?? Number.NaN;
          if (value === nodata || !isFinite(value) || (alpha !== undefined && alpha[i] === 0)) continue;
          sum += value * share;
          count += 1;
        }
      }
      if (count === 0) continue;
      values[row * size.width + column] = finite(sum / count / share);
      valid[row * size.width + column] = 1;
    }
  }
  return { values, valid };
}

/** What rounding took beyond the largest number. */
function finite(value: number): number {
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, value));
}

/** Source rows (or columns) under each preview row: `start` to `end`, exclusive; the middle one alone of a class map. */
function spans(from: number, to: number, middle: boolean): { start: Int32Array; end: Int32Array } {
  const edge = (index: number): number => Math.floor((index * from) / to);
  const centre = (index: number): number => Math.floor((edge(index) + edge(index + 1)) / 2);
  return {
    start: Int32Array.from({ length: to }, (_, index) => (middle ? centre(index) : edge(index))),
    end: Int32Array.from({ length: to }, (_, index) => (middle ? centre(index) + 1 : edge(index + 1))),
  };
}

/** Nodata as the pixels hold it: rounded to float32 where they are. */
function storedNodata(options: ReduceOptions): number | null {
  if (options.nodata === null || options.dataType !== 'float32') return options.nodata;
  return Math.fround(options.nodata);
}
