import { windowRect } from '../identity/grid.ts';
import type { PlannedBand } from '../identity/plan.ts';
import { pixelDigest } from '../raster/cog/digest.ts';
import type { CogImage } from '../raster/cog/encode-cog.ts';
import type { PixelMemory } from '../raster/pixel-memory.ts';
import type { RasterSource } from '../raster/source/open-source.ts';
import type { BandStatistics, FloatPixels, PixelRect, RasterGrid } from '../raster/types.ts';
import { type WarpPlan, planWarp } from '../raster/warp/warp.ts';
import { cogOptions, hasHalfBlockOverview, windowGeotransform } from './output-image.ts';
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
  using memory = pool.memory.lend();
  const inputs = await readBands(pool, memory, message, rect, signal);
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
    halfBlockOverview: hasHalfBlockOverview(plan.grid, rect, plan.pipeline.tilePx),
  };
  return {
    kind: 'pixels',
    image: { ...image, digest: pixelDigest(image) },
    validPixels: evaluated.validPixels,
    statistics: evaluated.statistics,
  };
};

/** Source pixels, all bands together, that are read before they are warped: those of one geometry are warped together. */
const MOST_READ_PX = 8 * 1024 * 1024;

/** Every band's pixels on the window, rows x cols, scaled; NaN where there is no data. By band name. */
const readBands = async (
  pool: SourcePool,
  memory: PixelMemory,
  message: WindowMessage,
  rect: PixelRect,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, FloatPixels>> => {
  const inputs = new Map<string, FloatPixels>();
  const used = bandsInUse(message.plan.pipeline);
  const opened = await openGroups(pool, message, used, rect, signal);
  for (const { warp, groups } of byWarp(opened)) {
    if (warp === null) {
      for (const { bands } of groups) {
        for (const band of bands) inputs.set(band.name, memory.take(false, rect.width * rect.height).fill(Number.NaN));
      }
      continue;
    }
    const px = warp.sourceRect.width * warp.sourceRect.height;
    for (const batch of batchesOf(groups, ({ bands }) => bands.length * px, MOST_READ_PX)) {
      // Given back with the source's pixels warped: the next sources' may stand there.
      using read = pool.memory.lend();
      const raw: FloatPixels[] = [];
      for (const { raster, bands } of batch) raw.push(...(await readGroup(raster, bands, warp, read, signal)));
      const warped = warp.run(raw, memory);
      const owners = batch.flatMap(({ raster, bands }) => bands.map((band) => ({ raster, band })));
      for (const [i, { raster, band }] of owners.entries()) {
        const pixels = warped[i];
        if (pixels === undefined) throw new RangeError(`band ${band.name} was not read`);
        inputs.set(band.name, scaled(pixels, band, raster));
      }
    }
  }
  return inputs;
};

/** Bands of one open source that are read together. */
interface OpenGroup {
  readonly raster: RasterSource;
  readonly bands: readonly [PlannedBand, ...PlannedBand[]];
  /** What a warp depends on: groups with the same can be warped together. */
  readonly geometry: string;
  readonly warp: () => WarpPlan | null;
}

const openGroups = async (
  pool: SourcePool,
  message: WindowMessage,
  used: ReadonlySet<string>,
  rect: PixelRect,
  signal: AbortSignal,
): Promise<OpenGroup[]> => {
  const opened: OpenGroup[] = [];
  for (const bands of readGroups(message.plan.bands.filter(({ name }) => used.has(name)))) {
    const [{ source: index, resampling }] = bands;
    const source = message.sources[index];
    if (source === undefined) throw new RangeError(`no source ${index}`);
    const raster = await pool.get(message.location, source, signal);
    const grid = raster.grid();
    opened.push({
      raster,
      bands,
      geometry: JSON.stringify([resampling, grid, raster.levels]),
      warp: () => planWarp({ grid, levels: raster.levels }, message.plan.grid, rect, resampling),
    });
  }
  return opened;
};

const byWarp = (opened: readonly OpenGroup[]): { warp: WarpPlan | null; groups: readonly OpenGroup[] }[] =>
  [...Map.groupBy(opened, ({ geometry }) => geometry).values()].flatMap((groups) => {
    const [first] = groups;
    return first === undefined ? [] : [{ warp: first.warp(), groups }];
  });

/** Items in batches of at most `limit` in weight, or of one. */
const batchesOf = <T>(items: readonly T[], weightOf: (item: T) => number, limit: number): T[][] => {
  const batches: T[][] = [];
  let weight = Infinity;
  for (const item of items) {
    const own = weightOf(item);
    weight += own;
    if (weight > limit) {
      batches.push([]);
      weight = own;
    }
    batches.at(-1)?.push(item);
  }
  return batches;
};

const readGroup = (
  raster: RasterSource,
  bands: OpenGroup['bands'],
  warp: WarpPlan,
  memory: PixelMemory,
  signal: AbortSignal,
): Promise<FloatPixels[]> => {
  const [{ nodata }] = bands;
  return raster.readWindow(
    bands.map(({ band }) => band),
    warp.sourceRect,
    warp.level,
    { signal, memory, ...(nodata === null ? {} : { nodata }) },
  );
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
