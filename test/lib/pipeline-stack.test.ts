/* oxlint-disable jest/expect-expect -- the template assertions throw on their own */
import { describe, expect, test } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { z } from 'zod';
import { FUNCTIONS, type FunctionName, VARIABLES } from '../../lambda/environment.ts';
import { deployed } from './deployment.ts';

const { pipeline, stacks } = deployed({ source: { prefix: 'scenes/' } });
const { scenes, tiles, assemblies, trigger, work } = stacks.pipeline.pipeline;
const resolve = (value: unknown): unknown => stacks.pipeline.resolve(value);

const queueProperties = z.object({ QueueName: z.string() });
/** A queue's name as the template has it. */
const nameOf = ({ queueUrl }: IQueue): string => {
  const { Ref: id } = z.object({ Ref: z.string() }).parse(resolve(queueUrl));
  return queueProperties.parse(pipeline.findResources('AWS::SQS::Queue')[id]?.['Properties']).QueueName;
};

const functionProperties = z.object({ Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }) });
const variablesOf = (name: FunctionName): Readonly<Record<string, unknown>> => {
  const { Ref: id } = z.object({ Ref: z.string() }).parse(resolve(work.functions[name].handler.functionName));
  const resource = pipeline.findResources('AWS::Lambda::Function')[id];
  return functionProperties.parse(resource?.['Properties']).Environment.Variables;
};

describe('an upload', () => {
  test('rings by the bands of the configured pipelines, in both cases of the extension', () => {
    pipeline.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['aws.s3'],
        'detail-type': ['Object Created'],
        detail: {
          bucket: { name: [Match.anyValue()] },
          object: {
            key: ['scenes/*B04.tif', 'scenes/*B04.TIF', 'scenes/*B08.tif', 'scenes/*B08.TIF'].map((wildcard) => ({
              wildcard,
            })),
          },
        },
      },
      Targets: [
        {
          Arn: resolve(scenes.queue.queueArn),
          DeadLetterConfig: { Arn: resolve(trigger.undelivered.queueArn) },
          RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
        },
      ],
    });
  });

  test('from another account is let in, and nothing but S3 events', () => {
    const { pipeline: foreign } = deployed({ source: { bucket: 'their-scenes', account: '444455556666' } });
    foreign.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: Match.objectLike({ account: ['444455556666'] }),
    });
    foreign.hasResourceProperties('AWS::Events::EventBusPolicy', {
      Statement: Match.objectLike({
        Action: 'events:PutEvents',
        Condition: { StringEquals: { 'events:source': 'aws.s3' } },
      }),
    });
    pipeline.resourceCountIs('AWS::Events::EventBusPolicy', 0);
  });
});

describe('a work queue', () => {
  test.each([
    ['scenes', scenes, 60],
    ['tiles', tiles, 0],
    ['assemblies', assemblies, 0],
  ])('%s hides for 960 s, keeps for 4 d and dead-letters after 3 receives', (_name, { queue, deadLetters }, delay) => {
    pipeline.hasResourceProperties('AWS::SQS::Queue', {
      QueueName: nameOf(queue),
      VisibilityTimeout: 960,
      MessageRetentionPeriod: 345_600,
      DelaySeconds: delay,
      SqsManagedSseEnabled: true,
      RedrivePolicy: { deadLetterTargetArn: resolve(deadLetters.queueArn), maxReceiveCount: 3 },
    });
    pipeline.hasResourceProperties('AWS::SQS::Queue', {
      QueueName: `${nameOf(queue)}-dlq`,
      MessageRetentionPeriod: 1_209_600,
      RedriveAllowPolicy: {
        redrivePermission: 'byQueue',
        sourceQueueArns: [Match.objectLike({ 'Fn::Join': ['', Match.arrayWith([`:${nameOf(queue)}`])] })],
      },
    });
  });

  test('and its dead letters speak TLS alone, as the queues of lost events do', () => {
    pipeline.resourceCountIs('AWS::SQS::Queue', 9);
    pipeline.resourceCountIs('AWS::SQS::QueuePolicy', 9);
    pipeline.allResourcesProperties('AWS::SQS::QueuePolicy', {
      PolicyDocument: Match.objectLike({
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        ]),
      }),
    });
  });
});

