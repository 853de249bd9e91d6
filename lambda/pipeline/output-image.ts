import type { BandTag, CogImage } from '../raster/cog/cog-image.ts';
import type { BandStatistics, GeoTransform, PixelRect } from '../raster/types.ts';
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
