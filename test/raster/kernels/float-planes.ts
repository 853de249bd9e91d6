import { splitFloats } from '../../../lambda/raster/kernels/predictor-kernels.ts';
import { seededRandom } from '../../support/cog-images.ts';

export type Bytes = Uint8Array<ArrayBuffer>;

/** Floats as they are before compression: rows of four planes of differences. */
export const planesOf = (floats: Float32Array<ArrayBuffer>, columns: number): Bytes => {
  const planes = new Uint8Array(floats.byteLength);
  splitFloats(floats, planes, columns);
  return planes;
};

/** Ratios of whole numbers that change slowly but for noise, as indices of reflectances are: every bit of them is used. */
export const noisyRatios = (count: number, seed: number): Float32Array<ArrayBuffer> => {
  const random = seededRandom(seed);
  const ratio = (_: unknown, i: number): number => {
    const [a, b] = [3000 + 2000 * Math.sin(i / 300) + 400 * random(), 1000 + 300 * random()].map(Math.round);
    return ((a ?? 0) - (b ?? 0)) / ((a ?? 0) + (b ?? 0));
  };
  return Float32Array.from({ length: count }, ratio);
};

/** The same as it is before compression. */
export const noisyFloats = (rows: number, columns: number): Bytes =>
  planesOf(noisyRatios(rows * columns, rows), columns);
