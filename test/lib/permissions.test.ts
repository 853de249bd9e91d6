import { describe, expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { CfnPolicy } from 'aws-cdk-lib/aws-iam';
import { AwsSolutionsChecks } from 'cdk-nag';
import { z } from 'zod';
import { FUNCTIONS, type FunctionName } from '../../lambda/environment.ts';
import { acknowledgeStars } from '../../lib/acknowledge.ts';
import { EVERY_FUNCTION, PERMISSIONS } from '../../lib/permissions.ts';
import { deployed } from './deployment.ts';

const { app, pipeline, stacks } = deployed({ source: { prefix: 'scenes/' } });
const { state } = stacks.state;
const { work } = stacks.pipeline.pipeline;

const policy = z.object({
  PolicyDocument: z.object({
    Statement: z.array(
      z.object({
        Sid: z.string(),
        Effect: z.string(),
        Action: z.union([z.string().transform((action) => [action]), z.array(z.string())]),
        Resource: z.union([z.array(z.unknown()), z.unknown().transform((resource) => [resource])]),
        Condition: z.unknown().optional(),
      }),
    ),
  }),
});

const statementsOf = (name: FunctionName) => {
  const resource = work.functions[name].role.policy.node.defaultChild;
  if (!(resource instanceof CfnPolicy)) throw new TypeError(`function ${name} has no policy`);
  const found = pipeline.findResources('AWS::IAM::Policy')[stacks.pipeline.getLogicalId(resource)];
  return policy.parse(found?.['Properties']).PolicyDocument.Statement;
};

describe.each([...FUNCTIONS])('the role of function %s', (name) => {
  test('holds the written permissions and nothing else', () => {
    // No key and no VPC here: what names them alone falls away.
    const written = [...EVERY_FUNCTION, ...PERMISSIONS[name]].filter(
      ({ on }) => !on.every((each) => ['sourceKey', 'outputKey', 'networkInterfaces'].includes(each)),
    );
    expect(Object.fromEntries(statementsOf(name).map(({ Sid, Action }) => [Sid, Action.toSorted()]))).toEqual(
      Object.fromEntries(written.map(({ sid, actions }) => [sid, actions.toSorted()])),
    );
  });

  test('names every action, and only resources that it needs', () => {
    for (const { Sid, Effect, Action, Resource } of statementsOf(name)) {
      expect([Sid, Effect, Action.filter((action) => action.includes('*'))]).toEqual([Sid, 'Allow', []]);
      expect([Sid, Resource.includes('*')]).toEqual([Sid, Sid === 'ListStreams']);
    }
  });
});

test('no role has a managed policy, nor another policy beside its own', () => {
  pipeline.allResourcesProperties('AWS::IAM::Role', {
    AssumeRolePolicyDocument: {
      Statement: [{ Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } }],
      Version: '2012-10-17',
    },
  });
  const roles = Object.values(pipeline.findResources('AWS::IAM::Role'));
  expect(roles.map((role) => 'ManagedPolicyArns' in role['Properties'])).toEqual(roles.map(() => false));
  pipeline.resourceCountIs('AWS::IAM::Policy', FUNCTIONS.length);
});

describe('the tile function', () => {
  const bySid = new Map(statementsOf('tile').map((statement) => [statement.Sid, statement]));
  const imported = (value: string): unknown => {
    const [resource] = bySid.get(value)?.Resource ?? [];
    return JSON.stringify(resource);
  };

  test('reads sources under the prefix only, and writes under tiles/ only', () => {
    expect(imported('ReadSources')).toContain('/scenes/*');
    expect(imported('WriteTile')).toContain('/tiles/*');
    expect(statementsOf('tile').filter(({ Action }) => Action.includes('s3:PutObject'))).toHaveLength(1);
  });

  test('lists its prefixes, and still learns of an absent object by 404', () => {
    expect(bySid.get('TellAbsentSources')?.Condition).toEqual({ StringLikeIfExists: { 's3:prefix': ['scenes/*'] } });
    expect(bySid.get('TellAbsentOutputs')?.Condition).toEqual({
      StringLikeIfExists: { 's3:prefix': ['tiles/*', 'scenes/*'] },
    });
  });
});

test('nobody may delete: not an object, not a row', () => {
  const actions = FUNCTIONS.flatMap((name) => statementsOf(name).flatMap(({ Action }) => Action));
  expect(actions.filter((action) => /Delete/u.test(action)).filter((action) => action !== 'sqs:DeleteMessage')).toEqual(
    [],
  );
});

describe('the AwsSolutions rules', () => {
  const violations = (scope: App): readonly string[] =>
    new AwsSolutionsChecks()
      .validateScope(scope)
      .violations.flatMap(({ ruleName, violatingResources }) =>
        violatingResources.map(({ constructPath }) => `${ruleName} at ${constructPath}`),
      );

  test('find nothing that has no reason, in any of the three stacks', () => {
    expect(violations(app)).toEqual([]);
  });

  test('find nothing in a stage that uses everything', () => {
    const full = deployed({
      tracing: true,
      alarms: { email: 'ops@example.com' },
      output: { keyArn: 'arn:aws:kms:eu-west-1:111122223333:key/aaaa' },
      source: { bucket: 'their-scenes', account: '444455556666', requesterPays: true },
      vpc: { vpcId: 'vpc-1', availabilityZones: ['a'], subnetIds: ['subnet-1'], securityGroupIds: ['sg-1'] },
    });
    expect(violations(full.app)).toEqual([]);
  });

  test('find a star that nobody gave a reason for', () => {
    const found = (reasons: ReadonlyMap<string, string>): readonly string[] => {
      const bare = new App();
      const statement = { Sid: 'Read', Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::b/*' };
      const policyDocument = { Version: '2012-10-17', Statement: [statement] };
      acknowledgeStars(new CfnPolicy(new Stack(bare, 'S'), 'P', { policyName: 'p', policyDocument }), reasons);
      bare.synth();
      return violations(bare);
    };
    expect(found(new Map())).toEqual(['AwsSolutions-IAM5[Resource::arn:aws:s3:::b/*] at S/P']);
    expect(found(new Map([['Read', 'keys are not known beforehand']]))).toEqual([]);
  });
});

test('the queue that EventBridge sends to takes messages from that rule alone', () => {
  expect(state.node.path).toBe('Tileonce-test-State/State');
  const policies = JSON.stringify(pipeline.findResources('AWS::SQS::QueuePolicy'));
  expect(policies).toContain('"Principal":{"Service":"events.amazonaws.com"}');
  expect(policies).toContain('"aws:SourceArn"');
});
