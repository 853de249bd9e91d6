import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { committedContext, repository } from './deployment.ts';

/** Inside the checkout, as `cdk.out` is: source maps name their sources from there. */
const cache = join(repository, 'node_modules', '.cache');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'synth-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the app as the CDK command does. */
const runApp = (outFolder: string, context: object) =>
  spawnSync('node', [join(repository, 'bin', 'app.ts')], {
    cwd: repository,
    encoding: 'utf8',
    env: { ...process.env, CDK_OUTDIR: outFolder, CDK_CONTEXT_JSON: JSON.stringify(context) },
  });

const template = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).optional() }),
  ),
});
const codeOf = z.object({
  Code: z.object({ S3Key: z.string() }),
  Description: z.string(),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
});

/** The functions of the synthesized stage: each with its asset's folder. */
const functionsIn = (outFolder: string) => {
  const text = readFileSync(join(outFolder, 'Tileonce-dev-Pipeline.template.json'), 'utf8');
  return Object.values(template.parse(JSON.parse(text)).Resources)
    .filter(({ Type }) => Type === 'AWS::Lambda::Function')
    .map(({ Properties }) => codeOf.parse(Properties))
    .map(({ Code, Description, Environment }) => ({
      description: Description,
      asset: join(outFolder, `asset.${Code.S3Key.replace('.zip', '')}`),
      variables: Environment.Variables,
    }));
};

describe('the synthesized app', () => {
  const out = join(folder, 'out');
  let ran: ReturnType<typeof runApp>;
  beforeAll(() => {
    ran = runApp(out, committedContext);
  }, 120_000);

  test('passes CloudFormation’s types and the AwsSolutions rules, without a network', () => {
    expect([ran.status, /error/iu.test(ran.stdout)]).toEqual([0, false]);
    expect(readdirSync(out).filter((name) => name.endsWith('.template.json'))).toHaveLength(3);
  });

  test('has bundles that start under Node on their own, from the environment that they are deployed with', () => {
    for (const { asset, description, variables } of functionsIn(out)) {
      const env = Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [
          name,
          typeof value === 'string'
            ? value
            : name.endsWith('_URL')
              ? 'https://sqs.eu-west-1.amazonaws.com/1/q'
              : 'name',
        ]),
      );
      const script = `const { handler } = await import(${JSON.stringify(join(asset, 'index.mjs'))}); console.log(typeof handler);`;
      const { stdout, stderr } = spawnSync('node', ['--input-type=module', '-e', script], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], AWS_REGION: 'eu-west-1', ...env },
      });
      expect([description, stdout.trim(), stderr]).toEqual([description, 'function', '']);
    }
  }, 60_000);

  test('carries the table of EPSG codes beside the functions that open sources', () => {
    const carriers = functionsIn(out).filter(({ asset }) =>
      existsSync(join(asset, 'node_modules/epsg-index/s/2154.json')),
    );
    expect(carriers.map(({ description }) => description).toSorted()).toEqual([
      'Computes one window and writes it once',
      'Plans a scene and sends its windows',
    ]);
  });

  test('holds nothing of the checkout’s own path, so that any checkout gives the same hashes', () => {
    for (const { asset } of functionsIn(out)) {
      for (const file of ['index.mjs', 'index.mjs.map']) {
        const text = readFileSync(join(asset, file), 'utf8');
        expect([file, text.includes(repository.slice(1, -1))]).toEqual([file, false]);
      }
    }
  });
});

test('a wrong configuration is said in a few lines, without a stack trace and without an assembly', () => {
  const out = join(folder, 'refused');
  const { status, stderr } = runApp(out, { ...committedContext, stage: 'dev', stages: { dev: { pipelins: ['a'] } } });
  expect(status).toBe(1);
  expect(stderr.trim().split('\n')).toEqual([
    'stage "dev" in cdk.json cannot be used:',
    '  - pipelines: Invalid input: expected array, received undefined',
    '  - pipelins: there is no such setting: did you mean "pipelines"?',
  ]);
  expect(existsSync(join(out, 'manifest.json'))).toBe(false);
}, 30_000);
