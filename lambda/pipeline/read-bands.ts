/* oxlint-disable typescript/no-unsafe-type-assertion -- an index read that the loop’s own bounds prove. */
import type { PlannedBand } from '../identity/plan.ts';
import type { PixelMemory } from '../raster/pixel-memory.ts';
import { HeldBlocks } from '../raster/source/held-blocks.ts';
import type { RasterSource } from '../raster/source/open-source.ts';
import type { FloatPixels, PixelRect } from '../raster/types.ts';
import { type WarpPlan, planWarp } from '../raster/warp/warp.ts';
import { bandsInUse } from './evaluate-outputs.ts';
import type { WindowMessage } from './messages.ts';
import type { SourcePool } from './source-pool.ts';

/** Source pixels, all bands together, that are read before they are warped: those of one geometry are warped together. */
const MOST_READ_PX = 8 * 1024 * 1024;

/** Bands of one open source that are read together. */
interface OpenGroup {
  readonly raster: RasterSource;
  readonly bands: readonly [PlannedBand, ...PlannedBand[]];
  /** What the strips of a window of several share; null where the source's cache sees to it. */
  readonly held: HeldBlocks | null;
}

/** Groups that are warped together. */
interface WarpedGroups {
  readonly groups: readonly OpenGroup[];
  /** One a strip; null where a strip misses the source. */
  readonly warps: readonly (WarpPlan | null)[];
}

/** A window's bands, ready to be read strip by strip, from the first to the last. */
export interface WindowBands {
  readonly strips: readonly PixelRect[];
  readonly warped: readonly WarpedGroups[];
}

/**
 * Opens what a window's expressions name, and plans each strip of it.
 *
 * @throws SourceError, SourceChangedError, or the signal's reason.
 */
export const openBands = async (
  pool: SourcePool,
  message: WindowMessage,
  strips: readonly PixelRect[],
  signal: AbortSignal,
): Promise<WindowBands> => {
  const { plan } = message;
  const used = bandsInUse(plan.pipeline);
  const opened: OpenGroup[] = [];
  const wanted = readGroups(plan.bands.filter(({ name }) => used.has(name)));
  for (const bands of wanted) {
    const [{ source: index }] = bands;
    // Groups of one source find each other's blocks in its cache.
    const alone = wanted.every((others) => others === bands || others[0].source !== index);
    const source = message.sources[index];
    if (source === undefined) throw new RangeError(`no source ${index}`);
    const raster = await pool.get(message.location, source, signal);
    opened.push({ raster, bands, held: alone && strips.length > 1 ? new HeldBlocks() : null });
  }
  const alike = Map.groupBy(opened, ({ raster, bands: [{ resampling }] }) =>
    JSON.stringify([resampling, raster.grid(), raster.levels]),
  );
  const warped = [...alike.values()].flatMap((groups): WarpedGroups[] => {
    const [first] = groups;
    if (first === undefined) return [];
    const { raster, bands } = first;
    const source = { grid: raster.grid(), levels: raster.levels };
    const [{ resampling }] = bands;
    return [{ groups, warps: strips.map((strip) => planWarp(source, plan.grid, strip, resampling)) }];
  });
  return { strips, warped };
};

/**
 * Every band's pixels on one strip, rows x cols, scaled; NaN where there is no data. By band name.
 *
 * @param memory where they stand
 * @param index of the strip; strips are read in their order, each once
 */
export const readStrip = async (
  pool: SourcePool,
  memory: PixelMemory,
  { strips, warped }: WindowBands,
  index: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, FloatPixels>> => {
  const strip = strips[index];
  if (strip === undefined) throw new RangeError(`no strip ${index}`);
  const inputs = new Map<string, FloatPixels>();
  for (const { groups, warps } of warped) {
    const warp = warps[index] ?? null;
    if (warp === null) {
      for (const { bands } of groups) {
        for (const band of bands) {
          inputs.set(band.name, memory.take(false, strip.width * strip.height).fill(Number.NaN));
        }
      }
      continue;
    }
    const px = warp.sourceRect.width * warp.sourceRect.height;
    for (const batch of batchesOf(groups, ({ bands }) => bands.length * px, MOST_READ_PX)) {
      // Given back with the source's pixels warped: the next sources' may stand there.
      using read = pool.memory.lend();
      const raw: FloatPixels[] = [];
      for (const group of batch) raw.push(...(await readGroup(group, warp, warps[index + 1] ?? null, read, signal)));
      const run = warp.run(raw, memory);
      const owners = batch.flatMap(({ raster, bands }) => bands.map((band) => ({ raster, band })));
      for (const [i, { raster, band }] of owners.entries()) {
        const pixels = run[i];
        if (pixels === undefined) throw new RangeError(`band ${band.name} was not read`);
        inputs.set(band.name, scaled(pixels, band, raster));
      }
    }
  }
  return inputs;
};

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
  { raster, bands, held }: OpenGroup,
  warp: WarpPlan,
  next: WarpPlan | null,
  memory: PixelMemory,
  signal: AbortSignal,
): Promise<FloatPixels[]> => {
  const [{ nodata }] = bands;
  held?.begin(warp.sourceRect, next?.sourceRect ?? null);
  return raster.readWindow(
    bands.map(({ band }) => band),
    warp.sourceRect,
    warp.level,
    { signal, memory, ...(held === null ? {} : { held }), ...(nodata === null ? {} : { nodata }) },
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
