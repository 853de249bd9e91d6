import type { Pipeline } from '../pipeline/definition/pipeline.ts';
import type { BandStatistics, RasterSize } from '../raster/types.ts';
import { standardDeviation } from '../raster/statistics.ts';
import type { BandSummary, StacBand } from './stac-types.ts';

/**
 * The mosaic's bands in file order, as STAC 1.1 describes them. A colour image has one more: the alpha that stands for
 * its nodata.
 *
 * @param size the scene's grid: what `valid_percent` is a share of.
 * @param statistics one entry per output; null: no valid pixel.
 */
export function stacBands(
  pipeline: Pipeline,
  size: RasterSize,
  statistics: readonly (BandStatistics | null)[],
): StacBand[] {
  const alpha = pipeline.color === 'rgb';
  const nodata = alpha ? undefined : stacNodata(pipeline.nodata);
  const bands = pipeline.outputs.map((output, index): StacBand => {
    const known = statistics[index] ?? null;
    return {
      name: output.name,
      description: output.expression,
      data_type: pipeline.dtype,
      ...(nodata === undefined ? {} : { nodata }),
      ...(output.unit === null ? {} : { unit: output.unit }),
      ...(known === null || known.count === 0 ? {} : { statistics: summary(known, size.width * size.height) }),
      'raster:sampling': 'area',
      ...(output.scale === null ? {} : { 'raster:scale': output.scale }),
      ...(output.offset === null ? {} : { 'raster:offset': output.offset }),
    };
  });
  const alphaBand: StacBand = { name: 'alpha', data_type: pipeline.dtype, 'raster:sampling': 'area' };
  return alpha ? [...bands, alphaBand] : bands;
}

function summary(statistics: BandStatistics, pixels: number): BandSummary {
  const stddev = standardDeviation(statistics);
  return {
    minimum: statistics.min,
    maximum: statistics.max,
    ...(statistics.mean === null ? {} : { mean: statistics.mean }),
    ...(stddev === null ? {} : { stddev }),
    count: statistics.count,
    valid_percent: (statistics.count / pixels) * 100,
  };
}

/** JSON has no NaN and no infinities: STAC spells them. */
function stacNodata(nodata: number | null): number | 'nan' | 'inf' | '-inf' | undefined {
  if (nodata === null) return undefined;
  if (Number.isNaN(nodata)) return 'nan';
  if (!Number.isFinite(nodata)) return nodata > 0 ? 'inf' : '-inf';
  return nodata;
}
