import type { GeoKeys } from '../types.ts';

/** The GeoTIFF keys this project reads or writes (OGC 19-008r4, requirements class "GeoKeyDirectory"). */
export const GEO_KEY = {
  modelType: 1024,
  rasterType: 1025,
  citation: 1026,
  geographicType: 2048,
  geogDatum: 2050,
  geogEllipsoid: 2056,
  geogAngularUnits: 2054,
  projectedCsType: 3072,
  projectedCitation: 3073,
  projLinearUnits: 3076,
  projLinearUnitSize: 3077,
} as const;

/** Key value that says "described by the other keys", not by a code. */
export const USER_DEFINED = 32767;

export type GeoKeyValue = number | string | readonly number[];

const DOUBLES_TAG = 34736;
const ASCII_TAG = 34737;

/** Key number to value; texts without their trailing `|`, one double as a number. Keys that point outside their tag are left out. */
export const readGeoKeys = (keys: GeoKeys): ReadonlyMap<number, GeoKeyValue> => {
  const values = new Map<number, GeoKeyValue>();
  for (const [id, tag, count, value] of entriesOf(keys.directory)) {
    if (tag === 0) values.set(id, value);
    else if (tag === ASCII_TAG) values.set(id, keys.ascii.slice(value, value + count).replace(/[|\0]+$/, ''));
    else if (tag === DOUBLES_TAG) {
      const numbers = keys.doubles.slice(value, value + count);
      const [first] = numbers;
      if (first !== undefined) values.set(id, numbers.length === 1 ? first : numbers);
    }
  }
  return values;
};

/** The smallest directory that names a coded system: model type, PixelIsArea and the code. */
export const codedGeoKeys = (code: number, geographic: boolean): GeoKeys => ({
  directory: [
    [1, 1, 0, 3],
    [GEO_KEY.modelType, 0, 1, geographic ? 2 : 1],
    [GEO_KEY.rasterType, 0, 1, 1],
    [geographic ? GEO_KEY.geographicType : GEO_KEY.projectedCsType, 0, 1, code],
  ].flat(),
  doubles: [],
  ascii: '',
});

/** The same keys with the raster type set to PixelIsArea; every other key as it stands. */
export const asPixelIsArea = (keys: GeoKeys): GeoKeys => {
  const entries = entriesOf(keys.directory).filter(([id]) => id !== GEO_KEY.rasterType);
  entries.push([GEO_KEY.rasterType, 0, 1, 1]);
  entries.sort(([a], [b]) => a - b);
  const [version = 1, revision = 1, minor = 0] = keys.directory;
  return { ...keys, directory: [version, revision, minor, entries.length, ...entries.flat()] };
};

type Entry = [id: number, tag: number, count: number, value: number];

/** The keys that the header counts: some writers pad the array with zeroes behind them, which are no keys. */
const entriesOf = (directory: readonly number[]): Entry[] => {
  const entries: Entry[] = [];
  const [, , , declared = 0] = directory;
  for (let i = 4; i + 3 < directory.length && entries.length < declared; i += 4) {
    const [id = 0, tag = 0, count = 0, value = 0] = directory.slice(i, i + 4);
    entries.push([id, tag, count, value]);
  }
  return entries;
};
