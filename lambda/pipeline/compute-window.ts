import { windowRect } from '../identity/grid.ts';
import type { PlannedBand } from '../identity/plan.ts';
import { pixelDigest } from '../raster/cog/digest.ts';
import type { CogImage } from '../raster/cog/encode-cog.ts';
import type { RasterSource } from '../raster/source/open-source.ts';
import type { BandStatistics, FloatPixels, PixelRect, RasterGrid } from '../raster/types.ts';
import { planWarp } from '../raster/warp/warp.ts';
import { cogOptions, windowGeotransform } from './output-image.ts';
import { bandsInUse, evaluateOutputs } from './evaluate-outputs.ts';
import type { WindowMessage } from './messages.ts';
import type { SourcePool } from './source-pool.ts';

export type ComputedWindow =
  | { readonly kind: 'empty' }
  | {
      readonly kind: 'pixels';
      readonly image: CogImage;
      readonly validPixels: number;
      readonly statistics: readonly (BandStatistics | null)[];
    };

/**
 * The pixels of one window: read → warp → scale → expressions → the output's own type.
 * Pure in effect: the same message always gives the same image, on every machine.
 *
 * @throws SourceError, SourceChangedError, or the signal's reason.
 */
export const computeWindow = async (
  pool: SourcePool,
  message: WindowMessage,
  signal: AbortSignal,
): Promise<ComputedWindow> => {
  const { plan } = message;
  const rect = windowRect(plan.windows, message);
  const inputs = await readBands(pool, message, rect, signal);
  const evaluated = evaluateOutputs(plan.pipeline, inputs, rect.width * rect.height);
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
  };
  return {
    kind: 'pixels',
    image: { ...image, digest: pixelDigest(image) },
    validPixels: evaluated.validPixels,
    statistics: evaluated.statistics,
  };
};

/** Every band's pixels on the window, rows x cols, scaled; NaN where there is no data. By band name. */
const readBands = async (
  pool: SourcePool,
  message: WindowMessage,
  rect: PixelRect,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, FloatPixels>> => {
  const inputs = new Map<string, FloatPixels>();
  const used = bandsInUse(message.plan.pipeline);
  for (const group of readGroups(message.plan.bands.filter(({ name }) => used.has(name)))) {
    const [first] = group;
    const source = message.sources[first.source];
    if (source === undefined) throw new RangeError(`no source ${first.source}`);
    const raster = await pool.get(message.location, source, signal);
    const warp = planWarp({ grid: raster.grid(), levels: raster.levels }, message.plan.grid, rect, first.resampling);
    if (warp === null) {
      for (const band of group) inputs.set(band.name, new Float32Array(rect.width * rect.height).fill(Number.NaN));
      continue;
    }
    const pixels = await raster.readWindow(
      group.map(({ band }) => band),
      warp.sourceRect,
      warp.level,
      { signal, ...(first.nodata === null ? {} : { nodata: first.nodata }) },
    );
    for (const [i, band] of group.entries()) {
      const raw = pixels[i];
      if (raw === undefined) throw new RangeError(`band ${band.name} was not read`);
      inputs.set(band.name, scaled(warp.run(raw), band, raster));
    }
  }
  return inputs;
};

/** Bands that can be read together: one source, one resampling, one nodata override. */
const readGroups = (bands: readonly PlannedBand[]): (readonly [PlannedBand, ...PlannedBand[]])[] => {
  const groups = new Map<string, [PlannedBand, ...PlannedBand[]]>();
  for (const band of bands) {
    const key = `${band.source} ${band.resampling} ${band.nodata}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [band]);
    else group.push(band);
  }
  return [...groups.values()];
};

/** Applies scale and offset in place (after nodata, which is compared on raw values). */
const scaled = (pixels: FloatPixels, band: PlannedBand, raster: RasterSource): FloatPixels => {
  if (band.unscaled) return pixels;
  const scale = band.scale ?? raster.scaleOf(band.band) ?? 1;
  const offset = band.offset ?? raster.offsetOf(band.band) ?? 0;
  if (scale === 1 && offset === 0) return pixels;
  // The index is inside the array; a check here would cost in the hottest loop.
  for (let i = 0; i < pixels.length; i++) pixels[i] = (pixels[i] as number) * scale + offset;
  return pixels;
};
