import { lendPlanes } from '../../../lambda/raster/kernels/plane-memory.ts';

export type FloatBands = readonly Float32Array<ArrayBuffer>[];

/** Where arrays stand that kernels work on: in JavaScript's memory, or in their own. */
export const MEMORIES = ['arrays', 'planes'] as const;

const GUARD = -12_345.5;
const MARGIN = 16;

/**
 * Calls `use` with copies of bands in the memory that is named, and returns what it left in them.
 *
 * @throws Error where it wrote beside one that stands in planes
 */
export const inMemory = (
  memory: (typeof MEMORIES)[number],
  bands: FloatBands,
  use: (bands: FloatBands) => void,
): FloatBands => {
  if (memory === 'arrays') {
    const copies = bands.map((band) => band.slice());
    use(copies);
    return copies;
  }
  using lease = lendPlanes();
  const places = bands.map((band) => {
    const around = lease.take(false, band.length + 2 * MARGIN);
    if (!(around instanceof Float32Array)) throw new RangeError('no room');
    around.fill(GUARD).set(band, MARGIN);
    return { around, pixels: around.subarray(MARGIN, MARGIN + band.length) };
  });
  use(places.map(({ pixels }) => pixels));
  for (const { around, pixels } of places) {
    const beside = [...around.subarray(0, MARGIN), ...around.subarray(MARGIN + pixels.length)];
    if (beside.some((value) => value !== GUARD)) throw new Error('a kernel wrote beside its plane');
  }
  return places.map(({ pixels }) => pixels.slice());
};
