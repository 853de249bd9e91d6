import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { gdalPython } from '../support/gdal-python.ts';

const Raster = z.object({
  /** Columns and rows of the full resolution, then of each overview. */
  levels: z.array(z.tuple([z.number(), z.number()])),
  bands: z.array(
    z.object({
      type: z.string(),
      name: z.string(),
      scale: z.number().nullable(),
      offset: z.number().nullable(),
      unit: z.string(),
      nodata: z.union([z.number(), z.literal('nan')]).nullable(),
      color: z.string(),
      signedByte: z.boolean(),
      pixels: z.base64().transform((text) => new Float64Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer)),
    }),
  ),
});
export type GdalRaster = z.infer<typeof Raster>;

const program = readFileSync(new URL('gdal/read_raster.py', import.meta.url), 'utf8');

/** A raster as GDAL reads it: every band's tags and pixels, rows x columns. */
export const readRaster = async (file: string): Promise<GdalRaster> => Raster.parse(await gdalPython(program, file));

/** Pixels of one band, rows x columns; bands count from 1. @throws RangeError where there is no such band. */
export function pixelsOf(raster: GdalRaster, band: number): Float64Array<ArrayBuffer> {
  const found = raster.bands[band - 1];
  if (found === undefined) throw new RangeError(`no band ${band} among ${raster.bands.length}`);
  return found.pixels;
}

/** How many pixels of two bands differ; NaN equals NaN. */
export function differences(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Math.max(actual.length, expected.length);
  let count = 0;
  for (let i = 0; i < actual.length; i++) if (!Object.is(actual[i], expected[i])) count++;
  return count;
}
