import { type SampleRect, convertRect } from '../kernels/sample-kernels.ts';
import type { FloatPixels, PixelArray } from '../types.ts';

/**
 * Converts samples to a window's floats, nodata to NaN, where there is a kernel for their types: those that most archives
 * are of.
 *
 * @param nodata null: no value is nodata
 * @returns false where there is none, and nothing was done
 */
export const convertSamples = (
  source: PixelArray,
  target: FloatPixels,
  rect: SampleRect,
  nodata: number | null,
): boolean => {
  if (!(target instanceof Float32Array)) return false;
  if (!(source instanceof Uint8Array || source instanceof Uint16Array || source instanceof Int16Array)) return false;
  convertRect(source, target, rect, nodata);
  return true;
};
