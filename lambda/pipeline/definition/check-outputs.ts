import { storedValue } from '../../raster/expression/sample-types.ts';
import type { DataType } from '../../raster/types.ts';
import type { MeaningProblem } from './meaning-problem.ts';
import { nodataOf } from './decimal.ts';
import { defaultType } from './defaults.ts';
import type { JsonPath } from './json-text.ts';
import type { PipelineFile } from './schema.ts';

interface Written<T> {
  readonly path: JsonPath;
  readonly value: T;
}

/** The sample types that a file names, for all outputs and for single ones. */
export const writtenTypes = (file: PipelineFile): Written<DataType>[] => [
  ...(file.dtype === undefined ? [] : [{ path: ['dtype'], value: file.dtype }]),
  ...(file.outputs ?? []).flatMap(({ dtype }, index) =>
    dtype === undefined ? [] : [{ path: ['outputs', index, 'dtype'], value: dtype }],
  ),
];

/** The nodata values that a file names; null for none. */
export const writtenNodata = (file: PipelineFile): Written<number | null>[] => {
  const read = (value: number | string | null): number | null => (value === null ? null : nodataOf(value));
  return [
    ...(file.nodata === undefined ? [] : [{ path: ['nodata'], value: read(file.nodata) }]),
    ...(file.outputs ?? []).flatMap(({ nodata }, index) =>
      nodata === undefined ? [] : [{ path: ['outputs', index, 'nodata'], value: read(nodata) }],
    ),
  ];
};

const differing = <T extends string | number | null>(
  written: readonly Written<T>[],
  what: string,
): MeaningProblem[] => {
  const [first] = written;
  return written
    .filter(({ value }) => first !== undefined && !Object.is(value, first.value))
    .map(({ path, value }) => ({
      path,
      message: `${String(value)} here and ${String(first?.value)} before: all bands of a TIFF share one ${what}`,
    }));
};

const nodataProblems = (file: PipelineFile, dtype: DataType): MeaningProblem[] =>
  writtenNodata(file).flatMap(({ path, value }) => {
    if (value === null) return [];
    if (file.color === 'rgb')
      return [{ path, message: 'leave it out: the alpha band of a picture says where data are' }];
    return storedValue(value, dtype) === null
      ? [{ path, message: `${Number.isNaN(value) ? '"nan"' : value} cannot be stored as ${dtype}` }]
      : [];
  });

const colourProblems = (file: PipelineFile, dtype: DataType): MeaningProblem[] => {
  if (file.color === undefined) return [];
  const count = file.outputs?.length ?? 1;
  return [
    ...(count === 3 ? [] : [{ path: ['color'], message: `"rgb" needs 3 outputs: red, green and blue, not ${count}` }]),
    ...(dtype === 'uint8' || dtype === 'uint16' ? [] : [{ path: ['color'], message: '"rgb" needs uint8 or uint16' }]),
  ];
};

const nameProblems = ({ outputs = [] }: PipelineFile): MeaningProblem[] =>
  outputs.flatMap(({ name, scale }, index) => [
    ...(outputs.findIndex((output) => output.name === name) < index
      ? [{ path: ['outputs', index, 'name'], message: `another output is called "${name}" already` }]
      : []),
    ...(scale !== undefined && Number(scale) === 0
      ? [{ path: ['outputs', index, 'scale'], message: 'cannot be 0' }]
      : []),
  ]);

/** Faults of the outputs: their number, names, types, nodata and colour. */
export const outputProblems = (file: PipelineFile): MeaningProblem[] => {
  if (file.outputs !== undefined && file.expression !== undefined) {
    return [{ path: ['expression'], message: 'is short for a lone output: give it or "outputs"' }];
  }
  if (file.outputs === undefined && file.expression === undefined) {
    return [{ path: [], message: 'what is to be computed is missing: give "expression" or "outputs"' }];
  }
  const types = writtenTypes(file);
  const mixed = differing(types, 'type');
  const dtype = types[0]?.value ?? defaultType(file.color ?? null);
  return [
    ...nameProblems(file),
    ...mixed,
    ...differing(writtenNodata(file), 'nodata value'),
    ...(mixed.length === 0 ? [...nodataProblems(file, dtype), ...colourProblems(file, dtype)] : []),
  ];
};
