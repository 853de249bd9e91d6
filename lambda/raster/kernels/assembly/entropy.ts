// How many bits symbols will need, told from their counts without making a code.

/**
 * The bits that symbols with these counts need: their entropy, but where one symbol has a large part, the single bit that
 * it has in Huffman's code, and half of all words for the rest.
 *
 * @param counts n x u32, n a multiple of 4
 */
export function estimatedBits(counts: usize, n: usize): f32 {
  let totals = f32x4.splat(0);
  let highest = i32x4.splat(0);
  let products = f32x4.splat(0);
  for (let i: usize = 0; i < n << 2; i += 16) {
    const count = v128.load(counts + i);
    const number = f32x4.convert_i32x4_u(count);
    totals = f32x4.add(totals, number);
    highest = i32x4.max_u(highest, count);
    products = f32x4.add(products, f32x4.mul(number, log2(number)));
  }
  const total = sumOfFloats(totals);
  const most = <f32>highestOf(highest);
  const product = sumOfFloats(products);
  if (most < <f32>0.4 * total) return total * logOf(total) - product;
  const rest = total - most;
  return total + rest * logOf(rest) - (product - most * logOf(most));
}

function sumOfFloats(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3);
}

function highestOf(v: v128): u32 {
  const two = i32x4.max_u(v, i32x4.shuffle(v, v, 2, 3, 0, 1));
  return max(<u32>i32x4.extract_lane(two, 0), <u32>i32x4.extract_lane(two, 1));
}

function logOf(x: f32): f32 {
  return f32x4.extract_lane(log2(f32x4.splat(x)), 0);
}

/** Of positive numbers, within 0.001; a number of its own, but finite, of 0. */
function log2(x: v128): v128 {
  const exponent = f32x4.convert_i32x4_s(i32x4.sub(i32x4.shr_u(x, 23), i32x4.splat(127)));
  const m = v128.or(v128.and(x, i32x4.splat(0x007fffff)), i32x4.splat(0x3f800000));
  // The same at 1 and, with the next exponent, at 2.
  let y = f32x4.sub(f32x4.mul(m, f32x4.splat(0.15952524)), f32x4.splat(1.0611978));
  y = f32x4.add(f32x4.mul(m, y), f32x4.splat(3.0669166));
  return f32x4.add(f32x4.sub(f32x4.mul(m, y), f32x4.splat(2.1652441)), exponent);
}
