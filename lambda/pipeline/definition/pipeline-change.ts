import { TileonceError } from '../../errors.ts';

/** What a caller wants otherwise than a pipeline file has it. */
export interface PipelineChange {
  /** Instead of the file's expression or outputs. */
  readonly expression?: string | undefined;
  /** `red=3`, `nir=B08.tif` or `nir=S2.tif:4`: instead of where the file takes a band from, or one more band. */
  readonly bands?: readonly string[] | undefined;
  /** Other fields, as a pipeline file has them. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

interface BandOption {
  readonly name: string;
  readonly place: { readonly suffix?: string; readonly band: number };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads `NAME=WHERE`: a band number of the one file, or the suffix of the band's file, with `:NUMBER` behind it where it
 * is not the first band.
 *
 * @throws TileonceError where the text is something else.
 */
export const parseBandOption = (text: string): BandOption => {
  const { name, where } = /^(?<name>[A-Za-z_]\w*)=(?<where>.+)$/u.exec(text)?.groups ?? {};
  if (name === undefined || where === undefined) {
    throw new TileonceError(`"${text}" does not say where a band is`, {
      remedy: 'write red=3 (a band of the file), nir=B08.tif (how its file ends) or nir=S2.tif:4',
    });
  }
  if (/^\d+$/u.test(where)) return { name, place: { band: Number(where) } };
  const { suffix = where, band = '1' } = /^(?<suffix>.+):(?<band>\d+)$/u.exec(where)?.groups ?? {};
  return { name, place: { suffix, band: Number(band) } };
};

/**
 * The bands of a file with some taken from elsewhere; what else the file says of them stays.
 *
 * @throws TileonceError where one band is given twice.
 */
export const changedBands = (bands: unknown, options: readonly string[]): Record<string, unknown> => {
  const changed = isObject(bands) ? { ...bands } : {};
  const given = new Set<string>();
  for (const { name, place } of options.map(parseBandOption)) {
    if (given.has(name)) {
      throw new TileonceError(`the band ${name} is given twice`, { remedy: 'say once where it is' });
    }
    given.add(name);
    const before = isObject(changed[name]) ? changed[name] : {};
    const { suffix: _suffix, path: _path, band: _band, ...rest } = before;
    changed[name] = { ...rest, ...place };
  }
  return changed;
};

export const changesNothing = ({ expression, bands = [], fields = {} }: PipelineChange): boolean =>
  expression === undefined && bands.length === 0 && Object.keys(fields).length === 0;

/** A file's value with the changes made; to be checked like any file's. */
export const changedFile = (file: unknown, { expression, bands = [], fields = {} }: PipelineChange): unknown => {
  if (!isObject(file)) return file;
  const { outputs: _outputs, ...rest } = file;
  const changed = expression === undefined ? file : { ...rest, expression };
  const withBands = bands.length === 0 ? changed : { ...changed, bands: changedBands(file['bands'], bands) };
  return { ...withBands, ...fields };
};
