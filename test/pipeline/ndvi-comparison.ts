import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { gdalPython } from '../support/gdal-python.ts';
import type { CommandRun } from '../support/run-command.ts';
import type { NdviScene, SceneBand } from './ndvi-scenes.ts';

const Grid = z.object({ size: z.tuple([z.number(), z.number()]), geotransform: z.array(z.number()).length(6) });

const Comparison = z.object({
  /** Pixels that are valid in the expected raster. */
  valid: z.number(),
  /** Share of all pixels that are valid in one raster and not in the other. */
  maskShare: z.number(),
  /** Share of the pixels valid in both whose values differ by more than float32's rounding. */
  differentShare: z.number(),
  /** Absolute difference over the pixels valid in both: its 99.9th percentile and its maximum. */
  p999: z.number(),
  max: z.number(),
  grid: Grid,
  /** gdalwarp's own choice for the red band. */
  suggestion: Grid,
});
export type NdviComparison = z.infer<typeof Comparison>;

const program = (name: string): string => readFileSync(new URL(`gdal/${name}`, import.meta.url), 'utf8');

const forGdal = ({ file, fields: { band, scale, offset, nodata, resampling } }: SceneBand) => ({
  file,
  band: band ?? 1,
  scale: scale === undefined ? null : Number(scale),
  offset: offset === undefined ? null : Number(offset),
  nodata: nodata ?? null,
  resampling: resampling ?? null,
});

/** Classes that are taken out. */
export interface ClassMask {
  readonly band: SceneBand;
  readonly classes: readonly number[];
}

/**
 * Mosaics of a scene's NDVI against `gdalwarp -et 0 -ovr NONE` of each band on the mosaic's grid, and the same maths.
 *
 * @param dstCrs null: the mosaic's own
 */
export async function compareNdvi(
  { red, nir }: NdviScene,
  dstCrs: string | null,
  runs: readonly { readonly resampling: string; readonly run: CommandRun }[],
  mask: ClassMask | null = null,
): Promise<NdviComparison[]> {
  const found = await gdalPython(program('compare_ndvi.py'), {
    bands: { red: forGdal(red), nir: forGdal(nir) },
    mask: mask === null ? null : { band: forGdal(mask.band), classes: mask.classes },
    dstCrs,
    runs: runs.map(({ resampling, run }) => ({ resampling, mosaic: run.mosaic })),
  });
  return z.array(Comparison).parse(found);
}

/** What a run's files are expected to be. */
export interface ExpectedFiles {
  readonly run: CommandRun;
  readonly overviews: 'average' | 'nearest' | 'mode';
  readonly nodata: number | 'nan' | null;
  /** What GDAL understands as a CRS, or the path of a raster that has it. */
  readonly crs: string;
}

/**
 * What GDAL finds wrong with the tiles and the mosaic of each run: its COG validator's full check, CRS, nodata,
 * statistics against the pixels, overviews against GDAL's own, tiles against the mosaic, window for window.
 */
export async function problemsOfFiles(expected: readonly ExpectedFiles[]): Promise<string[][]> {
  const found = await gdalPython(
    program('inspect_outputs.py'),
    expected.map(({ run, ...rest }) => ({ mosaic: run.mosaic, tiles: run.tiles, ...rest })),
  );
  return z.array(z.array(z.string())).parse(found);
}
