/**
 * The indices of a grid's cells, row by row, in Z order: the four under each cell of a grid of half the size come one after
 * another, and so on upwards. Sides of at most 32,768.
 */
export function* zOrder({ columns, rows }: { readonly columns: number; readonly rows: number }): Generator<number> {
  const bits = Math.ceil(Math.log2(Math.max(columns, rows, 1)));
  for (let at = 0; at < 4 ** bits; at++) {
    const column = evenBits(at);
    const row = evenBits(at >>> 1);
    if (column < columns && row < rows) yield row * columns + column;
  }
}

/** Bits 0, 2, 4, ... side by side. */
function evenBits(bits: number): number {
  let v = bits & 0x55555555;
  v = (v | (v >>> 1)) & 0x33333333;
  v = (v | (v >>> 2)) & 0x0f0f0f0f;
  v = (v | (v >>> 4)) & 0x00ff00ff;
  return (v | (v >>> 8)) & 0x0000ffff;
}
