import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../exit-code.ts';

export interface EngineFlags {
  readonly out?: string;
  readonly stage?: string;
  readonly outputs: string;
  readonly resource?: Readonly<Record<string, string>>;
  readonly json?: boolean;
}

const resource = (text: string, previous: Readonly<Record<string, string>> = {}): Record<string, string> => {
  const [, name, value] = /^([A-Za-z]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('NAME=VALUE is wanted.');
  return { ...previous, [name]: value };
};

/** The options that say which engine's scenes are meant, and how the answer is told. */
export const addEngineOptions = (command: Command): Command =>
  command
    .option('-o, --out <folder>', 'the output folder of tileonce run')
    .option('-s, --stage <name>', 'a deployment on AWS')
    .option('--outputs <file>', 'what cdk deploy --outputs-file wrote, with --stage', 'cdk-outputs.json')
    .option(
      '--resource <name=value>',
      'names a resource of the stage, as its stack outputs do: ClaimTable=...',
      resource,
    )
    .option('--json', 'answer with JSON on stdout');

export const DRY_RUN = ['--dry-run', 'say what would be done, and change nothing'] as const;

/** A whole number from 1 up, for options. */
export const positiveInteger = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1 up is wanted.');
  return value;
};

/** @throws UsageError unless exactly one engine is named. */
export const chosenEngine = ({ out, stage }: EngineFlags): { out: string } | { stage: string } => {
  if (out !== undefined && stage === undefined) return { out };
  if (stage !== undefined && out === undefined) return { stage };
  throw new UsageError(
    out === undefined ? 'neither --out nor --stage is given' : '--out and --stage do not go together',
    { remedy: 'name the output folder with --out, or the deployment with --stage' },
  );
};
