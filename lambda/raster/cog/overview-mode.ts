import type { PixelArray } from '../types.ts';
import type { BandGrid } from './overview.ts';

/**
 * The most frequent valid value of each overview pixel's source pixels, read row by row; of equally frequent values the
 * one that first reached the count. Without a valid pixel: nodata, or 0.
 */
export function modeBand(pixels: PixelArray, grid: BandGrid, out: PixelArray): void {
  const { columns, rows, stride, nodata, mask } = grid;
  const values: number[] = [];
  const counts: number[] = [];
  let at = 0;
  for (let row = 0; row < rows.count; row++) {
    for (let column = 0; column < columns.count; column++, at++) {
      values.length = 0;
      counts.length = 0;
      let best = nodata ?? 0;
      let bestCount = 0;
      for (let y = rows.start[row] ?? 0; y < (rows.end[row] ?? 0); y++) {
        for (let x = columns.start[column] ?? 0; x < (columns.end[column] ?? 0); x++) {
          const value = pixels[y * stride + x] ?? 0;
          if (value === nodata || Number.isNaN(value) || (mask !== undefined && mask[y * stride + x] === 0)) continue;
          let known = values.indexOf(value);
          if (known === -1) known = values.push(value) - 1;
          const count = (counts[known] ?? 0) + 1;
          counts[known] = count;
          if (count > bestCount) {
            best = value;
            bestCount = count;
          }
        }
      }
      out[at] = best;
    }
  }
}
