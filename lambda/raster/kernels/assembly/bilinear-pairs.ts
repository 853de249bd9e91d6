// Positions of output pixels, two by two, as bilinear.ts leaves them to bilinear-values.ts and bilinear-holes.ts.

/** Bytes of a pair: the offset in a source of the neighbour up and left of each (2 x i32), how far right of it and below it each lies (2 x f64, px). */
export const PAIR: usize = 48;
export const RIGHT: usize = 16;
export const BELOW: usize = 32;
/** Bytes before the first pair, for a loop's constants. */
export const CONSTANT: usize = 16;

/** A constant twice, by way of memory: one that is known is made anew, in four instructions, in every turn of a loop. */
export function constant(at: usize, value: f64): v128 {
  store<f64>(at, value);
  return v128.load64_splat(at);
}
