import { type SampleRect, type SampleTarget, convertRect } from '../kernels/sample-kernels.ts';
import type { FloatPixels, PixelArray } from '../types.ts';

/** As the kernels' target, of either float type. */
export type ConversionTarget = Omit<SampleTarget, 'pixels'> & { readonly pixels: FloatPixels };

/**
 * Converts samples to windows' floats, nodata to NaN, where there is a kernel for their types: those that most archives
 * are of.
 *
 * @returns false where there is none, and nothing was done
 */
export const convertSamples = (source: PixelArray, rect: SampleRect, targets: readonly ConversionTarget[]): boolean => {
  if (!(source instanceof Uint8Array || source instanceof Uint16Array || source instanceof Int16Array)) return false;
  if (!targets.every(isSingle)) return false;
  convertRect(source, rect, targets);
  return true;
};

const isSingle = (target: ConversionTarget): target is SampleTarget => target.pixels instanceof Float32Array;
