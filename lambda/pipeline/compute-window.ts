import { windowRect } from '../identity/grid.ts';
import { pixelDigest } from '../raster/cog/digest.ts';
import type { CogImage } from '../raster/cog/encode-cog.ts';
import type { PlaneLease } from '../raster/kernels/plane-memory.ts';
import type { BandStatistics, RasterGrid } from '../raster/types.ts';
import { cogOptions, hasHalfBlockOverview, windowGeotransform } from './output-image.ts';
import { WindowOutputs } from './evaluate-outputs.ts';
import type { WindowMessage } from './messages.ts';
import { openBands, readStrip } from './read-bands.ts';
import type { SourcePool } from './source-pool.ts';
import { STRIP_PX, stripsOf } from './strips.ts';

export type ComputedWindow =
  | { readonly kind: 'empty' }
  | {
      readonly kind: 'pixels';
      readonly image: CogImage;
      readonly validPixels: number;
      readonly statistics: readonly (BandStatistics | null)[];
    };

/**
 * The pixels of one window: read → warp → scale → expressions → the output's own type, strip by strip.
 * Pure in effect: the same message always gives the same image, on every machine, in strips of whatever size.
 *
 * @param planes where the image's pixels may stand: nobody may use them once it is disposed of
 * @param stripPx output pixels worked on at a time
 * @throws SourceError, SourceChangedError, or the signal's reason.
 */
export const computeWindow = async (
  pool: SourcePool,
  message: WindowMessage,
  signal: AbortSignal,
  planes: PlaneLease | null = null,
  stripPx = STRIP_PX,
): Promise<ComputedWindow> => {
  const { plan } = message;
  const rect = windowRect(plan.windows, message);
  const bands = await openBands(pool, message, stripsOf(rect, stripPx), signal);
  const isLarge = bands.strips.length > 1;
  using _turn = isLarge ? await pool.memory.turn() : null;
  using scratch = pool.memory.lend();
  // A large window's pixels would keep planes' memory that nothing else wants.
  const outputs = new WindowOutputs(plan.pipeline, rect.width * rect.height, scratch, isLarge ? null : planes);
  for (const [index, strip] of bands.strips.entries()) {
    signal.throwIfAborted();
    using memory = pool.memory.lend();
    outputs.add(await readStrip(pool, memory, bands, index, signal), strip.width * strip.height);
  }
  // Its tile is encoded next, which takes as much.
  if (isLarge) pool.memory.release();
  const evaluated = outputs.evaluated();
  if (evaluated.validPixels === 0) return { kind: 'empty' };

  const grid: RasterGrid = {
    crs: plan.grid.crs,
    width: rect.width,
    height: rect.height,
    geotransform: windowGeotransform(plan.grid.geotransform, rect),
  };
  const image: Omit<CogImage, 'digest'> = {
    ...cogOptions(plan.pipeline, evaluated.statistics),
    grid,
    width: rect.width,
    height: rect.height,
    bands: evaluated.bands,
    halfBlockOverview: hasHalfBlockOverview(plan.grid, rect, plan.pipeline.tilePx),
  };
  return {
    kind: 'pixels',
    image: { ...image, digest: pixelDigest(image) },
    validPixels: evaluated.validPixels,
    statistics: evaluated.statistics,
  };
};
