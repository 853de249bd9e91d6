import type { ShapeProblem } from './describe-issue.ts';
import type { JsonPath } from './json-text.ts';
import { pipelineSchema } from './schema.ts';
import type { PipelineFile } from './schema.ts';

/** Stand in for what has to be there but is not, or is of the wrong shape. */
const STAND_INS: Readonly<Record<string, unknown>> = { pipeline: 'x', version: '1', bands: {} };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Takes the member at `path` out of a value, in place; a band is emptied instead, so that its name stays known. */
const takeOut = (value: unknown, path: JsonPath): void => {
  const [step, ...rest] = path;
  if (step === undefined || !isObject(value)) return;
  if (rest.length > 0) takeOut(value[step], rest);
  else delete value[step];
};

/**
 * A file of the right shape that is left when what is faulty is taken out, so that the rest can be checked too; and the
 * top-level fields that lost something. Null where not even that is a pipeline file.
 */
export const repaired = (
  value: unknown,
  problems: readonly ShapeProblem[],
): { file: PipelineFile; damaged: ReadonlySet<string> } | null => {
  if (!isObject(value) || Array.isArray(value)) return null;
  const copy: Record<string, unknown> = structuredClone(value);
  for (const { path } of problems) takeOut(copy, path);
  const damaged = new Set(problems.filter(isDamage).map(({ path }) => `${path[0]}`));
  const result = pipelineSchema.safeParse({ ...STAND_INS, ...copy });
  return result.success ? { file: result.data, damaged } : null;
};

/** An unknown field takes nothing with it; anything else leaves a gap that other checks would trip over. */
const isDamage = ({ at, path }: ShapeProblem): boolean => at === 'value' || path[0] === 'bands';
