import type { FloatPixels } from '../types.ts';

/**
 * Takes the masked pixels out of `values`, in place: those where the mask is true (not 0), and those where it has no data,
 * for nothing then says that the pixel is clear.
 *
 * @param values pixels, rows x columns.
 * @param mask the mask expression's values over the same pixels.
 * @param length how many pixels of both count; by default all.
 */
export const applyMask = (values: FloatPixels, mask: FloatPixels, length = values.length): void => {
  if (mask.length < length) throw new RangeError(`a mask of ${mask.length} px for ${length} px`);
  for (let i = 0; i < length; i += 1) {
    if (mask[i] !== 0) values[i] = NaN;
  }
};

/**
 * The alpha band of a colour output: opaque where every one of its bands has data, else transparent. Pixels that have data
 * in some of the bands only lose it, in place.
 *
 * @param bands pixels of each band, rows x columns, all of one length.
 * @param opaque the alpha of a visible pixel: 255 for uint8, 65535 for uint16.
 * @returns alpha values, rows x columns.
 */
export const alphaOf = (bands: readonly FloatPixels[], opaque: number): Float32Array<ArrayBuffer> => {
  const alpha = new Float32Array(bands[0]?.length ?? 0).fill(opaque);
  for (const band of bands) {
    for (let i = 0; i < alpha.length; i += 1) if (!Number.isFinite(band[i])) alpha[i] = 0;
  }
  for (const band of bands) {
    for (let i = 0; i < alpha.length; i += 1) if (alpha[i] === 0) band[i] = NaN;
  }
  return alpha;
};
