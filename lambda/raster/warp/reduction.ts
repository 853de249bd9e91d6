import { BoundedMemo } from '../bounded-memo.ts';
import type { PixelRect, RasterSize, Resampling } from '../types.ts';
import type { PixelMapping } from './pixel-mapping.ts';

/** Below this scale kernels are stretched; GDAL's limit. */
export const FULL_SCALE = 0.95;

/** Pixels that a kernel of its own size reaches to either side. */
export const KERNEL_RADIUS: Readonly<Record<Resampling, number>> = { nearest: 0, bilinear: 1, cubic: 2, average: 0 };

/** What a part of the output takes from a source, px: the box around the positions found. */
export interface Coverage {
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
}

/** Positions along each edge that are looked at. */
const ALONG = Array.from({ length: 21 }, (_, i) => i / 20);

/**
 * The box of source positions, full-resolution px, under a part of the output; null: nowhere. From the part's edges; or,
 * where one of them leaves a projection's domain, from all over the part, and from the source positions that fall in it.
 */
export const coverage = (mapping: PixelMapping, part: PixelRect, source: RasterSize): Coverage | null => {
  const known = coverages.get(mapping) ?? new BoundedMemo<Coverage | null>(4096);
  coverages.set(mapping, known);
  const { x, y, width, height } = part;
  return known.get([x, y, width, height, source.width, source.height].join(' '), () =>
    findCoverage(mapping, part, source),
  );
};

/** Every window asks for the same few parts of its output: the whole, mostly. */
const coverages = new WeakMap<PixelMapping, BoundedMemo<Coverage | null>>();

const findCoverage = (mapping: PixelMapping, part: PixelRect, source: RasterSize): Coverage | null => {
  const { x, y, width, height } = part;
  const at = (s: number, t: number) => mapping.at(x + s * width, y + t * height);
  const onEdges = ALONG.flatMap((r) => [at(r, 0), at(r, 1), at(0, r), at(1, r)]);
  const found = (onEdges.includes(null) ? allOver(at, width, height) : onEdges).filter((position) => position !== null);
  if (onEdges.includes(null)) {
    allOver((s, t) => ({ x: s * source.width, y: t * source.height }), source.width, source.height)
      .filter((position) => {
        const there = mapping.from(position.x, position.y);
        return there !== null && there.x >= x && there.x <= x + width && there.y >= y && there.y <= y + height;
      })
      .forEach((position) => found.push(position));
  }
  if (found.length === 0) return null;
  const xs = found.map((position) => position.x);
  const ys = found.map((position) => position.y);
  return { minX: Math.min(...xs), minY: Math.min(...ys), maxX: Math.max(...xs), maxY: Math.max(...ys) };
};

/** A lattice over a rectangle given by shares of its sides, with the first and last pixels' centres besides. */
const allOver = <T>(at: (s: number, t: number) => T, width: number, height: number): T[] =>
  [0.5 / height, ...ALONG, 1 - 0.5 / height].flatMap((t) =>
    [0.5 / width, ...ALONG, 1 - 0.5 / width].map((s) => at(s, t)),
  );

/** What is read along one axis of a source level, px of that level. */
export interface ReadExtent {
  /** Covered by the output, the source's far side cut off. */
  readonly covered: number;
  /** With the kernel's reach, inside the level; 0 where the output misses it. */
  readonly read: number;
  readonly radius: number;
}

/** How much of a level `size` px long is read for positions from `low` to `high`, for `outSize` output px; GDAL's rules. */
export const readExtent = (
  low: number,
  high: number,
  size: number,
  outSize: number,
  resampling: Resampling,
): ReadExtent => {
  const kernel = KERNEL_RADIUS[resampling];
  const rough = Math.max(0.001, outSize / (high - low));
  const radius = rough < FULL_SCALE ? Math.ceil(kernel / rough) : kernel;
  if (low > size || high < 0) return { covered: 0, read: 0, radius };
  const first = Math.trunc(Math.max(0, low));
  const end = Math.min(Math.ceil(high), size);
  const start = Math.max(0, first - radius);
  return {
    covered: Math.max(0, Math.min(size - first, high - low)),
    // Nearly all of it is taken as all of it.
    read: end - first > 0.9 * size ? size : Math.max(0, Math.min(size - start, end - start + radius)),
    radius,
  };
};

/**
 * Output pixels per level pixel along one axis, by GDAL's rules: 1 where what is read is as large as the output but for
 * the kernel's reach, and one over a whole number where it is within 0.05 of that.
 */
export const kernelScale = ({ covered, read }: ReadExtent, outSize: number): number => {
  if (covered <= 0 || (read >= outSize && read - outSize <= read - covered)) return 1;
  const scale = outSize / covered;
  const whole = Math.floor(1 / scale + 0.5);
  return scale < 1 && Math.abs(1 / scale - whole) < 0.05 ? 1 / whole : scale;
};

/**
 * The source level to read for an output (0: full resolution). Up to a reduction by 2, and wherever there are no
 * overviews, kernels stretch over full resolution, as `gdalwarp -ovr NONE`. Beyond, bilinear and cubic read the
 * coarsest level that is still as fine as the output, as `-ovr AUTO`. Nearest and average stay on full resolution up
 * to a reduction by 8, since overviews of unknown making may invent classes and weigh missing pixels wrongly; beyond 8
 * memory and reads would grow without bound, so they take a level with at most 8 of its pixels to one of the output's.
 */
export const levelFor = (
  mapping: PixelMapping,
  levels: readonly RasterSize[],
  out: RasterSize,
  resampling: Resampling,
): number => {
  const [full] = levels;
  const covered = full && coverage(mapping, { x: 0, y: 0, width: out.width, height: out.height }, full);
  if (!full || !covered) return 0;
  const reduction = Math.min(
    1 / kernelScale(readExtent(covered.minX, covered.maxX, full.width, out.width, resampling), out.width),
    1 / kernelScale(readExtent(covered.minY, covered.maxY, full.height, out.height, resampling), out.height),
  );
  if (reduction < 2) return 0;
  const reserve = resampling === 'bilinear' || resampling === 'cubic' ? 1 : 8;
  let chosen = 0;
  for (const [i, { width }] of levels.entries()) {
    const reducedBy = full.width / width;
    if (reducedBy * reserve <= reduction + 0.1 && width < (levels[chosen]?.width ?? 0)) chosen = i;
  }
  return chosen;
};
