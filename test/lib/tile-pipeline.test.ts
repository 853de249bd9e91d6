import { describe, expect, test } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { PIPELINES_FILE, pipelinesVariable, readFanOutEnvironment } from '../../lambda/environment.ts';
import { bundling } from '../../lib/bundling.ts';
import { TilePipeline } from '../../lib/tile-pipeline.ts';
import { quickApp } from './deployment.ts';
import { ndvi, pipelineOf } from './pipelines.ts';

const stack = (): Stack => new Stack(quickApp(), 'Theirs');

describe('a tile pipeline in someone’s own stack', () => {
  test('needs its pipelines only, and brings everything along', () => {
    const theirs = stack();
    const pipeline = new TilePipeline(theirs, 'Ndvi', { pipelines: [ndvi] });
    const template = Template.fromStack(theirs);
    template.resourceCountIs('AWS::DynamoDB::Table', 2);
    template.resourceCountIs('AWS::S3::Bucket', 2);
    template.resourceCountIs('AWS::Lambda::Function', 5);
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
    expect(pipeline.operations?.alarms).toHaveLength(26);
  });

  test('takes their buckets and their topic, and leaves alarms out if they say so', () => {
    const theirs = stack();
    const sourceBucket = new Bucket(theirs, 'Scenes');
    const outputBucket = new Bucket(theirs, 'Tiles');
    const quiet = new TilePipeline(theirs, 'Ndvi', {
      pipelines: [ndvi],
      sourceBucket,
      outputBucket,
      operations: false,
    });
    expect(quiet.operations).toBeNull();
    const template = Template.fromStack(theirs);
    template.resourceCountIs('AWS::S3::Bucket', 2);
    template.resourceCountIs('AWS::CloudWatch::Alarm', 0);
    template.hasResourceProperties('AWS::S3::BucketPolicy', {
      Bucket: theirs.resolve(outputBucket.bucketName),
      PolicyDocument: Match.objectLike({
        Statement: Match.arrayWith([Match.objectLike({ Sid: 'RefuseUnconditionalWrites' })]),
      }),
    });

    const told = stack();
    const topic = new Topic(told, 'Alarms');
    const { operations } = new TilePipeline(told, 'Ndvi', { pipelines: [ndvi], operations: { topic } });
    expect(operations?.alarms.length).toBeGreaterThan(0);
    Template.fromStack(told).allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: [told.resolve(topic.topicArn)],
    });
  });

  test('stands beside another of its kind', () => {
    const theirs = stack();
    const one = new TilePipeline(theirs, 'One', { pipelines: [ndvi] });
    const two = new TilePipeline(theirs, 'Two', { pipelines: [ndvi] });
    expect(one.stage).not.toBe(two.stage);
    expect(() => Template.fromStack(theirs)).not.toThrow();
  });

  test('is refused where its outputs would ring for new scenes, and only there', () => {
    const build = (pipeline: typeof ndvi, sourcePrefix: string): TilePipeline => {
      const theirs = stack();
      const both = new Bucket(theirs, 'Both');
      return new TilePipeline(theirs, 'P', {
        pipelines: [pipeline],
        sourceBucket: both,
        outputBucket: both,
        sourcePrefix,
      });
    };
    const anyTiff = pipelineOf({ red: null, nir: null });
    expect(() => build(anyTiff, '')).toThrow('"*.tif" matches output keys: endless scenes');
    expect(() => build(anyTiff, 'tiles/')).toThrow('endless scenes');
    expect(() => build(anyTiff, 'incoming/')).not.toThrow();
    expect(() => build(ndvi, '')).not.toThrow();
  });

  test('is refused with a limit that AWS would refuse, or without a pipeline', () => {
    expect(() => new TilePipeline(stack(), 'P', { pipelines: [ndvi], maxConcurrency: 1 })).toThrow(
      'maxConcurrency is 1',
    );
    expect(() => new TilePipeline(stack(), 'P', { pipelines: [ndvi], scratchMb: 100 })).toThrow('scratchMb is 100');
    expect(() => new TilePipeline(stack(), 'P', { pipelines: [] })).toThrow('there is no pipeline to deploy');
    expect(() => new TilePipeline(stack(), 'P', { pipelines: ['no/such.json'] })).toThrow(
      'no/such.json: there is no such file',
    );
  });
});

describe('the pipelines', () => {
  const variableOf = (pipelines: readonly (typeof ndvi)[]): unknown => {
    const theirs = stack();
    const pipeline = new TilePipeline(theirs, 'P', { pipelines });
    const functions = Object.values(Template.fromStack(Stack.of(pipeline)).findResources('AWS::Lambda::Function'));
    return functions
      .map(({ Properties }) => Properties.Environment.Variables.PIPELINES)
      .find((text) => text !== undefined);
  };
  const variables = {
    STAGE: 'test',
    CLAIM_TABLE: 'claims',
    MANIFEST_TABLE: 'manifest',
    OUTPUT_BUCKET: 'output',
    SCENE_QUEUE_URL: 'https://queue/scenes',
    TILE_QUEUE_URL: 'https://queue/tiles',
    ASSEMBLY_QUEUE_URL: 'https://queue/assemblies',
    TIMING: JSON.stringify({
      leaseMs: 1,
      claimedRowTtlSeconds: 1,
      visibilityMs: 1,
      abortMarginMs: 1,
      retryMs: 1,
      maxReceives: 1,
      outageHideMs: [1],
      healAfterMs: 1,
      overdueMs: 1,
    }),
    REQUESTER_PAYS: 'false',
  };

  test('reach the function in a variable, NaN and all', () => {
    const text = variableOf([ndvi]);
    expect(readFanOutEnvironment({ ...variables, PIPELINES: String(text) }).PIPELINES).toEqual([ndvi]);
  });

  test('reach it in a file beside the code where they are too many for a variable', () => {
    const many = Array.from({ length: 6 }, (_, version) => ({ ...ndvi, version: `${version}` }));
    expect(variableOf(many)).toBe(PIPELINES_FILE);
    const text = pipelinesVariable(many);
    const [command = ''] = bundling('count', text).commandHooks?.afterBundling('/in', '/out') ?? [];
    expect(command).toContain(`'/out/${PIPELINES_FILE}'`);
    const encoded = /'(?<base64>[A-Za-z0-9+/=]+)'$/u.exec(command)?.groups?.['base64'] ?? '';
    expect(Buffer.from(encoded, 'base64').toString()).toBe(text);
  });

  test('missing, or any other variable, is said by name', () => {
    expect(() => readFanOutEnvironment({ ...variables, PIPELINES: '[', TILE_QUEUE_URL: undefined })).toThrow(
      /the environment of function fan-out is unusable: TILE_QUEUE_URL .*; PIPELINES is no JSON/u,
    );
  });
});
