import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { FunctionName } from '../../lambda/environment.ts';
import { cloudEnvironment } from './ministack.ts';

/** The stage that tests deploy. */
export const STAGE = 'test';

/** The tests run in it, and cdk.json is there. */
const REPOSITORY = process.cwd();

/** MiniStack's one account. */
const ACCOUNT = '000000000000';

export interface DeployOptions {
  readonly endpoint: string;
  /** Takes the assembly and the outputs. */
  readonly folder: string;
  /** The stage's settings, as cdk.json has them. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** What an operator would copy from the stacks' outputs. */
export interface Deployed {
  readonly sourceBucket: string;
  readonly outputBucket: string;
  readonly claims: string;
  readonly manifest: string;
  readonly queues: Readonly<Record<'scenes' | 'tiles' | 'assemblies', string>>;
  readonly deadLetters: Readonly<Record<'scenes' | 'tiles' | 'assemblies', string>>;
  /** Where services put what they could not deliver. */
  readonly lost: readonly string[];
  readonly functions: Readonly<Record<FunctionName, string>>;
}

const outputs = z.object({
  [`Tileonce-${STAGE}-State`]: z.record(z.string(), z.string()),
  [`Tileonce-${STAGE}-Pipeline`]: z.record(z.string(), z.string()),
});

/** Where `deployApp` lets the stacks' outputs be written. */
export const outputsFileIn = (folder: string): string => join(folder, 'outputs.json');

/**
 * `cdk bootstrap` and `cdk deploy --all`, the commands of docs/deploy.md, against another endpoint.
 *
 * @throws Error where one of them fails, with the end of what it said.
 */
export const deployApp = async ({ endpoint, folder, settings }: DeployOptions): Promise<Deployed> => {
  const file = outputsFileIn(folder);
  const context = ['-c', `stage=${STAGE}`, '-c', `stages=${JSON.stringify({ [STAGE]: settings })}`];
  const common = [...context, '--output', join(folder, 'cdk.out'), '--no-notices', '--ci'];
  await cdk(endpoint, folder, ['bootstrap', `aws://${ACCOUNT}/${cloudEnvironment.AWS_REGION}`, '--ci'], folder);
  await cdk(endpoint, folder, ['deploy', '--all', '--require-approval', 'never', '--outputs-file', file, ...common]);
  const told = outputs.parse(JSON.parse(readFileSync(file, 'utf8')));
  const all = { ...told[`Tileonce-${STAGE}-State`], ...told[`Tileonce-${STAGE}-Pipeline`] };
  const one = (name: string): string => {
    const value = all[name] ?? all[name.replaceAll('-', '')];
    if (value === undefined) throw new Error(`the deployment has no output ${name}`);
    return value;
  };
  return {
    sourceBucket: one('SourceBucket'),
    outputBucket: one('OutputBucket'),
    claims: one('ClaimTable'),
    manifest: one('ManifestTable'),
    queues: { scenes: one('SceneQueueUrl'), tiles: one('TileQueueUrl'), assemblies: one('AssemblyQueueUrl') },
    deadLetters: {
      scenes: one('SceneDeadLettersUrl'),
      tiles: one('TileDeadLettersUrl'),
      assemblies: one('AssemblyDeadLettersUrl'),
    },
    lost: [one('UndeliveredUploadsUrl'), one('StreamFailuresUrl'), one('MissedReapsUrl')],
    functions: {
      'fan-out': one('Function-fan-out'),
      tile: one('Function-tile'),
      count: one('Function-count'),
      assemble: one('Function-assemble'),
      reap: one('Function-reap'),
    },
  };
};

/** Functions, and the commands here, run on the Node that runs the tests. */
export const nodeFirst = (): string => `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;

const MOST_WORDS = 4_000;

/** In a folder without cdk.json it does not synthesize the app. */
const cdk = (endpoint: string, folder: string, args: readonly string[], cwd = REPOSITORY): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(REPOSITORY, 'node_modules', 'aws-cdk', 'bin', 'cdk'), ...args], {
      cwd,
      env: {
        ...process.env,
        ...cloudEnvironment,
        PATH: nodeFirst(),
        // The command keeps notices, caches and an identity there: this one's are thrown away.
        HOME: folder,
        CDK_DISABLE_CLI_TELEMETRY: 'true',
        AWS_ENDPOINT_URL: endpoint,
        AWS_ENDPOINT_URL_S3: endpoint,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-MOST_WORDS);
      });
    }
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`cdk ${args[0]} ended with ${code}: ${said}`));
    });
  });
