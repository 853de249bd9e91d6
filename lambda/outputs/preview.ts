import { encode, type ImageData } from 'fast-png';

import type { BandStatistics, DataType, PixelArray, RasterSize } from '../raster/types.ts';
import { classColors, MOST_CLASSES, perceptualRamp, type Rgba, TRANSPARENT } from './preview-colors.ts';
import { fitted, reduce, type ReducedBand } from './preview-reduce.ts';
import { standardDeviation } from '../raster/statistics.ts';

// Looked up once: in a test runner's sandbox every look-up of a global costs more than a pixel.
const { max, min, round } = Math;

/** The longer side of a preview at most, px. */
export const PREVIEW_MAX_PX = 1024;
/** Colours of a ramp; index 0 of the palette is transparent. */
const RAMP_STEPS = 255;
const DEFLATE_LEVEL = 6;

export interface PreviewInput extends RasterSize {
  /** The output's bands, each rows x cols; with `color: 'rgb'` the fourth is the alpha. */
  readonly bands: readonly PixelArray[];
  readonly nodata: number | null;
  readonly dataType: DataType;
  readonly color: 'rgb' | null;
  /** The values are classes: never averaged, drawn in distinct colours. */
  readonly categorical: boolean;
  /** Over the whole scene, one entry per output band: what the stretch is made from. */
  readonly statistics: readonly (BandStatistics | null)[];
}

/** The size of the preview of an image: its own, or scaled down to PREVIEW_MAX_PX on the longer side. */
export function previewSize(size: RasterSize): RasterSize {
  return fitted(size, PREVIEW_MAX_PX);
}

/**
 * A PNG of the scene, `previewSize` large; nodata is transparent. One or two bands: the first on a perceptual ramp from
 * mean - 2 sd to mean + 2 sd, or in distinct colours where it holds classes. Three or more: red, green and blue, as
 * they are where they are uint8, else stretched likewise. The same pixels give the same bytes.
 */
export function renderPreview(input: PreviewInput): Uint8Array<ArrayBuffer> {
  const size = previewSize(input);
  const hasAlpha = input.color === 'rgb' && input.bands.length > 3;
  const colors = input.bands.length >= 3 ? input.bands.slice(0, 3) : input.bands.slice(0, 1);
  const alpha = hasAlpha ? input.bands[3] : undefined;
  const reduced = colors.map((band) => reduce(band, alpha, input, size));
  const [first, second, third] = reduced;
  if (first === undefined) throw new RangeError('a preview needs at least one band');
  if (second !== undefined && third !== undefined) return colorPng([first, second, third], input, size);
  const classes = input.categorical ? classValues(first) : null;
  return classes === null ? rampPng(first, input, size) : classPng(first, classes, size);
}

function rampPng(band: ReducedBand, input: PreviewInput, size: RasterSize): Uint8Array<ArrayBuffer> {
  const { unit, low, perUnit } = stretch(input.statistics[0] ?? null, RAMP_STEPS - 1);
  const indices = new Uint8Array(size.width * size.height);
  for (let i = 0; i < indices.length; i += 1) {
    if (band.valid[i] === 0) continue;
    indices[i] = 1 + min(RAMP_STEPS - 1, max(0, round(((band.values[i] ?? 0) * unit - low) * perUnit)));
  }
  return indexedPng(indices, perceptualRamp(RAMP_STEPS), size);
}

function classPng(band: ReducedBand, classes: readonly number[], size: RasterSize): Uint8Array<ArrayBuffer> {
  const colors = classColors(classes);
  const indexOf = new Map(classes.map((value, index) => [value, index + 1]));
  const indices = new Uint8Array(size.width * size.height);
  for (let i = 0; i < indices.length; i += 1) {
    if (band.valid[i] !== 0) indices[i] = indexOf.get(band.values[i] ?? 0) ?? 0;
  }
  return indexedPng(indices, [...colors.values()], size);
}

function colorPng(
  bands: readonly [ReducedBand, ReducedBand, ReducedBand],
  input: PreviewInput,
  size: RasterSize,
): Uint8Array<ArrayBuffer> {
  const asIs: Stretch = { unit: 1, low: 0, perUnit: 1 };
  const stretches = bands.map((_, b) =>
    input.dataType === 'uint8' ? asIs : stretch(input.statistics[b] ?? null, 255),
  );
  const data = new Uint8Array(size.width * size.height * 4);
  const [red, green, blue] = bands;
  for (let i = 0; i < size.width * size.height; i += 1) {
    if (red.valid[i] === 0 || green.valid[i] === 0 || blue.valid[i] === 0) continue;
    for (const [b, { values }] of bands.entries()) {
      const { unit, low, perUnit } = stretches[b] ?? asIs;
      data[4 * i + b] = min(255, max(0, round(((values[i] ?? 0) * unit - low) * perUnit)));
    }
    data[4 * i + 3] = 255;
  }
  return png({ ...size, data, channels: 4, depth: 8 });
}

function indexedPng(indices: Uint8Array, colors: readonly Rgba[], size: RasterSize): Uint8Array<ArrayBuffer> {
  const palette = [TRANSPARENT, ...colors].map((color) => [...color]);
  return png({ ...size, data: indices, channels: 1, depth: 8, palette });
}

function png(image: ImageData): Uint8Array<ArrayBuffer> {
  return new Uint8Array(encode(image, { zlib: { level: DEFLATE_LEVEL } }));
}

/** A value is drawn as (value x unit - low) x perUnit. */
interface Stretch {
  /** 1, or less where the distance between two values may overflow. */
  readonly unit: number;
  readonly low: number;
  readonly perUnit: number;
}

/**
 * Mean - 2 sd → 0, mean + 2 sd → `top`, neither beyond what is there; minimum and maximum where these are not known. A flat
 * band is drawn in the middle.
 */
function stretch(statistics: BandStatistics | null, top: number): Stretch {
  if (statistics === null || statistics.count === 0) return { unit: 1, low: 0, perUnit: 0 };
  const reach = 2 * (standardDeviation(statistics) ?? Infinity);
  const centre = statistics.mean ?? statistics.min;
  const low = max(statistics.min, centre - reach);
  const high = min(statistics.max, centre + reach);
  if (!(high > low)) return { unit: 1, low: centre - top / 2, perUnit: 1 };
  // Values beyond the ends are at most as far from them again as from 0.
  const unit = max(-statistics.min, statistics.max) > Number.MAX_VALUE / 4 ? 1 / 4 : 1;
  return { unit, low: low * unit, perUnit: top / (high * unit - low * unit) };
}

/** The distinct values of a class map, ascending; null where they are too many, or no integers, and so no classes. */
function classValues(band: ReducedBand): number[] | null {
  const found = new Set<number>();
  for (let i = 0; i < band.values.length; i += 1) {
    if (band.valid[i] === 0) continue;
    const value = band.values[i] ?? 0;
    if (found.has(value)) continue;
    found.add(value);
    if (found.size > MOST_CLASSES || !Number.isInteger(value)) return null;
  }
  return [...found].sort((a, b) => a - b);
}
