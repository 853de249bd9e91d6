import type { Comparison } from '../warp/gdal.ts';
import type { ReferenceCase } from './gdal-reference.ts';

/** How the compared pixels came about. */
export type ReferenceOutput = Pick<ReferenceCase, 'crs' | 'resampling'>;

/**
 * What of a comparison is beyond the tolerances. On the file's own grid there is none. A warp interpolates positions to
 * within 0.003 px, so that a centre on a pixel's edge may fall to the other side, one in a thousand; values by bilinear
 * follow to within 0.0005 standard deviations of the band.
 *
 * @param factor times the tolerances of values by bilinear; Infinity: anything goes
 */
export function faultsOf(
  { maskShare, differentShare, p999, max }: Comparison,
  output: ReferenceOutput,
  factor = 1,
): Partial<Comparison> {
  if (factor === Infinity) return {};
  if (output.crs === null)
    return { ...(maskShare > 0 && { maskShare }), ...(differentShare > 0 && { differentShare }) };
  return {
    ...(maskShare > 0.0001 && { maskShare }),
    ...(output.resampling === 'near' && differentShare > 0.001 && { differentShare }),
    ...(output.resampling === 'bilinear' && p999 > 0.0005 * factor && { p999 }),
    ...(output.resampling === 'bilinear' && max > 0.005 * factor && { max }),
  };
}
