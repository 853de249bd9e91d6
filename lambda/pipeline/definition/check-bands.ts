import { RESERVED_NAMES } from '../../raster/expression/parse.ts';
import { BandPathError, compileBandPath } from './band-path.ts';
import type { BandPath } from './band-path.ts';
import type { MeaningProblem } from './meaning-problem.ts';
import type { JsonPath } from './json-text.ts';
import type { BandFile, PipelineFile } from './schema.ts';

/** The path template of a band, or null for a band of the one uploaded file. */
export const bandTemplate = ({ path, suffix }: BandFile): string | null =>
  path ?? (suffix === undefined ? null : `{scene}${suffix}`);

const compiled = (template: string, path: JsonPath): BandPath | MeaningProblem => {
  try {
    return compileBandPath(template);
  } catch (error) {
    if (error instanceof BandPathError) return { path, message: error.oneLine };
    throw error;
  }
};

const fileTypeProblem = (template: string, path: JsonPath): MeaningProblem[] => {
  if (/\.tiff?$/iu.test(template)) return [];
  if (/\.jp2$/iu.test(template)) {
    const message =
      'JPEG 2000 is not read: convert it with "gdal_translate -of COG -co COMPRESS=DEFLATE in.jp2 out.tif" and name the .tif';
    return [{ path, message }];
  }
  return [{ path, message: 'must end in .tif or .tiff' }];
};

const sameNames = (a: readonly string[], b: readonly string[]): boolean => a.toSorted().join() === b.toSorted().join();

const braced = (names: readonly string[]): string => names.map((name) => `{${name}}`).join(', ');

const oneBandProblems = (name: string, band: BandFile): MeaningProblem[] => {
  const path = ['bands', name];
  const reserved = RESERVED_NAMES.has(name)
    ? [{ path, message: `"${name}" has a meaning in expressions: call the band something else` }]
    : [];
  const scale =
    band.scale !== undefined && Number(band.scale) === 0 ? [{ path: [...path, 'scale'], message: 'cannot be 0' }] : [];
  if (band.path !== undefined && band.suffix !== undefined) {
    return [...reserved, ...scale, { path: [...path, 'suffix'], message: 'is short for a path: give one of both' }];
  }
  if (band.suffix !== undefined && /[{}]/u.test(band.suffix)) {
    const message = 'has no captures: write a "path" with {scene} in it';
    return [...reserved, ...scale, { path: [...path, 'suffix'], message }];
  }
  return [...reserved, ...scale];
};

/** Faults of the bands' names, paths and numbers, and of the trigger's path, alone and against each other. */
export const bandPathProblems = (file: PipelineFile): MeaningProblem[] => {
  const bands = Object.entries(file.bands);
  if (bands.length === 0) return [{ path: ['bands'], message: 'at least one band is wanted' }];
  const alone = bands.flatMap(([name, band]) => oneBandProblems(name, band));
  if (alone.some(({ path }) => path[2] === 'suffix')) return alone;

  const templates = bands.map(([name, band]) => {
    const path = ['bands', name, band.path === undefined ? 'suffix' : 'path'];
    return { name, path, template: bandTemplate(band) };
  });
  const placed = templates.filter((band): band is typeof band & { template: string } => band.template !== null);
  const mixed = placed.length > 0 ? templates.filter(({ template }) => template === null) : [];
  const paths = placed.map(({ path, template }) => ({ path, template, result: compiled(template, path) }));
  const trigger = file.trigger === undefined ? [] : triggerProblems(file.trigger, paths[0]?.result);
  const first = paths.map(({ result }) => result).find((result) => 'names' in result);
  return [
    ...alone,
    ...mixed.map(({ name }) => ({
      path: ['bands', name],
      message: 'has no suffix or path while other bands do: say which object it is in',
    })),
    ...paths.flatMap(({ path, template, result }) => {
      if (!('names' in result)) return [result];
      const type = fileTypeProblem(template, path);
      if (first === undefined || sameNames(result.names, first.names)) return type;
      const message = `has the captures ${braced(result.names)}, another band ${braced(first.names)}: they must be the same`;
      return [...type, { path, message }];
    }),
    ...trigger,
  ];
};

const triggerProblems = (trigger: string, first: BandPath | MeaningProblem | undefined): MeaningProblem[] => {
  const path = ['trigger'];
  if (first === undefined) {
    return [{ path, message: 'is of no use to bands of one uploaded file: give the bands a suffix or a path' }];
  }
  const result = compiled(trigger, path);
  if (!('names' in result)) return [result];
  if (!('names' in first) || sameNames(result.names, first.names)) return [];
  return [
    {
      path,
      message: `has the captures ${braced(result.names)}, the bands ${braced(first.names)}: they must be the same`,
    },
  ];
};
