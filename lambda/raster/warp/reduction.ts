import type { RasterSize, Resampling } from '../types.ts';
import type { PixelMapping } from './pixel-mapping.ts';

/** How a source is read for an output: from which level, and how far kernels are stretched. */
export interface Reduction {
  /** Index of the source level: 0 is full resolution. */
  readonly level: number;
  /** Output pixels per pixel of that level, along the source's columns and rows; 1 where they are about as large. */
  readonly scaleX: number;
  readonly scaleY: number;
}

/** Below this scale kernels are stretched; GDAL's limit. */
export const FULL_SCALE = 0.95;

/** Pixels that a kernel of its own size reaches to either side. */
export const KERNEL_RADIUS: Readonly<Record<Resampling, number>> = { nearest: 0, bilinear: 1, cubic: 2, average: 0 };

/** What a whole output takes from a source, full resolution px: not from one window, so that all windows agree. */
export interface Coverage {
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
}

/** Positions along each edge of the output that are looked at. */
const SAMPLES = 21;

/** The box of source positions under the output, from its edges, or from all over it where an edge leaves the domain; null: nowhere. */
export const coverage = (mapping: PixelMapping, out: RasterSize): Coverage | null => {
  const along = Array.from({ length: SAMPLES }, (_, i) => i / (SAMPLES - 1));
  const edges = along.flatMap((r): [number, number][] => [
    [r * out.width, 0],
    [r * out.width, out.height],
    [0, r * out.height],
    [out.width, r * out.height],
  ]);
  const onEdges = edges.map(([u, v]) => mapping.at(u, v));
  const positions = (
    onEdges.includes(null)
      ? along.flatMap((r) => along.map((s) => mapping.at(r * out.width, s * out.height)))
      : onEdges
  ).filter((position) => position !== null);
  if (positions.length === 0) return null;
  const xs = positions.map(({ x }) => x);
  const ys = positions.map(({ y }) => y);
  return { minX: Math.min(...xs), minY: Math.min(...ys), maxX: Math.max(...xs), maxY: Math.max(...ys) };
};

/**
 * The level and scales for an output. Up to a reduction by 2, and wherever there are no overviews, kernels stretch over
 * full resolution, as `gdalwarp -ovr NONE`. Beyond, bilinear and cubic read the coarsest level that is still as fine as
 * the output, as `-ovr AUTO`. Nearest and average stay on full resolution up to a reduction by 8, since overviews of
 * unknown making may invent classes and weigh missing pixels wrongly; beyond 8 memory and reads would grow without
 * bound, so they take a level with at most 8 of its pixels to one of the output's.
 */
export const reductionFor = (
  mapping: PixelMapping,
  levels: readonly RasterSize[],
  out: RasterSize,
  resampling: Resampling,
): Reduction => {
  const covered = coverage(mapping, out);
  const [full] = levels;
  if (covered === null || full === undefined) return { level: 0, scaleX: 1, scaleY: 1 };

  const scaleAt = (level: RasterSize): { scaleX: number; scaleY: number } => ({
    scaleX: kernelScale(covered.minX, covered.maxX, full.width, level.width, out.width, resampling),
    scaleY: kernelScale(covered.minY, covered.maxY, full.height, level.height, out.height, resampling),
  });
  const atFull = scaleAt(full);
  const reduction = Math.min(1 / atFull.scaleX, 1 / atFull.scaleY);
  const smooth = resampling === 'bilinear' || resampling === 'cubic';
  let level = 0;
  if (reduction >= 2) {
    for (const [i, { width }] of levels.entries()) {
      const reducedBy = full.width / width;
      if (reducedBy * (smooth ? 1 : 8) <= reduction + 0.1 && (levels[level]?.width ?? 0) > width) level = i;
    }
  }
  return { level, ...scaleAt(levels[level] ?? full) };
};

/**
 * Output pixels per level pixel along one axis, by GDAL's rules: over the part of the source that the output covers,
 * taken as 1 where the part with the kernel's margin is as large as the output, and as one over a whole number where it
 * is within 0.05 of that.
 */
const kernelScale = (
  min: number,
  max: number,
  fullSize: number,
  levelSize: number,
  outSize: number,
  resampling: Resampling,
): number => {
  const low = (min * levelSize) / fullSize;
  const high = (max * levelSize) / fullSize;
  const first = Math.trunc(Math.max(0, low));
  const end = Math.min(Math.ceil(high), levelSize);
  const covered = Math.max(0, Math.min(levelSize - first, high - low));
  if (covered <= 0) return 1;

  const rough = Math.max(0.001, outSize / (high - low));
  const radius = rough < FULL_SCALE ? Math.ceil(KERNEL_RADIUS[resampling] / rough) : KERNEL_RADIUS[resampling];
  const start = Math.max(0, first - radius);
  const read = end - first > 0.9 * levelSize ? levelSize : Math.min(levelSize - start, end - start + radius);
  const extra = read - covered;
  if (read >= outSize && read <= outSize + extra) return 1;

  const scale = outSize / covered;
  const whole = Math.floor(1 / scale + 0.5);
  return scale < 1 && Math.abs(1 / scale - whole) < 0.05 ? 1 / whole : scale;
};
