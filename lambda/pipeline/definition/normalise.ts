import { normaliseCrsText } from '../../raster/crs/from-text.ts';
import { storedValue } from '../../raster/expression/sample-types.ts';
import { bandTemplate } from './check-bands.ts';
import { bitBands } from './check-expressions.ts';
import { writtenNodata, writtenTypes } from './check-outputs.ts';
import { nodataOf, numberOf } from './decimal.ts';
import { DEFAULTS, defaultCrs, defaultNodata, defaultOverviews, defaultType } from './defaults.ts';
import type { BandDefinition, GridDefinition, OutputDefinition, Pipeline } from './pipeline.ts';
import type { OutputFile, PipelineFile } from './schema.ts';

/** An expression's text without what does not matter: spaces at its ends, and how many there are between its parts. */
const plainExpression = (text: string): string => text.trim().replaceAll(/\s+/gu, ' ');

const numberOrNull = (written: number | string | undefined): number | null =>
  written === undefined ? null : numberOf(written);

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Sorted by name: the order of the file's members must not decide anything. */
const bandsOf = (file: PipelineFile): BandDefinition[] => {
  const flags = bitBands(file);
  const bands = Object.entries(file.bands).map(([name, band]): BandDefinition => {
    const usual = flags.has(name) ? 'nearest' : (file.resampling ?? DEFAULTS.resampling);
    return {
      name,
      path: bandTemplate(band),
      band: band.band ?? DEFAULTS.band,
      resampling: band.resampling ?? usual,
      nodata: band.nodata === undefined ? null : nodataOf(band.nodata),
      scale: numberOrNull(band.scale),
      offset: numberOrNull(band.offset),
      unscaled: band.unscaled ?? DEFAULTS.unscaled,
    };
  });
  return bands.sort(byName);
};

const outputsOf = (file: PipelineFile): OutputDefinition[] => {
  const lone: OutputFile[] = [{ name: file.pipeline, expression: file.expression ?? '' }];
  return (file.outputs ?? lone).map(({ name, expression, scale, offset, unit }) => ({
    name,
    expression: plainExpression(expression),
    scale: numberOrNull(scale),
    offset: numberOrNull(offset),
    unit: unit ?? null,
  }));
};

const gridOf = (file: PipelineFile): GridDefinition => {
  const { tms, zoom, extent } = file;
  if (tms !== undefined && zoom !== undefined) return { kind: 'tms', tms, zoom };
  const resolution = numberOrNull(file.resolution);
  const align = file.align ?? DEFAULTS.align;
  if (extent !== undefined) {
    const [minX = 0, minY = 0, maxX = 0, maxY = 0] = extent.map(numberOf);
    // Without a resolution there is nothing to align to; one spelling of that is enough.
    return { kind: 'extent', extent: [minX, minY, maxX, maxY], resolution, align: resolution !== null && align };
  }
  return resolution === null ? { kind: 'suggested' } : { kind: 'resolution', resolution, align };
};

const windowsOf = (grid: string): { rows: number; columns: number } => {
  const [rows = 0, columns = 0] = grid.split('x').map(Number);
  return { rows, columns };
};

/** The pipeline that a file without faults means: every default filled in, every value in its one spelling. */
export const normalise = (file: PipelineFile): Pipeline => {
  const color = file.color ?? null;
  const dtype = writtenTypes(file)[0]?.value ?? defaultType(color);
  const [nodata] = writtenNodata(file);
  const value = nodata === undefined ? defaultNodata(dtype, color) : nodata.value;
  return {
    pipeline: file.pipeline,
    version: file.version,
    namespace: file.namespace ?? DEFAULTS.namespace,
    bands: bandsOf(file),
    outputs: outputsOf(file),
    dtype,
    nodata: value === null ? null : storedValue(value, dtype),
    mask: file.mask === undefined ? null : plainExpression(file.mask),
    color,
    dstCrs: file.dst_crs === undefined ? defaultCrs(file.tms) : normaliseCrsText(file.dst_crs),
    grid: gridOf(file),
    tilePx: file.tile_px ?? DEFAULTS.tile_px,
    windows: windowsOf(file.grid ?? DEFAULTS.grid),
    compression: file.compression ?? DEFAULTS.compression,
    overviews: file.overviews ?? defaultOverviews(file.resampling ?? DEFAULTS.resampling),
    datetime: file.datetime ?? null,
    trigger: file.trigger ?? null,
  };
};
