// Operations of expressions over chunks of f64, two values at a time; see ../../expression/kernels.ts. All take arrays with
// room for an even number of values, and `out` may be one of the operands.

/** float32 to f64. */
export function widenFloats(source: usize, out: usize, n: i32): void {
  for (const end = out + ((<usize>n) << 3); out < end; out += 16, source += 8) {
    v128.store(out, f64x2.promote_low_f32x4(v128.load64_zero(source)));
  }
}

export function add64(a: usize, b: usize, out: usize, n: i32): void {
  for (const end = out + ((<usize>n) << 3); out < end; out += 16, a += 16, b += 16) {
    v128.store(out, f64x2.add(v128.load(a), v128.load(b)));
  }
}

export function subtract64(a: usize, b: usize, out: usize, n: i32): void {
  for (const end = out + ((<usize>n) << 3); out < end; out += 16, a += 16, b += 16) {
    v128.store(out, f64x2.sub(v128.load(a), v128.load(b)));
  }
}

export function multiply64(a: usize, b: usize, out: usize, n: i32): void {
  for (const end = out + ((<usize>n) << 3); out < end; out += 16, a += 16, b += 16) {
    v128.store(out, f64x2.mul(v128.load(a), v128.load(b)));
  }
}

export function divide64(a: usize, b: usize, out: usize, n: i32): void {
  for (const end = out + ((<usize>n) << 3); out < end; out += 16, a += 16, b += 16) {
    v128.store(out, f64x2.div(v128.load(a), v128.load(b)));
  }
}

/** (a - b) / (a + b) */
export function normalizedDifference64(a: usize, b: usize, out: usize, n: i32): void {
  for (const end = out + ((<usize>n) << 3); out < end; out += 16, a += 16, b += 16) {
    const x = v128.load(a);
    const y = v128.load(b);
    v128.store(out, f64x2.div(f64x2.sub(x, y), f64x2.add(x, y)));
  }
}
