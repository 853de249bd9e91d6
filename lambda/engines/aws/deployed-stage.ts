import * as z from 'zod';
import { TileonceError } from '../../errors.ts';

/** What a stage's stacks are asked for; named as their outputs are. */
export const STAGE_RESOURCES = [
  'ClaimTable',
  'ManifestTable',
  'OutputBucket',
  'SceneQueueUrl',
  'TileQueueUrl',
  'AssemblyQueueUrl',
  'SceneDeadLettersUrl',
  'TileDeadLettersUrl',
  'AssemblyDeadLettersUrl',
] as const;
export type StageResource = (typeof STAGE_RESOURCES)[number];

export interface DeployedStage extends Readonly<Record<StageResource, string>> {
  /** Uploads that EventBridge could not deliver; not every deployment has them. */
  readonly UndeliveredUploadsUrl: string | null;
}

const outputsSchema = z.record(z.string(), z.record(z.string(), z.string()));

/** A stage's resources are not known. */
export class StageError extends TileonceError {}

/**
 * The names of a stage's resources, from the file that `cdk deploy --outputs-file` wrote, with some named otherwise.
 *
 * @param outputs the file's text; null where there is none.
 * @throws StageError where the text is no such file, or a resource is named by neither.
 */
export const deployedStage = (
  stage: string,
  outputs: string | null,
  named: Readonly<Record<string, string>> = {},
): DeployedStage => {
  const stacks = outputs === null ? {} : parseOutputs(outputs);
  const told = { ...stacks[`Tileonce-${stage}-State`], ...stacks[`Tileonce-${stage}-Pipeline`], ...named };
  const missing = STAGE_RESOURCES.filter((name) => told[name] === undefined);
  if (missing.length > 0) {
    const known = [...new Set(Object.keys(stacks).flatMap((name) => /^Tileonce-(.+)-State$/.exec(name)?.[1] ?? []))];
    throw new StageError(
      `of stage ${stage} nothing says what ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} called` +
        (known.length > 0 ? ` (the outputs file knows ${known.join(', ')})` : ''),
      {
        remedy: 'deploy with cdk deploy --all --outputs-file cdk-outputs.json, or name them: --resource ClaimTable=...',
      },
    );
  }
  const pick = (name: StageResource): string => told[name] ?? '';
  return {
    ClaimTable: pick('ClaimTable'),
    ManifestTable: pick('ManifestTable'),
    OutputBucket: pick('OutputBucket'),
    SceneQueueUrl: pick('SceneQueueUrl'),
    TileQueueUrl: pick('TileQueueUrl'),
    AssemblyQueueUrl: pick('AssemblyQueueUrl'),
    SceneDeadLettersUrl: pick('SceneDeadLettersUrl'),
    TileDeadLettersUrl: pick('TileDeadLettersUrl'),
    AssemblyDeadLettersUrl: pick('AssemblyDeadLettersUrl'),
    UndeliveredUploadsUrl: told['UndeliveredUploadsUrl'] ?? null,
  };
};

const parseOutputs = (text: string): Readonly<Record<string, Readonly<Record<string, string>>>> => {
  try {
    return outputsSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new StageError('the outputs file is not what cdk deploy --outputs-file writes', {
      remedy: 'deploy once more with --outputs-file, or correct the path',
      cause,
    });
  }
};
