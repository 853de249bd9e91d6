import type { BandTag, CogImage } from '../raster/cog/cog-image.ts';
import { levelSizes, timesHalved } from '../raster/cog/overview.ts';
import type { BandStatistics, GeoTransform, PixelRect, RasterSize } from '../raster/types.ts';
import type { Pipeline } from './definition/pipeline.ts';

/** What tiles and mosaic of a pipeline have in common: everything of a COG but its size, its place and its pixels. */
export type CogOptions = Pick<
  CogImage,
  'dataType' | 'nodata' | 'blockSize' | 'compression' | 'overviews' | 'color' | 'alpha' | 'bandTags'
>;

/** @param statistics one entry per output of the pipeline; null: no valid pixel. */
export const cogOptions = (pipeline: Pipeline, statistics: readonly (BandStatistics | null)[]): CogOptions => {
  const alpha = pipeline.color === 'rgb';
  const tags = pipeline.outputs.map(({ name, scale, offset, unit }, i): BandTag => ({
    name,
    scale,
    offset,
    unit,
    statistics: statistics[i] ?? null,
  }));
  if (alpha) tags.push({ name: 'alpha', scale: null, offset: null, unit: null, statistics: null });
  return {
    dataType: pipeline.dtype,
    nodata: alpha ? null : pipeline.nodata,
    blockSize: pipeline.tilePx,
    compression: pipeline.compression,
    overviews: pipeline.overviews,
    color: pipeline.color,
    alpha,
    bandTags: tags,
  };
};

/**
 * Whether a window's tile gets an overview in blocks of half the side: where one of the scene's overviews is to be put
 * together from them, and only where the scene can be halved that often, so that their pixels are the scene's.
 */
export const hasHalfBlockOverview = (scene: RasterSize, window: RasterSize, blockSize: number): boolean => {
  const depth = levelSizes(window, blockSize).length;
  return blockSize % 32 === 0 && depth < levelSizes(scene, blockSize).length && timesHalved(scene) >= depth;
};

/** How many bands an output file of the pipeline has. */
export const bandCount = (pipeline: Pipeline): number => pipeline.outputs.length + (pipeline.color === 'rgb' ? 1 : 0);

/** The geotransform of a window of a grid. */
export const windowGeotransform = (scene: GeoTransform, { x, y }: PixelRect): GeoTransform => [
  scene[0] + x * scene[1] + y * scene[2],
  scene[1],
  scene[2],
  scene[3] + x * scene[4] + y * scene[5],
  scene[4],
  scene[5],
];
