/* oxlint-disable jest/expect-expect -- the template assertions throw on their own */
import { describe, expect, test } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import { deployed } from './deployment.ts';

const { state, stacks } = deployed();

describe('the tables', () => {
  test('hold claims by job, on demand, with a time to live and point-in-time recovery', () => {
    state.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      Properties: {
        KeySchema: [{ AttributeName: 'job_id', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
        TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        DeletionProtectionEnabled: true,
      },
    });
  });

  test('hold the manifest by scene and window, with a stream and nothing that expires', () => {
    state.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      Properties: {
        KeySchema: [
          { AttributeName: 'job_id', KeyType: 'HASH' },
          { AttributeName: 'window', KeyType: 'RANGE' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
        StreamSpecification: { StreamViewType: 'KEYS_ONLY' },
        GlobalSecondaryIndexes: [
          {
            IndexName: 'unfinished',
            KeySchema: [{ AttributeName: 'unfinished', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        DeletionProtectionEnabled: true,
        TimeToLiveSpecification: Match.absent(),
      },
    });
    state.resourceCountIs('AWS::DynamoDB::Table', 2);
  });
});

describe('the buckets', () => {
  test('are versioned, encrypted, closed to the public and tidied', () => {
    state.allResourcesProperties('AWS::S3::Bucket', {
      VersioningConfiguration: { Status: 'Enabled' },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      LifecycleConfiguration: {
        Rules: [
          {
            Id: 'noncurrent-versions-and-loose-parts',
            Status: 'Enabled',
            NoncurrentVersionExpiration: { NoncurrentDays: 30 },
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
          },
        ],
      },
    });
    state.resourceCountIs('AWS::S3::Bucket', 2);
    state.allResources('AWS::S3::Bucket', { DeletionPolicy: 'Retain' });
  });

  test('tell EventBridge of uploads without a function of their own', () => {
    state.hasResourceProperties('AWS::S3::Bucket', {
      NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
    });
    state.resourceCountIs('AWS::Lambda::Function', 0);
  });

  test('speak TLS alone', () => {
    state.allResourcesProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: Match.objectLike({
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Action: 's3:*',
            Principal: { AWS: '*' },
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ]),
      }),
    });
  });

  test('refuse an output written without a precondition, by one statement that leaves parts of an upload out', () => {
    const output = stacks.state.resolve(stacks.state.state.outputBucket.bucketArn);
    state.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: Match.objectLike({
        Statement: Match.arrayWith([
          {
            Sid: 'RefuseUnconditionalWrites',
            Effect: 'Deny',
            Principal: { AWS: '*' },
            Action: 's3:PutObject',
            Resource: ['/scenes/*', '/tiles/*'].map((prefix) => ({ 'Fn::Join': ['', [output, prefix]] })),
            Condition: {
              Null: { 's3:if-none-match': 'true', 's3:if-match': 'true' },
              Bool: { 's3:ObjectCreationOperation': 'true' },
            },
          },
        ]),
      }),
    });
  });
});

describe('a stage', () => {
  test('that may be destroyed lifts every protection', () => {
    const dev = deployed({ removal: 'destroy' });
    dev.state.allResources('AWS::S3::Bucket', { DeletionPolicy: 'Delete' });
    dev.state.allResources('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Delete',
      Properties: Match.objectLike({ DeletionProtectionEnabled: false }),
    });
    expect(dev.stacks.state.terminationProtection).toBe(false);
    expect(stacks.state.terminationProtection).toBe(true);
  });

  test('can encrypt its outputs with a key of the user', () => {
    const keyArn = 'arn:aws:kms:eu-west-1:111122223333:key/aaaa';
    const { state: withKey, pipeline } = deployed({ output: { keyArn } });
    withKey.hasResourceProperties('AWS::S3::Bucket', {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            BucketKeyEnabled: true,
            ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: keyArn },
          },
        ],
      },
    });
    pipeline.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: Match.objectLike({
        Statement: Match.arrayWith([
          { Sid: 'EncryptOutputs', Effect: 'Allow', Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Resource: keyArn },
        ]),
      }),
    });
  });

  test('with buckets of the user makes none, and says that the output policy is theirs to add', () => {
    const { state: own, app } = deployed({ source: { bucket: 'their-scenes' }, output: { bucket: 'their-tiles' } });
    own.resourceCountIs('AWS::S3::Bucket', 0);
    own.resourceCountIs('AWS::S3::BucketPolicy', 0);
    const messages = app
      .synth()
      .stacks.flatMap((stack) => stack.messages.map(({ entry }) => JSON.stringify(entry.data)));
    expect(messages.join('\n')).toContain('docs/deploy.md#your-own-output-bucket');
  });
});

test('every name an operator needs is an output', () => {
  expect(Object.keys(state.findOutputs('*'))).toEqual(
    expect.arrayContaining(['SourceBucket', 'OutputBucket', 'ClaimTable', 'ManifestTable']),
  );
});
