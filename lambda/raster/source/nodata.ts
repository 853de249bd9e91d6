import { integerRange } from '../data-type.ts';
import type { DataType } from '../types.ts';

/**
 * The number that a GDAL_NODATA text stands for: `nan`, `inf`, their C library spellings, or a decimal number; null
 * where it is none of these. It may lie outside the raster's type: such a value matches no pixel.
 */
export function parseNodata(text: string | undefined): number | null {
  const trimmed = text?.trim().toLowerCase();
  if (trimmed === undefined || trimmed === '') return null;
  if (/^[-+]?(nan|1\.#(qnan|snan|ind))/.test(trimmed)) return Number.NaN;
  if (/^[-+]?(inf|1\.#inf)/.test(trimmed)) return trimmed.startsWith('-') ? -Infinity : Infinity;
  const value = Number.parseFloat(trimmed);
  return Number.isNaN(value) ? null : value;
}

/**
 * The value raw pixels are compared with, or null where none of the type can be equal to it. A float32 raster's
 * `-3.4e+38` is rounded to float32 first, as its pixels are. NaN pixels are invalid in any case, so NaN needs no
 * comparison.
 */
export function comparableNodata(nodata: number | null, dataType: DataType): number | null {
  if (nodata === null || Number.isNaN(nodata)) return null;
  if (dataType === 'float64') return nodata;
  if (dataType === 'float32') {
    const rounded = Math.fround(nodata);
    return Number.isFinite(nodata) && !Number.isFinite(rounded) ? null : rounded;
  }
  const { min, max } = integerRange(dataType);
  return Number.isInteger(nodata) && nodata >= min && nodata <= max ? nodata : null;
}

/**
 * The raw value of a block that a sparse file leaves out: nodata, else 0; clamped into an integer type as GDAL does it.
 */
export function sparseValue(nodata: number | null, dataType: DataType): number {
  if (nodata === null) return 0;
  if (dataType === 'float32' || dataType === 'float64') return nodata;
  const { min, max } = integerRange(dataType);
  return Number.isNaN(nodata) ? 0 : Math.min(max, Math.max(min, Math.round(nodata)));
}

/** A GDAL_NODATA text as the exact integer it is; null where it is none. A double cannot hold all 64-bit ones. */
export function exactInteger(text: string | undefined): bigint | null {
  const trimmed = text?.trim() ?? '';
  return /^[-+]?\d+$/.test(trimmed) ? BigInt(trimmed.replace('+', '')) : null;
}