describe('the functions', () => {
  test('run Node 24 on arm64, with a runtime that changes only with the code', () => {
    pipeline.resourceCountIs('AWS::Lambda::Function', 5);
    pipeline.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      RuntimeManagementConfig: { UpdateRuntimeOn: 'FunctionUpdate' },
      Handler: 'index.handler',
      ReservedConcurrentExecutions: Match.absent(),
    });
  });

  test.each([
    ['Plans a scene and sends its windows', 1769, 900, 512],
    ['Computes one window and writes it once', 1769, 900, 512],
    ['Sends a scene to assembly when its last window is there', 256, 60, 512],
    ['Makes mosaic, preview and item of a scene', 3538, 900, 4096],
    ['Sends again what was lost', 512, 300, 512],
  ])('"%s" has %i MB, %i s and %i MB of /tmp', (Description, MemorySize, Timeout, scratch) => {
    pipeline.hasResourceProperties('AWS::Lambda::Function', {
      Description,
      MemorySize,
      Timeout,
      EphemeralStorage: { Size: scratch },
    });
  });

  test('have a log of their own that is kept for 30 days', () => {
    pipeline.resourceCountIs('AWS::Logs::LogGroup', 5);
    pipeline.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
    const logs = FUNCTIONS.map((name) => resolve(work.functions[name].log.logGroupName));
    for (const log of logs) {
      pipeline.hasResourceProperties('AWS::Lambda::Function', { LoggingConfig: { LogGroup: log } });
    }
  });

  test.each([...FUNCTIONS])('%s is given exactly the variables that it reads', (name) => {
    const variables = variablesOf(name);
    const own = Object.keys(variables).filter((variable) => !/^(?:POWERTOOLS|AWS)_/u.test(variable));
    expect(own.toSorted()).toEqual([...VARIABLES[name]].toSorted());
    expect(variables).toMatchObject({ STAGE: 'test', POWERTOOLS_SERVICE_NAME: 'tileonce' });
  });

  test.each([...FUNCTIONS])('%s says in every call’s user agent which function it is', (name) => {
    expect(variablesOf(name)).toMatchObject({ AWS_SDK_UA_APP_ID: `tileonce-${name}` });
  });

  test('get their times from the same place as the queues', () => {
    expect(JSON.parse(z.string().parse(variablesOf('tile')['TIMING']))).toMatchObject({
      leaseMs: 930_000,
      visibilityMs: 960_000,
      claimedRowTtlSeconds: 1_814_400,
    });
  });

  test('trace only where the stage says so', () => {
    pipeline.allResourcesProperties('AWS::Lambda::Function', { TracingConfig: Match.absent() });
    deployed({ tracing: true }).pipeline.allResourcesProperties('AWS::Lambda::Function', {
      TracingConfig: { Mode: 'Active' },
    });
  });

  test('can run in a VPC', () => {
    const vpc = { vpcId: 'vpc-1', availabilityZones: ['a'], subnetIds: ['subnet-1'], securityGroupIds: ['sg-1'] };
    deployed({ vpc }).pipeline.allResourcesProperties('AWS::Lambda::Function', {
      VpcConfig: { SubnetIds: ['subnet-1'], SecurityGroupIds: ['sg-1'] },
    });
  });
});

describe('what feeds the functions', () => {
  const mapping = (name: 'fan-out' | 'tile' | 'count' | 'assemble', properties: object): void =>
    pipeline.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: resolve(work.functions[name].handler.functionName),
      ...properties,
    });

  test('is one message at a time from a queue; a failed one comes back alone', () => {
    const one = { BatchSize: 1, FunctionResponseTypes: ['ReportBatchItemFailures'] };
    mapping('fan-out', {
      ...one,
      EventSourceArn: resolve(scenes.queue.queueArn),
      ScalingConfig: { MaximumConcurrency: 10 },
    });
    mapping('tile', {
      ...one,
      EventSourceArn: resolve(tiles.queue.queueArn),
      ScalingConfig: { MaximumConcurrency: 50 },
    });
    mapping('assemble', {
      ...one,
      EventSourceArn: resolve(assemblies.queue.queueArn),
      ScalingConfig: { MaximumConcurrency: 10 },
    });
  });

  test('is the manifest’s new rows, no plans, a hundred or ten seconds at once', () => {
    mapping('count', {
      BatchSize: 100,
      MaximumBatchingWindowInSeconds: 10,
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 5,
      StartingPosition: 'TRIM_HORIZON',
      FilterCriteria: {
        Filters: [
          {
            Pattern: JSON.stringify({
              eventName: ['INSERT'],
              dynamodb: { Keys: { window: { S: [{ 'anything-but': ['#plan'] }] } } },
            }),
          },
        ],
      },
      DestinationConfig: { OnFailure: { Destination: resolve(work.streamFailures.queueArn) } },
    });
  });

  test('is a tick every five minutes for the reaper', () => {
    pipeline.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(5 minutes)',
      Targets: [Match.objectLike({ Arn: resolve(work.functions.reap.handler.functionArn) })],
    });
  });

  test('follows the stage’s numbers', () => {
    const { pipeline: other } = deployed({
      maxConcurrency: 200,
      timing: { reapMinutes: 1, settleSeconds: 5, ceilingSeconds: 300 },
    });
    other.hasResourceProperties('AWS::Lambda::EventSourceMapping', { ScalingConfig: { MaximumConcurrency: 200 } });
    other.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(1 minute)' });
    other.hasResourceProperties('AWS::SQS::Queue', { DelaySeconds: 5, VisibilityTimeout: 360 });
  });
});

describe('the stage', () => {
  test('tells an operator every name, and how to upload', () => {
    const outputs = pipeline.findOutputs('*');
    const names = [
      ...['Scene', 'Tile', 'Assembly'].flatMap((queue) => [`${queue}QueueUrl`, `${queue}DeadLettersUrl`]),
      'UndeliveredUploadsUrl',
      'StreamFailuresUrl',
      'MissedReapsUrl',
      'UploadCommand',
      ...FUNCTIONS.flatMap((name) => [`Function${name}`, `Log${name}`]).map((name) => name.replaceAll('-', '')),
    ];
    expect(Object.keys(outputs)).toEqual(expect.arrayContaining(names));
    expect(JSON.stringify(outputs['UploadCommand'])).toContain(
      "/scenes/ --recursive --exclude '*' --include '*B04.tif' --include '*B08.tif'",
    );
  });

  test('tags everything that can be tagged', () => {
    const { pipeline: tagged } = deployed({ tags: { team: 'maps' } });
    tagged.allResourcesProperties('AWS::SQS::Queue', {
      Tags: Match.arrayWith([
        { Key: 'team', Value: 'maps' },
        { Key: 'tileonce:stage', Value: 'test' },
      ]),
    });
  });

  test('puts a permissions boundary on every role', () => {
    const boundary = 'arn:aws:iam::111122223333:policy/boundary';
    const { pipeline: bounded } = deployed({ permissionsBoundary: boundary });
    bounded.allResourcesProperties('AWS::IAM::Role', { PermissionsBoundary: boundary });
  });
});
