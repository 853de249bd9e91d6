import type { SourceLine } from '../../../lambda/raster/warp/source-view.ts';
import { seededRandom } from '../../support/cog-images.ts';
import type { PixelRect } from '../../../lambda/raster/types.ts';
import { UNUSUAL_FLOATS } from './bits.ts';

/**
 * What a line's positions are like: anywhere along a straight or a bent line; on quarters of a pixel, which are centres and
 * edges, too; so near those that a pixel's edge counts as reached, or just does not.
 */
export const LINES = ['linear', 'bent', 'on quarters', 'near quarters'] as const;
export type LineKind = (typeof LINES)[number];

/**
 * A line of which `count` positions have all four neighbours inside a rectangle of at least 2 x 2 px.
 *
 * @param first where along the line the first position is
 */
export const lineInside = (
  kind: LineKind,
  { x, y, width, height }: PixelRect,
  count: number,
  first: number,
  seed: number,
): SourceLine => {
  const random = seededRandom(seed);
  const axis = (origin: number, span: number): Coefficients => {
    if (kind === 'linear') return curved(origin, span, count, first, 0, random);
    if (kind === 'bent') return curved(origin, span, count, first, span * (random() - 0.5), random);
    return quartered(origin, span, count, first, kind === 'near quarters' ? oneOf(SHIFTS, random) : 0, random);
  };
  const [x0, dx, ddx] = axis(x + 0.5, width - 1);
  const [y0, dy, ddy] = axis(y + 0.5, height - 1);
  return { x0, dx, ddx, y0, dy, ddy, first };
};

type Coefficients = readonly [number, number, number];

/** s + (e - s) t + b t (1 - t) for t = (k - first) / count, which leaves its ends by at most b / 4. */
const curved = (
  origin: number,
  span: number,
  count: number,
  first: number,
  bend: number,
  random: () => number,
): Coefficients => {
  const margin = Math.abs(bend) / 4 + span * 1e-6;
  const [start, end] = [0, 1].map(() => origin + margin + random() * (span - 2 * margin));
  if (start === undefined || end === undefined) throw new RangeError('no ends');
  const slope = end - start + bend;
  const shift = first / count;
  return [start - slope * shift - bend * shift * shift, (slope + 2 * bend * shift) / count, -bend / (count * count)];
};

/** Around the 1e-10 px within which a position counts as on the edge. */
const SHIFTS = [5e-11, 9e-11, 1.2e-10, -5e-11] as const;

const quartered = (
  origin: number,
  span: number,
  count: number,
  first: number,
  shift: number,
  random: () => number,
): Coefficients => {
  const room = span - 0.5;
  const step = oneOf(
    [1, 0.5, 0.25, 0].filter((each) => each * count <= room),
    random,
  );
  const start = origin + 0.25 + Math.floor(random() * (room - step * count) * 4) / 4;
  return [(shift === 0 ? start - 0.25 : start - shift) - step * first, step, 0];
};

const oneOf = (values: readonly number[], random: () => number): number =>
  values[Math.floor(random() * values.length)] ?? 0;

/** Pixels of any finite size; `holes` of them without data, and some that are no ordinary numbers. */
export const holedPixels = (length: number, holes: number, seed: number): Float32Array<ArrayBuffer> => {
  const random = seededRandom(seed);
  const pixels = new Float32Array(length);
  const words = new Uint32Array(pixels.buffer);
  for (let i = 0; i < length; i++) {
    if (random() < holes) pixels[i] = NaN;
    else if (random() < 0.05) words[i] = UNUSUAL_FLOATS[Math.floor(random() * UNUSUAL_FLOATS.length)] ?? 0;
    else pixels[i] = (random() - 0.5) * 10 ** Math.floor(random() * 12 - 4);
  }
  return pixels;
};
