import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { TileonceError } from './errors.ts';
import { parseRecord, pipelineSchema, serialiseRecord } from './identity/plan-record.ts';
import type { Pipeline } from './pipeline/definition/pipeline.ts';

/** The deployed functions; each is `lambda/{name}/handler.ts`. */
export const FUNCTIONS = ['fan-out', 'tile', 'count', 'assemble', 'reap'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

/** CloudWatch namespace of every metric in lambda/telemetry.ts. */
export const METRIC_NAMESPACE = 'Tileonce';

/** Every metric carries exactly these dimensions: alarms look for no others, and one deployment's never mix with another's. */
export const metricDimensions = (stage: string): { readonly service: string; readonly stage: string } => ({
  service: 'tileonce',
  stage,
});

/** The numbers that a running function needs of the deployment's times. */
export const runtimeTimingSchema = z.object({
  /** A claim's lease, ms. */
  leaseMs: z.number().int().positive(),
  /** Lifetime of a CLAIMED row that nobody comes back to, s. */
  claimedRowTtlSeconds: z.number().int().positive(),
  /** The queues' visibility timeout, ms. */
  visibilityMs: z.number().int().positive(),
  /** Work is aborted, and its lease released, this long before the function's deadline, ms. */
  abortMarginMs: z.number().int().positive(),
  /** What a message whose work failed waits before it is tried again, ms; its receive is counted. */
  retryMs: z.number().int().positive(),
  /** Receives before SQS moves a message to the dead-letter queue. */
  maxReceives: z.number().int().positive(),
  /** How long a message is hidden while a store is down: at its first receive, its second, ms. */
  outageHideMs: z.array(z.number().int().positive()).min(1),
  /** First wait before an OPEN plan's missing windows are sent again (it doubles), ms. */
  healAfterMs: z.number().int().positive(),
  /** Age at which an OPEN plan counts as overdue, ms. */
  overdueMs: z.number().int().positive(),
});
export type RuntimeTiming = z.output<typeof runtimeTimingSchema>;

const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return parseRecord(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'is no JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);

/** Either the pipelines themselves as JSON, or (where they exceed what a variable may hold) the file beside the bundle. */
export const PIPELINES_FILE = './pipelines.json';
const pipelinesText = z
  .string()
  .transform((text) =>
    text === PIPELINES_FILE ? readFileSync(new URL(PIPELINES_FILE, import.meta.url), 'utf8') : text,
  );

const name = z.string().min(1);
const everything = z.object({
  /** Name of this deployment: the metrics' dimension. */
  STAGE: name,
  CLAIM_TABLE: name,
  MANIFEST_TABLE: name,
  OUTPUT_BUCKET: name,
  SCENE_QUEUE_URL: z.url(),
  TILE_QUEUE_URL: z.url(),
  ASSEMBLY_QUEUE_URL: z.url(),
  /** Which pipelines an uploaded object may ring for. */
  PIPELINES: pipelinesText.pipe(json(z.array(pipelineSchema).min(1))),
  TIMING: json(runtimeTimingSchema),
  /** `true`: reads of the source bucket are billed to us. */
  REQUESTER_PAYS: z.stringbool(),
  /** Bound on the assembly's scratch files under /tmp, MiB. */
  SCRATCH_MB: z.coerce.number().int().positive(),
});

const { PIPELINES, REQUESTER_PAYS, SCRATCH_MB, ...common } = everything.shape;
const schemas = {
  'fan-out': z.object({ ...common, REQUESTER_PAYS, PIPELINES }),
  tile: z.object({ ...common, REQUESTER_PAYS }),
  count: z.object(common),
  assemble: z.object({ ...common, SCRATCH_MB }),
  reap: z.object(common),
} satisfies Record<FunctionName, z.ZodObject>;

/** The variables that each function reads; the infrastructure sets exactly these. */
export const VARIABLES: Readonly<Record<FunctionName, readonly string[]>> = {
  'fan-out': Object.keys(schemas['fan-out'].shape),
  tile: Object.keys(schemas.tile.shape),
  count: Object.keys(schemas.count.shape),
  assemble: Object.keys(schemas.assemble.shape),
  reap: Object.keys(schemas.reap.shape),
};

/** The process environment lacks a variable, or holds one that cannot be read. */
export class EnvironmentError extends TileonceError {}

type Variables = Readonly<Record<string, string | undefined>>;

const reader =
  <T extends z.ZodType>(functionName: FunctionName, schema: T) =>
  (env: Variables): z.output<T> => {
    const parsed = schema.safeParse(env);
    if (parsed.success) return parsed.data;
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
    throw new EnvironmentError(`the environment of function ${functionName} is unusable: ${problems}`, {
      remedy: 'deploy the function together with its infrastructure',
    });
  };

/** Each function's variables, checked once at its start. Each @throws EnvironmentError, naming every problem. */
export const readFanOutEnvironment = reader('fan-out', schemas['fan-out']);
export const readTileEnvironment = reader('tile', schemas.tile);
export const readCountEnvironment = reader('count', schemas.count);
export const readAssembleEnvironment = reader('assemble', schemas.assemble);
export const readReapEnvironment = reader('reap', schemas.reap);

/** The text that `PIPELINES` (or its file) holds. */
export const pipelinesVariable = (pipelines: readonly Pipeline[]): string => serialiseRecord(pipelines);
