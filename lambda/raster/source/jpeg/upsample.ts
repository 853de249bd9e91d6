/* oxlint-disable typescript/no-unsafe-type-assertion --
   index reads that the loop's own bounds prove: `?? 0` in their place costs up to a third of the speed. */
import { CorruptBlockError } from '../corrupt-block.ts';

/** The samples of one component, rows x columns with a stride. */
export interface Plane {
  readonly samples: Uint8ClampedArray;
  /** Columns and rows that the image has; more may lie beside them, as far as whole blocks reach. */
  readonly width: number;
  readonly height: number;
  readonly stride: number;
}

/**
 * A component of fewer samples brought to the image's size: by triangles (3/4 of the nearer, 1/4 of the farther sample)
 * where a side is halved, as libjpeg does it by default, with its rounding; else by repetition.
 *
 * @param across how many pixels one sample is wide, @param down how many high
 * @returns at least rows x columns of the image, `stride` samples a row
 */
export function upsample(plane: Plane, across: number, down: number, width: number, height: number): Plane {
  if (across === 1 && down === 1) return plane;
  if (!Number.isInteger(across) || !Number.isInteger(down)) {
    throw new CorruptBlockError('has JPEG components whose sizes are no whole multiples');
  }
  // Narrower components are repeated by libjpeg as well.
  const smooth = across === 1 ? down === 2 : across === 2 && down <= 2 && plane.width > 2;
  return smooth ? triangles(plane, across, down, width, height) : repeated(plane, across, down, width, height);
}

function repeated(plane: Plane, across: number, down: number, width: number, height: number): Plane {
  const out = new Uint8ClampedArray(width * height);
  for (let y = 0; y < height; y++) {
    const from = Math.floor(y / down) * plane.stride;
    for (let x = 0; x < width; x++) out[y * width + x] = plane.samples[from + Math.floor(x / across)] as number;
  }
  return { samples: out, width, height, stride: width };
}

function triangles(plane: Plane, across: number, down: number, width: number, height: number): Plane {
  const stride = plane.width * across;
  const out = new Uint8ClampedArray(stride * height);
  const sums = new Int32Array(plane.width);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / down);
    const upper = y % 2 === 0;
    const beside = Math.min(plane.height - 1, Math.max(0, upper ? row - 1 : row + 1));
    const near = row * plane.stride;
    const far = beside * plane.stride;
    for (let x = 0; x < plane.width; x++) {
      const sample = plane.samples[near + x] as number;
      sums[x] = down === 1 ? sample : sample * 3 + (plane.samples[far + x] as number);
    }
    if (across === 1) {
      const bias = upper ? 1 : 2;
      for (let x = 0; x < plane.width; x++) out[y * stride + x] = ((sums[x] as number) + bias) >> 2;
    } else widen(sums, out, y * stride, down);
  }
  return { samples: out, width, height, stride };
}

/** Doubles a row; its sums weigh 1 (`down` 1) or 4 (`down` 2). Halves fall now down, now up, so that none is favoured. */
function widen(sums: Int32Array, out: Uint8ClampedArray, at: number, down: number): void {
  const last = sums.length - 1;
  const shift = down === 1 ? 2 : 4;
  const [left, right] = down === 1 ? [1, 2] : [8, 7];
  for (let x = 0; x <= last; x++) {
    const here = sums[x] as number;
    const before = x === 0 ? here : (sums[x - 1] as number);
    const after = x === last ? here : (sums[x + 1] as number);
    out[at + 2 * x] = (here * 3 + before + left) >> shift;
    out[at + 2 * x + 1] = (here * 3 + after + right) >> shift;
  }
}
