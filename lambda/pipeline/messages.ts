import * as z from 'zod';
import { TileonceError } from '../errors.ts';
import type { WindowIndex } from '../identity/grid.ts';
import {
  parseRecord,
  pipelineSchema,
  plannedSourceSchema,
  planSchema,
  serialiseRecord,
  withNumbers,
} from '../identity/plan-record.ts';
import type { PlannedSource, ScenePlan } from '../identity/plan.ts';
import { type SceneJobId, parseSceneJobId } from '../identity/job-key.ts';
import { BoundedMemo } from '../raster/bounded-memo.ts';
import type { Pipeline } from './definition/pipeline.ts';

/** "Look at this scene again": rings for whatever is there now, carries no fact about it. */
export interface SceneMessage {
  readonly v: 1;
  readonly bucket: string;
  /** The key of any one of the scene's objects. */
  readonly key: string;
  readonly location: string;
  readonly pipeline: Pipeline;
}

/** One window's whole job: needs nothing but itself and the sources. */
export interface WindowMessage extends WindowIndex {
  readonly v: 1;
  readonly plan: ScenePlan;
  /** The sources' pins when this message was sent; newer than the plan's where a source was re-encrypted. */
  readonly sources: readonly PlannedSource[];
  readonly location: string;
}

/** "Every window of this scene has its row." */
export interface AssemblyMessage {
  readonly v: 1;
  readonly sceneJobId: SceneJobId;
  readonly location: string;
}

const sceneSchema = z.object({
  v: z.literal(1),
  bucket: z.string(),
  key: z.string(),
  location: z.string(),
  pipeline: pipelineSchema,
});

/**
 * What was read of plans, by their text: all windows of a scene bring the same one, and share the object. Nothing else of a
 * window's message can hold a number that JSON has not.
 */
const plans = new BoundedMemo<z.ZodSafeParseResult<ScenePlan>>(8);

const sharedPlanSchema = z.unknown().transform((value, context): ScenePlan => {
  const read = plans.get(JSON.stringify(value), () => planSchema.safeParse(withNumbers(value)));
  if (read.success) return read.data;
  for (const issue of read.error.issues) context.addIssue({ ...issue });
  return z.NEVER;
});

const windowSchema = z.object({
  v: z.literal(1),
  plan: sharedPlanSchema,
  sources: z.array(plannedSourceSchema),
  location: z.string(),
  row: z.number().int().nonnegative(),
  column: z.number().int().nonnegative(),
});

const assemblySchema = z.object({
  v: z.literal(1),
  sceneJobId: z.string().transform((text, context): SceneJobId => {
    const id = parseSceneJobId(text);
    if (id !== null) return id;
    context.addIssue({ code: 'custom', message: 'is no scene job id' });
    return z.NEVER;
  }),
  location: z.string(),
});

/** A message body that this version cannot read: it goes to the dead-letter queue with its context. */
export class MessageError extends TileonceError {}

const parseWith =
  <T>(what: string, schema: z.ZodType<T>, read: (text: string) => unknown = parseRecord) =>
  (body: string): T => {
    let value: unknown;
    try {
      value = read(body);
    } catch (cause) {
      throw new MessageError(`the ${what} message is no JSON`, { cause });
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new MessageError(`the ${what} message cannot be read: ${z.prettifyError(parsed.error)}`);
  };

/** Each @throws MessageError where the body is no message of its kind. */
export const parseSceneMessage = parseWith<SceneMessage>('scene', sceneSchema);
export const parseWindowMessage = parseWith<WindowMessage>('window', windowSchema, JSON.parse);
export const parseAssemblyMessage = parseWith<AssemblyMessage>('assembly', assemblySchema);

/** The body that the parsers above read back. */
export const messageBody = (message: SceneMessage | WindowMessage | AssemblyMessage): string =>
  serialiseRecord(message);
