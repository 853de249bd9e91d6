import * as z from 'zod';
import { TileonceError } from '../errors.ts';
import { COMPRESSIONS, DATA_TYPES, OVERVIEW_METHODS, RESAMPLINGS } from '../raster/types.ts';
import { type JsonValue, type SceneJobId, parseSceneJobId } from './job-key.ts';
import type { PlannedSource, ScenePlan } from './plan.ts';

/** JSON has no NaN and no infinity, but a nodata value may be either: written as a member of this name. */
const NON_FINITE = '$number';

const encodeNumber = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? { [NON_FINITE]: String(value) } : value;

/** JSON text that keeps NaN and infinities; read back by `parseRecord`. */
export const serialiseRecord = (value: unknown): string => JSON.stringify(value, encodeNumber);

/** The value of `serialiseRecord`'s text. @throws SyntaxError where the text is no JSON. */
export const parseRecord = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  // A reviver would be called for each of a thousand values; few texts hold such a number, and those hold one or two.
  return text.includes(NON_FINITE) ? withNumbers(value) : value;
};

/** A value of JSON with the numbers that `serialiseRecord` wrote as objects. */
export const withNumbers = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withNumbers);
  if (NON_FINITE in value) return Number(value[NON_FINITE]);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNumbers(member)]));
};

/** zod's own number refuses NaN and infinities; a nodata value may be either. */
const anyNumber = z.custom<number>((value) => typeof value === 'number');
const whole = z.number().int().nonnegative();

const jsonValue: z.ZodType<JsonValue> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(jsonValue), z.record(z.string(), jsonValue)]),
);

const sceneJobIdSchema = z.string().transform((text, context): SceneJobId => {
  const id = parseSceneJobId(text);
  if (id !== null) return id;
  context.addIssue({ code: 'custom', message: 'is no scene job id' });
  return z.NEVER;
});

const bandShape = {
  name: z.string(),
  path: z.string().nullable(),
  band: whole,
  resampling: z.enum(RESAMPLINGS),
  nodata: anyNumber.nullable(),
  scale: anyNumber.nullable(),
  offset: anyNumber.nullable(),
  unscaled: z.boolean(),
};

const fourNumbers = z.tuple([z.number(), z.number(), z.number(), z.number()]);
const sixNumbers = z.tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.number()]);

const gridDefinition = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('suggested') }),
  z.object({ kind: z.literal('resolution'), resolution: z.number(), align: z.boolean() }),
  z.object({
    kind: z.literal('extent'),
    extent: fourNumbers,
    resolution: z.number().nullable(),
    align: z.boolean(),
  }),
  z.object({ kind: z.literal('tms'), tms: z.literal('WebMercatorQuad'), zoom: whole }),
]);

export const pipelineSchema = z.object({
  pipeline: z.string(),
  version: z.string(),
  namespace: z.string(),
  bands: z.array(z.object(bandShape)),
  outputs: z.array(
    z.object({
      name: z.string(),
      expression: z.string(),
      scale: anyNumber.nullable(),
      offset: anyNumber.nullable(),
      unit: z.string().nullable(),
    }),
  ),
  dtype: z.enum(DATA_TYPES),
  nodata: anyNumber.nullable(),
  mask: z.string().nullable(),
  color: z.literal('rgb').nullable(),
  dstCrs: z.string(),
  grid: gridDefinition,
  tilePx: whole,
  windows: z.object({ rows: whole, columns: whole }),
  compression: z.enum(COMPRESSIONS),
  overviews: z.enum(OVERVIEW_METHODS),
  datetime: z.string().nullable(),
  trigger: z.string().nullable(),
});

export const plannedSourceSchema: z.ZodType<PlannedSource> = z.object({
  bucket: z.string(),
  key: z.string(),
  versionToken: z.string(),
  etag: z.string(),
  versionId: z.string().nullable(),
  bytes: whole,
});

export const planSchema: z.ZodType<ScenePlan> = z.object({
  sceneJobId: sceneJobIdSchema,
  sceneName: z.string(),
  pixelVersion: whole,
  softwareVersion: z.string(),
  pipeline: pipelineSchema,
  params: z.record(z.string(), jsonValue),
  sources: z.array(plannedSourceSchema),
  bands: z.array(z.object({ ...bandShape, source: whole })),
  time: z.object({ datetime: z.string(), from: z.enum(['name', 'tiff', 'upload']) }),
  grid: z.object({
    width: whole,
    height: whole,
    geotransform: sixNumbers,
    crs: z.object({
      code: z.string().nullable(),
      name: z.string(),
      proj4: z.string(),
      geographic: z.boolean(),
      geoKeys: z.object({ directory: z.array(z.number()), doubles: z.array(z.number()), ascii: z.string() }),
    }),
  }),
  windows: z.object({ rowEdges: z.array(whole), columnEdges: z.array(whole) }),
});

/** A plan as the ledger and the messages carry it. */
export const serialisePlan = (plan: ScenePlan): string => serialiseRecord(plan);

/** Reads a plan back. @throws TileonceError where the text is no plan of this version. */
export const parsePlan = (text: string): ScenePlan => {
  const parsed = planSchema.safeParse(parseRecord(text));
  if (parsed.success) return parsed.data;
  throw new TileonceError(`a stored plan cannot be read: ${z.prettifyError(parsed.error)}`, {
    remedy: 'it was written by another version of tileonce; use that version, or another output',
  });
};
