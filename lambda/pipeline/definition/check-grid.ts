import { TileonceError } from '../../errors.ts';
import { normaliseCrsText } from '../../raster/crs/from-text.ts';
import type { MeaningProblem } from './meaning-problem.ts';
import { numberOf } from './decimal.ts';
import { defaultCrs } from './defaults.ts';
import type { PipelineFile } from './schema.ts';

const crsOf = ({ dst_crs: text, tms }: PipelineFile): { crs: string } | MeaningProblem => {
  try {
    return { crs: text === undefined ? defaultCrs(tms) : normaliseCrsText(text) };
  } catch (error) {
    if (error instanceof TileonceError) return { path: ['dst_crs'], message: error.oneLine };
    throw error;
  }
};

const tmsProblems = (file: PipelineFile, crs: string | undefined): MeaningProblem[] => {
  const { tms, zoom } = file;
  if (tms === undefined) return zoom === undefined ? [] : [{ path: ['zoom'], message: 'needs "tms"' }];
  const others = (['resolution', 'extent', 'align'] as const).filter((field) => file[field] !== undefined);
  return [
    ...(zoom === undefined ? [{ path: ['tms'], message: 'needs "zoom"' }] : []),
    ...others.map((field) => ({ path: [field], message: `"tms" and "zoom" decide it already: give one of both` })),
    ...(crs === undefined || crs === defaultCrs(tms)
      ? []
      : [{ path: ['dst_crs'], message: `${tms} is in ${defaultCrs(tms)}: write that or leave it out` }]),
  ];
};

const extentProblems = ({ extent }: PipelineFile): MeaningProblem[] => {
  if (extent === undefined) return [];
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = extent.map(numberOf);
  return minX < maxX && minY < maxY
    ? []
    : [{ path: ['extent'], message: 'must be [minX, minY, maxX, maxY], the least of each axis first' }];
};

/** Faults of what decides the output's grid. */
export const gridProblems = (file: PipelineFile): MeaningProblem[] => {
  const result = crsOf(file);
  const crs = 'crs' in result ? result.crs : undefined;
  const fixed =
    crs === 'source' ? (['resolution', 'extent'] as const).filter((field) => file[field] !== undefined) : [];
  return [
    ...('crs' in result ? [] : [result]),
    ...fixed.map((field) => ({
      path: [field],
      message: 'the source grid is kept where "dst_crs" is "source" or left out: give a "dst_crs" such as "EPSG:3857"',
    })),
    ...(file.resolution !== undefined && numberOf(file.resolution) <= 0
      ? [{ path: ['resolution'], message: 'must be more than 0' }]
      : []),
    ...(file.align !== undefined && file.resolution === undefined && file.tms === undefined
      ? [{ path: ['align'], message: 'needs "resolution"' }]
      : []),
    ...extentProblems(file),
    ...tmsProblems(file, crs),
  ];
};
