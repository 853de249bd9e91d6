/**
 * Overviews: an image at half its size, rounded up. The pixel rules are GDAL's (gcore/overview.cpp as of 3.6; checked
 * against it pixel for pixel), each level being made from the one below: where a side is odd, the ratio of the two sides is a little
 * under 2, an overview pixel covers fractions of source pixels, and averages weight them so.
 */
import type { DataType, OverviewMethod, PixelArray, PixelRect, RasterSize } from '../types.ts';
import type { CogDescription } from './cog-image.ts';
import { averageBand } from './overview-average.ts';
import { modeBand } from './overview-mode.ts';
import { pixelArray } from '../data-type.ts';
import { storedNodata } from './sample-type.ts';

/** How overview pixels are made, and which pixels do not count. */
export interface OverviewRule {
  readonly method: OverviewMethod;
  readonly dataType: DataType;
  readonly nodata: number | null;
  /** True: the last band is an alpha; where it is 0, no band's pixel counts, its own neither: an overview pixel is valid if any is. */
  readonly alpha: boolean;
}

export function overviewRule(image: Pick<CogDescription, 'overviews' | 'dataType' | 'nodata' | 'alpha'>): OverviewRule {
  return { method: image.overviews, dataType: image.dataType, nodata: image.nodata, alpha: image.alpha };
}

/** Which source pixels each of a run of overview pixels covers on one axis; indices count from the first covered pixel. */
export interface AxisSpans {
  /** First overview pixel of the run, counted on the whole overview. */
  readonly first: number;
  readonly count: number;
  /** Length of the whole overview on this axis, px. */
  readonly length: number;
  readonly start: Int32Array;
  /** One past the last covered. */
  readonly end: Int32Array;
  /** Share of the first and of the last covered pixel that counts, 0 to 1. */
  readonly startWeight: Float64Array;
  readonly endWeight: Float64Array;
  /** What nearest takes. */
  readonly nearest: Int32Array;
  /** True: every overview pixel covers exactly two source pixels. */
  readonly halved: boolean;
}

/** Size of an image's next overview, px: halves, rounded up. */
export function overviewSize({ width, height }: RasterSize): RasterSize {
  return { width: Math.ceil(width / 2), height: Math.ceil(height / 2) };
}

/** A level's size and the side of its blocks, px. */
export interface LevelSize extends RasterSize {
  readonly blockSize: number;
}

/**
 * Sizes of all levels of an image: itself, then halves until both sides are at most a block; with `halfBlock` one half more, in
 * blocks of half the side.
 */
export function levelSizes(size: RasterSize, blockSize: number, halfBlock = false): LevelSize[] {
  let { width, height } = size;
  const sizes = [{ width, height, blockSize }];
  while (width > blockSize || height > blockSize) {
    ({ width, height } = overviewSize({ width, height }));
    sizes.push({ width, height, blockSize });
  }
  if (halfBlock) sizes.push({ ...overviewSize({ width, height }), blockSize: blockSize / 2 });
  return sizes;
}

/** How often both sides can be halved without a remainder. */
export function timesHalved({ width, height }: RasterSize): number {
  let times = 0;
  for (let side = [width, height]; side.every((length) => length % 2 === 0); side = side.map((length) => length / 2)) {
    times++;
  }
  return times;
}

/** The pixels of a level of `source` size that `rect` of its overview is made from. */
export function overviewSource(source: RasterSize, rect: PixelRect): PixelRect {
  const target = overviewSize(source);
  const [x, right] = coverage(source.width, target.width, rect.x, rect.width);
  const [y, bottom] = coverage(source.height, target.height, rect.y, rect.height);
  return { x, y, width: right - x, height: bottom - y };
}

/**
 * Pixels of `rect` of the overview of a level of `source` size. `bands` are, rows x cols, the pixels of
 * `overviewSource(source, rect)`.
 *
 * @param into where the pixels go, an array a band, rows x cols of `rect`; by default new memory
 */
export function overviewPixels(
  bands: readonly PixelArray[],
  source: RasterSize,
  rect: PixelRect,
  rule: OverviewRule,
  into?: readonly PixelArray[],
): PixelArray[] {
  const target = overviewSize(source);
  const columns = axisSpans(source.width, target.width, rect.x, rect.width);
  const rows = axisSpans(source.height, target.height, rect.y, rect.height);
  const stride = overviewSource(source, rect).width;
  const mask = rule.alpha ? bands[bands.length - 1] : undefined;
  const nodata = storedNodata(rule.dataType, rule.nodata);
  return bands.map((pixels, band) => {
    const out = into?.[band] ?? pixelArray(rule.dataType, rect.width * rect.height);
    const grid = { columns, rows, stride, nodata, mask };
    if (rule.method === 'average') averageBand(pixels, grid, rule.dataType, out);
    else if (rule.method === 'mode') modeBand(pixels, grid, out);
    else nearestBand(pixels, grid, out);
    return out;
  });
}

/** One band's geometry and validity while an overview is made. */
export interface BandGrid {
  readonly columns: AxisSpans;
  readonly rows: AxisSpans;
  /** Length of a source row, px. */
  readonly stride: number;
  readonly nodata: number | null;
  /** Same shape as the source; 0 where a pixel is invalid. */
  readonly mask: PixelArray | undefined;
}

function nearestBand(pixels: PixelArray, { columns, rows, stride }: BandGrid, out: PixelArray): void {
  let at = 0;
  for (const y of rows.nearest) for (const x of columns.nearest) out[at++] = pixels[y * stride + x] ?? 0;
}

/** First and one past the last source pixel that `count` overview pixels from `first` on cover. */
function coverage(source: number, target: number, first: number, count: number): [number, number] {
  const ratio = source / target;
  return [startOf(ratio, first), endOf(ratio, first + count - 1, source)];
}

/** GDAL's epsilon against ratios that are not exact in binary. */
const EPSILON = 1e-8;

function startOf(ratio: number, index: number): number {
  return Math.floor(index * ratio + EPSILON);
}

function endOf(ratio: number, index: number, source: number): number {
  const end = Math.ceil((index + 1) * ratio - EPSILON);
  return Math.min(Math.max(end, startOf(ratio, index) + 1), source);
}

function axisSpans(source: number, target: number, first: number, count: number): AxisSpans {
  const ratio = source / target;
  const [origin] = coverage(source, target, first, count);
  const spans = {
    first,
    count,
    length: target,
    start: new Int32Array(count),
    end: new Int32Array(count),
    startWeight: new Float64Array(count),
    endWeight: new Float64Array(count),
    nearest: new Int32Array(count),
    halved: ratio === 2,
  };
  for (let i = 0; i < count; i++) {
    const start = startOf(ratio, first + i);
    const end = endOf(ratio, first + i, source);
    spans.start[i] = start - origin;
    spans.end[i] = end - origin;
    spans.startWeight[i] = end === start + 1 ? 1 : 1 - ((first + i) * ratio - start);
    spans.endWeight[i] = 1 - (end - (first + i + 1) * ratio);
    spans.nearest[i] = Math.floor(0.5 + (first + i) * ratio) - origin;
  }
  return spans;
}
