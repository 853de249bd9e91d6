import type { PixelRect, RasterSize, Resampling } from '../types.ts';
import type { PixelMapping } from './pixel-mapping.ts';
import { coverage, kernelScale, readExtent } from './reduction.ts';
import type { Coverage } from './reduction.ts';

/** A part of the output for which kernels are stretched alike. */
export interface Region {
  /** Of the output grid. */
  readonly rect: PixelRect;
  /** Output pixels per pixel of the source level. */
  readonly scaleX: number;
  readonly scaleY: number;
}

/** A part whose source fills less than this of the box around it is halved, down to this size. GDAL's numbers. */
const FILL = 0.5;
const SMALLEST = 100;

/**
 * The regions that a window touches, with their kernels' scales. The whole output is one region unless its box in the
 * source reaches mostly beyond the source (sheared projections): then it is halved along its longer side, as gdalwarp
 * does, because the scale is taken from that box. Depends on the whole output, not on the window.
 */
export const regionsOf = (
  mapping: PixelMapping,
  out: RasterSize,
  full: RasterSize,
  level: RasterSize,
  window: PixelRect,
  resampling: Resampling,
): Region[] => {
  const regions: Region[] = [];
  const divide = (rect: PixelRect): void => {
    if (!intersects(rect, window)) return;
    const covered = coverage(mapping, rect, full);
    if (covered === null) return;
    const box = scaled(covered, level.width / full.width, level.height / full.height);
    const x = readExtent(box.minX, box.maxX, level.width, rect.width, resampling);
    const y = readExtent(box.minY, box.maxY, level.height, rect.height, resampling);
    if (x.read <= 0 || y.read <= 0) return;
    const filled =
      (x.read * y.read) / Math.max(1, (box.maxX - box.minX + 2 * x.radius) * (box.maxY - box.minY + 2 * y.radius));
    if (filled < FILL && (rect.width > SMALLEST || rect.height > SMALLEST)) {
      for (const half of halves(rect)) divide(half);
      return;
    }
    regions.push({ rect, scaleX: kernelScale(x, rect.width), scaleY: kernelScale(y, rect.height) });
  };
  divide({ x: 0, y: 0, width: out.width, height: out.height });
  return regions;
};

const scaled = ({ minX, minY, maxX, maxY }: Coverage, x: number, y: number): Coverage => ({
  minX: minX * x,
  minY: minY * y,
  maxX: maxX * x,
  maxY: maxY * y,
});

const halves = ({ x, y, width, height }: PixelRect): readonly [PixelRect, PixelRect] => {
  if (width > height) {
    const first = width >> 1;
    return [
      { x, y, width: first, height },
      { x: x + first, y, width: width - first, height },
    ];
  }
  const first = height >> 1;
  return [
    { x, y, width, height: first },
    { x, y: y + first, width, height: height - first },
  ];
};

const intersects = (a: PixelRect, b: PixelRect): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** The part of a window inside a region. */
export const windowInRegion = (window: PixelRect, { rect }: Region): PixelRect => {
  const x = Math.max(window.x, rect.x);
  const y = Math.max(window.y, rect.y);
  return {
    x,
    y,
    width: Math.min(window.x + window.width, rect.x + rect.width) - x,
    height: Math.min(window.y + window.height, rect.y + rect.height) - y,
  };
};
