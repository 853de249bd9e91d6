import { Duration, Stack } from 'aws-cdk-lib';
import { CfnEventBusPolicy, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { AnyBucket } from './buckets.ts';
import { lostEvents } from './job-queue.ts';
import type { Timing } from './timing.ts';
import type { Wildcard } from './trigger-filter.ts';

export interface SceneTriggerProps {
  readonly bucket: AnyBucket;
  /** The account that owns the bucket, where it is another one: its events are forwarded to this account's bus. */
  readonly account?: string | undefined;
  readonly wildcards: readonly Wildcard[];
  readonly scenes: IQueue;
  readonly timing: Timing;
}

/** EventBridge's own bounds: it tries a target for a day, at most so often. */
const MOST_AGE = Duration.hours(24);
const MOST_ATTEMPTS = 185;

/** Uploads whose keys could be a scene's, from the source bucket to the scene queue. */
export class SceneTrigger extends Construct {
  readonly rule: Rule;
  /** Events that EventBridge could not deliver in a day. */
  readonly undelivered: IQueue;
  /** Lets another account forward its events to this one's default bus. */
  readonly forwarded: CfnEventBusPolicy | null;

  constructor(scope: Construct, id: string, { bucket, account, wildcards, scenes, timing }: SceneTriggerProps) {
    super(scope, id);
    this.undelivered = lostEvents(this, 'Undelivered', timing);
    this.rule = new Rule(this, 'Uploads', {
      description: 'Uploads that ring for a scene',
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        ...(account === undefined ? {} : { account: [account] }),
        detail: {
          bucket: { name: [bucket.bucketName] },
          object: { key: wildcards.map((wildcard) => ({ wildcard })) },
        },
      },
      targets: [
        new SqsQueue(scenes, {
          deadLetterQueue: this.undelivered,
          maxEventAge: MOST_AGE,
          retryAttempts: MOST_ATTEMPTS,
        }),
      ],
    });
    this.forwarded = account === undefined ? null : acceptEventsOf(account, this);
  }
}

const acceptEventsOf = (account: string, scope: Construct): CfnEventBusPolicy => {
  const statementId = `tileonce-${scope.node.addr.slice(0, 12)}`;
  const stack = Stack.of(scope);
  return new CfnEventBusPolicy(scope, 'ForwardedUploads', {
    statementId,
    statement: {
      Sid: statementId,
      Effect: 'Allow',
      Principal: { AWS: `arn:${stack.partition}:iam::${account}:root` },
      Action: 'events:PutEvents',
      Resource: stack.formatArn({ service: 'events', resource: 'event-bus', resourceName: 'default' }),
      Condition: { StringEquals: { 'events:source': 'aws.s3' } },
    },
  });
};
