import type { z } from 'zod';
import { TileonceError } from '../lambda/errors.ts';
import type { Pipeline } from '../lambda/pipeline/definition/pipeline.ts';
import { didYouMean } from '../lambda/raster/expression/nearest-name.ts';
import { type StageConfig, namesIn, stageSchema } from './config-schema.ts';
import { ConfigurationError, loadPipelines } from './pipeline-files.ts';
import { type Timing, timingOf } from './timing.ts';

/** A stage, checked: everything is trusted from here on. */
export interface DeploymentConfig {
  /** `dev`, `prod`: part of every stack's name, and the metrics' dimension. */
  readonly stage: string;
  readonly settings: StageConfig;
  readonly pipelines: readonly Pipeline[];
  readonly timing: Timing;
}

/** Looks a context value up, as a construct's `node.tryGetContext` does. */
export type ContextLookup = (key: string) => unknown;

/**
 * Reads the deployment's configuration from the CDK context: `stage` names one member of `stages`.
 *
 * @param folder the folder of cdk.json; pipelines' paths start there.
 * @throws ConfigurationError with every problem at once.
 */
export const readConfig = (context: ContextLookup, folder: string): DeploymentConfig => {
  const { stage, value } = stageOf(context);
  const parsed = stageSchema.safeParse(value);
  const problems: string[] = parsed.error?.issues.flatMap((issue) => describe(issue)) ?? [];
  if (!parsed.success) throw new ConfigurationError(`stage "${stage}" in cdk.json`, problems);
  const settings = parsed.data;
  const timing = collected(problems, () => timingOf(settings.timing));
  const pipelines = collected(problems, () => loadPipelines(settings.pipelines, folder));
  if (settings.alarms.topicArn !== undefined && settings.alarms.email !== undefined) {
    problems.push('alarms: give either topicArn or email: an existing topic has its own subscribers');
  }
  if (timing === null || pipelines === null || problems.length > 0) {
    throw new ConfigurationError(`stage "${stage}" in cdk.json`, problems);
  }
  return { stage, settings, pipelines, timing };
};

/** The chosen stage's name and its unchecked value. `-c key={...}` arrives as text. */
const stageOf = (context: ContextLookup): { readonly stage: string; readonly value: unknown } => {
  const stages = parsedIfText(context('stages'));
  if (!isObject(stages)) {
    throw new ConfigurationError('the context', ['stages: must be an object of stages, as cdk.json has it']);
  }
  const stage = context('stage');
  const names = Object.keys(stages);
  if (typeof stage !== 'string' || !Object.hasOwn(stages, stage)) {
    const known = names.join(', ');
    const near = typeof stage === 'string' ? didYouMean(stage, names) : '';
    throw new ConfigurationError('the context', [
      `stage: there is no stage ${JSON.stringify(stage)}${near || `; there are ${known}`} (choose one with -c stage=NAME)`,
    ]);
  }
  if (!/^[a-z][a-z0-9-]{0,19}$/u.test(stage)) {
    throw new ConfigurationError('the context', [
      `stage: "${stage}" cannot be part of a stack's name: at most 20 lower-case letters, digits and hyphens`,
    ]);
  }
  return { stage, value: stages[stage] };
};

const parsedIfText = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new ConfigurationError('the context', [`stages: ${JSON.stringify(value)} is no JSON; -c values are text`]);
  }
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const describe = (issue: z.core.$ZodIssue): readonly string[] => {
  const at = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return [`${at}: ${issue.message}`];
  return issue.keys.map((key) => {
    const path = at === '' ? key : `${at}.${key}`;
    return `${path}: there is no such setting${didYouMean(key, namesIn(issue.path[0]))}`;
  });
};

/** The result, or null with the problems put on the list. */
const collected = <T>(problems: string[], read: () => T): T | null => {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigurationError) problems.push(...error.problems);
    else if (error instanceof TileonceError) problems.push(error.oneLine);
    else throw error;
    return null;
  }
};
