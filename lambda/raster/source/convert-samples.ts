/* oxlint-disable typescript/no-unsafe-type-assertion --
   index reads that the loop's own bounds prove: `?? 0` in their place costs up to a third of the speed. */
import type { FloatPixels, PixelArray } from '../types.ts';

/** A rectangle of one band, in samples of the block it is taken from and of the window it goes to. */
export interface SampleRect {
  readonly width: number;
  readonly height: number;
  /** Where its first sample stands, how far apart the samples of a row are, and rows. */
  readonly from: number;
  readonly step: number;
  readonly fromRow: number;
  /** Where its first pixel goes in the window, and how far apart rows are there. */
  readonly to: number;
  readonly toRow: number;
}

/** In a constant: a lookup of the global in each turn of a loop is slow where the code runs in a sandboxed context. */
const NO_DATA = Number.NaN;

// The same loop for each type that most archives are of: one that meets several types in turn is ten times slower, and the
// engine's own conversion of whole rows, with the search for nodata after it, three times.

const convertUint8 = (source: Uint8Array, target: Float32Array, rect: SampleRect, nodata: number): void => {
  const { width, height, step } = rect;
  for (let row = 0; row < height; row++) {
    let from = rect.from + row * rect.fromRow;
    const to = rect.to + row * rect.toRow;
    for (let at = to; at < to + width; at++, from += step) {
      const value = source[from] as number;
      target[at] = value === nodata ? NO_DATA : value;
    }
  }
};

const convertUint16 = (source: Uint16Array, target: Float32Array, rect: SampleRect, nodata: number): void => {
  const { width, height, step } = rect;
  for (let row = 0; row < height; row++) {
    let from = rect.from + row * rect.fromRow;
    const to = rect.to + row * rect.toRow;
    for (let at = to; at < to + width; at++, from += step) {
      const value = source[from] as number;
      target[at] = value === nodata ? NO_DATA : value;
    }
  }
};

const convertInt16 = (source: Int16Array, target: Float32Array, rect: SampleRect, nodata: number): void => {
  const { width, height, step } = rect;
  for (let row = 0; row < height; row++) {
    let from = rect.from + row * rect.fromRow;
    const to = rect.to + row * rect.toRow;
    for (let at = to; at < to + width; at++, from += step) {
      const value = source[from] as number;
      target[at] = value === nodata ? NO_DATA : value;
    }
  }
};

/**
 * Converts samples to a window's floats, nodata to NaN, where there is a loop for their types.
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
  // NaN equals nothing.
  const missing = nodata ?? Number.NaN;
  if (source instanceof Uint16Array) convertUint16(source, target, rect, missing);
  else if (source instanceof Uint8Array) convertUint8(source, target, rect, missing);
  else if (source instanceof Int16Array) convertInt16(source, target, rect, missing);
  else return false;
  return true;
};
