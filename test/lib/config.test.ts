import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namesIn } from '../../lib/config-schema.ts';
import { readConfig } from '../../lib/config.ts';
import { ConfigurationError } from '../../lib/pipeline-files.ts';
import { committedContext, pipelines, repository } from './deployment.ts';

const read = (context: Readonly<Record<string, unknown>>, folder = repository) =>
  readConfig((key) => context[key], folder);

const problemsOf = (context: Readonly<Record<string, unknown>>, folder = repository): readonly string[] => {
  try {
    read(context, folder);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
};

const stage = (settings: unknown) => ({ stage: 'dev', stages: { dev: settings } });

describe('the configuration', () => {
  test.each(['dev', 'prod', 'laptop'])('that is committed is right: stage %s', (name) => {
    const config = read({ ...committedContext, stage: name });
    expect(config.pipelines.map(({ pipeline }) => pipeline)).toEqual(['sentinel2-ndvi']);
    expect(config.timing).toMatchObject({ ceilingSeconds: 900, leaseSeconds: 930, visibilitySeconds: 960 });
    expect(config.settings.removal).toBe(name === 'prod' ? 'retain' : 'destroy');
  });

  test('needs no more than its pipelines', () => {
    expect(read(stage({ pipelines })).settings).toEqual({
      pipelines,
      source: { prefix: '', requesterPays: false },
      output: {},
      alarms: { gates: true },
      logRetentionDays: 30,
      memoryMb: { 'fan-out': 1769, tile: 1769, count: 256, assemble: 3538, reap: 512 },
      scratchMb: 4096,
      maxConcurrency: 50,
      timing: {},
      tracing: false,
      removal: 'retain',
      tags: {},
    });
  });

  test('names every wrong setting at once', () => {
    expect(
      problemsOf(
        stage({
          pipelines: [],
          maxConcurency: 5,
          source: { prefx: 'a', account: 1 },
          scratchMb: 20,
          removal: 'keep',
          logRetentionDays: 8,
        }),
      ),
    ).toEqual([
      'pipelines: Too small: expected array to have >=1 items',
      'source.account: Invalid input: expected string, received number',
      'source.prefx: there is no such setting: did you mean "prefix"?',
      expect.stringMatching(/^logRetentionDays: Invalid option: expected one of 1\|3\|5\|7/u),
      'scratchMb: Too small: expected number to be >=512',
      'removal: Invalid option: expected one of "retain"|"destroy"',
      'maxConcurency: there is no such setting: did you mean "maxConcurrency"?',
    ]);
  });

  test('names broken times, bad pipelines and an ambiguous alarm together', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tileonce-config-'));
    try {
      writeFileSync(join(folder, 'broken.json'), '{ "pipeline": "a", "bands": { "B": {} }, "expression": "B +" }');
      const topicArn = 'arn:aws:sns:eu-west-1:111122223333:alarms';
      const problems = problemsOf(
        stage({
          pipelines: ['broken.json', 'absent.json'],
          timing: { leaseSeconds: 900 },
          alarms: { topicArn, email: 'ops@example.com' },
        }),
        folder,
      );
      expect(problems).toHaveLength(4);
      expect(problems[0]).toContain('ceiling + clock skew (930 s) <= lease (900 s) does not hold');
      expect(problems[1]).toMatch(/broken\.json:1:\d+/u);
      expect(problems[2]).toBe('absent.json: there is no such file');
      expect(problems[3]).toMatch(/^alarms: give either topicArn or email/u);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('refuses two pipelines of one name and version: their scenes would be one', () => {
    expect(problemsOf(stage({ pipelines: [...pipelines, ...pipelines] }))).toEqual([
      "two pipelines are called default/sentinel2-ndvi 1.0.0: change one's name or version",
    ]);
  });

  test('given as text on the command line is read as JSON, or refused as such', () => {
    const stages = JSON.stringify({ dev: { pipelines } });
    expect(read({ stage: 'dev', stages }).settings.pipelines).toEqual(pipelines);
    expect(problemsOf({ stage: 'dev', stages: '{dev:{}}' })).toEqual([
      'stages: "{dev:{}}" is no JSON; -c values are text',
    ]);
    expect(problemsOf({ stage: 'dev' })).toEqual(['stages: must be an object of stages, as cdk.json has it']);
  });

  test('of an unknown stage says which there are', () => {
    const stages = { dev: { pipelines }, prod: { pipelines } };
    expect(problemsOf({ stage: 'prd', stages })).toEqual([
      'stage: there is no stage "prd": did you mean "prod"? (choose one with -c stage=NAME)',
    ]);
    expect(problemsOf({ stage: 'qa', stages })).toEqual([
      'stage: there is no stage "qa"; there are dev, prod (choose one with -c stage=NAME)',
    ]);
  });

  test('is described to the last setting in docs/deploy.md', () => {
    const page = readFileSync(`${repository}docs/deploy.md`, 'utf8');
    const settings = namesIn(undefined).flatMap((name) => [name, ...namesIn(name)]);
    expect(settings.filter((name) => !new RegExp(`[\`.]${name}[\`.]`, 'u').test(page))).toEqual([]);
  });
});
