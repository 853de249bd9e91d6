/* oxlint-disable typescript/no-unsafe-type-assertion --
   index reads that the loop's own bounds prove: `?? 0` in their place costs up to a third of the speed. */

/** Fraction bits of the constants, and those that the columns' results keep for the rows. */
const CONSTANT_BITS = 13;
const KEPT_BITS = 2;
const fixed = (value: number): number => Math.round(value * (1 << CONSTANT_BITS));

// Names as in the paper's flow graph: cN is a cosine or a sum of such.
const C_0541 = fixed(0.541196100146197);
const C_0765 = fixed(0.765366864730179);
const C_1847 = fixed(1.847759065022573);
const C_1175 = fixed(1.175875602419359);
const C_0298 = fixed(0.298631336293241);
const C_2053 = fixed(2.053119868765045);
const C_3072 = fixed(3.072711026426166);
const C_1501 = fixed(1.501321110198124);
const C_0899 = fixed(0.899976223136416);
const C_2562 = fixed(2.562915447741505);
const C_1961 = fixed(1.961570560806461);
const C_0390 = fixed(0.390180644032257);

const workspace = new Int32Array(64);

/**
 * The inverse of JPEG's cosine transform, by the algorithm of Loeffler, Ligtenberg and Moschytz (ICASSP 1989) with 11
 * multiplications a line, in the fixed point that libjpeg's accurate integer method rounds in: 13 bits of fraction, 2 of
 * them kept between columns and rows. JPEG leaves the rounding open; with this one, pixels are those of GDAL.
 *
 * @param coefficients 8 x 8, in rows, multiplied by their quantisation steps
 * @param out rows of samples, 0 to 255; written from `at` on, 8 x 8
 */
export function inverseDct(coefficients: Int32Array, out: Uint8ClampedArray, at: number, stride: number): void {
  for (let column = 0; column < 8; column++) {
    line(coefficients, column, 8, CONSTANT_BITS - KEPT_BITS);
    for (let i = 0; i < 8; i++) workspace[i * 8 + column] = result[i] as number;
  }
  for (let row = 0; row < 8; row++) {
    line(workspace, row * 8, 1, CONSTANT_BITS + KEPT_BITS + 3);
    const to = at + row * stride;
    for (let i = 0; i < 8; i++) out[to + i] = (result[i] as number) + 128;
  }
}

const result = new Int32Array(8);

/** One line of 8, rounded by `shift` bits, into `result`. */
function line(source: Int32Array, first: number, step: number, shift: number): void {
  const s0 = source[first] as number;
  const s1 = source[first + step] as number;
  const s2 = source[first + 2 * step] as number;
  const s3 = source[first + 3 * step] as number;
  const s4 = source[first + 4 * step] as number;
  const s5 = source[first + 5 * step] as number;
  const s6 = source[first + 6 * step] as number;
  const s7 = source[first + 7 * step] as number;
  const half = 1 << (shift - 1);

  const turned = (s2 + s6) * C_0541;
  const even2 = turned - s6 * C_1847;
  const even3 = turned + s2 * C_0765;
  const even0 = (s0 + s4) * (1 << CONSTANT_BITS);
  const even1 = (s0 - s4) * (1 << CONSTANT_BITS);
  const a0 = even0 + even3 + half;
  const a3 = even0 - even3 + half;
  const a1 = even1 + even2 + half;
  const a2 = even1 - even2 + half;

  const common = (s7 + s3 + s5 + s1) * C_1175;
  const z1 = (s7 + s1) * -C_0899;
  const z2 = (s5 + s3) * -C_2562;
  const z3 = (s7 + s3) * -C_1961 + common;
  const z4 = (s5 + s1) * -C_0390 + common;
  const b0 = s7 * C_0298 + z1 + z3;
  const b1 = s5 * C_2053 + z2 + z4;
  const b2 = s3 * C_3072 + z2 + z3;
  const b3 = s1 * C_1501 + z1 + z4;

  result[0] = (a0 + b3) >> shift;
  result[7] = (a0 - b3) >> shift;
  result[1] = (a1 + b2) >> shift;
  result[6] = (a1 - b2) >> shift;
  result[2] = (a2 + b1) >> shift;
  result[5] = (a2 - b1) >> shift;
  result[3] = (a3 + b0) >> shift;
  result[4] = (a3 - b0) >> shift;
}
