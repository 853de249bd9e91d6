// Index reads in hot loops stay inside their arrays by construction, hence `as number`: a check there costs.

// Math's functions are looked up once: in a test runner's sandbox every look-up of a global costs more than a pixel.
const { ceil, floor, imul, max, min } = Math;

/** One row of a field, `size` columns; valid until the next row is asked for. */
export type FieldRows = (row: number) => Float32Array<ArrayBuffer>;

/** A number in [0, 1) that looks random, a pure function of three 32-bit integers. */
export function hash(x: number, y: number, seed: number): number {
  let h = imul(x, 0x27d4eb2f) ^ imul(y, 0x165667b1) ^ imul(seed, 0x9e3779b1);
  h = imul(h ^ (h >>> 15), 0x85ebca6b);
  h = imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 4_294_967_296;
}

interface Octave {
  readonly wavelength: number;
  readonly strength: number;
  readonly seed: number;
  /** By column: the lattice cell left of it and the share of the cell on the right. */
  readonly cell: Int32Array<ArrayBuffer>;
  readonly share: Float32Array<ArrayBuffer>;
  readonly blended: Float32Array<ArrayBuffer>;
}

/**
 * A field of fractal noise, about [0, 1]: octaves of value noise (random values at the points of a lattice, smoothly
 * interpolated between), each half as long and half as strong as the one before. Row by row, for a scene may be large.
 *
 * @param wavelength of the first octave, px.
 */
export function fractalRows(size: number, wavelength: number, octaves: number, seed: number): FieldRows {
  const total = 2 - 2 ** (1 - octaves);
  const layers = Array.from({ length: octaves }, (_, i) =>
    octaveOf(size, wavelength / 2 ** i, 2 ** -i / total, seed * 101 + i),
  );
  const values = new Float32Array(size);
  return (row) => {
    values.fill(0);
    for (const layer of layers) addOctave(values, row, layer);
    return values;
  };
}

function octaveOf(size: number, wavelength: number, strength: number, seed: number): Octave {
  return {
    wavelength,
    strength,
    seed,
    cell: Int32Array.from({ length: size }, (_, column) => floor(column / wavelength)),
    share: Float32Array.from({ length: size }, (_, column) => smooth((column / wavelength) % 1)),
    blended: new Float32Array(ceil(size / wavelength) + 2),
  };
}

function addOctave(values: Float32Array<ArrayBuffer>, row: number, octave: Octave): void {
  const { wavelength, strength, seed, cell, share, blended } = octave;
  const lattice = floor(row / wavelength);
  const v = smooth((row / wavelength) % 1);
  for (let i = 0; i < blended.length; i += 1) {
    blended[i] = strength * mix(hash(i, lattice, seed), hash(i, lattice + 1, seed), v);
  }
  for (let column = 0; column < values.length; column += 1) {
    const i = cell[column] as number;
    const left = blended[i] as number;
    const right = blended[i + 1] as number;
    values[column] = (values[column] as number) + left + (right - left) * (share[column] as number);
  }
}

/** Noise along a line: random values at the whole numbers, smoothly interpolated between; [0, 1). */
export function noiseAlong(way: number, seed: number): number {
  const from = floor(way);
  return mix(hash(from, 0, seed), hash(from + 1, 0, seed), smooth(way - from));
}

/** The value that a share of a field lies below, from a sample of its rows. */
export function quantile(rows: FieldRows, size: number, share: number): number {
  const step = max(1, floor(size / 96));
  const sample: number[] = [];
  for (let row = 0; row < size; row += step) {
    const values = rows(row);
    for (let column = row % step; column < size; column += step) sample.push(values[column] as number);
  }
  sample.sort((a, b) => a - b);
  return sample[min(sample.length - 1, floor(share * sample.length))] as number;
}

export const mix = (from: number, to: number, t: number): number => from + (to - from) * t;
export const clamp01 = (value: number): number => (value < 0 ? 0 : value > 1 ? 1 : value);
/** 0 below `low`, 1 above `high`, smooth between. */
export const ramp = (low: number, high: number, value: number): number => smooth(clamp01((value - low) / (high - low)));

function smooth(t: number): number {
  return t * t * (3 - 2 * t);
}
