import { Duration, Names, Stack } from 'aws-cdk-lib';
import { type IQueue, Queue, QueueEncryption, RedrivePermission } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { Timing } from './timing.ts';

export interface JobQueueProps {
  readonly timing: Timing;
  /** How long a new message waits before anyone sees it, s. Default none. */
  readonly delaySeconds?: number;
}

/** A work queue and its dead-letter queue, which takes from no other. */
export class JobQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { timing, delaySeconds = 0 }: JobQueueProps) {
    super(scope, id);
    // Named, because each of the two must name the other and CloudFormation knows no such circle.
    const queueName = Names.uniqueResourceName(this, { maxLength: 76, separator: '-' });
    const self = Queue.fromQueueArn(this, 'Self', Stack.of(this).formatArn({ service: 'sqs', resource: queueName }));
    this.deadLetters = new Queue(this, 'DeadLetters', {
      queueName: `${queueName}-dlq`,
      retentionPeriod: Duration.seconds(timing.deadLetterRetentionSeconds),
      redriveAllowPolicy: { redrivePermission: RedrivePermission.BY_QUEUE, sourceQueues: [self] },
      ...protection,
    });
    this.queue = new Queue(this, 'Queue', {
      queueName,
      visibilityTimeout: Duration.seconds(timing.visibilitySeconds),
      retentionPeriod: Duration.seconds(timing.queueRetentionSeconds),
      deliveryDelay: Duration.seconds(delaySeconds),
      receiveMessageWaitTime: Duration.seconds(20),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: timing.maxReceives },
      ...protection,
    });
  }
}

const protection = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true } as const;

/** A queue for what a service could not deliver: it has no queue behind itself. */
export const lostEvents = (scope: Construct, id: string, timing: Timing): IQueue => {
  const queue = new Queue(scope, id, {
    retentionPeriod: Duration.seconds(timing.deadLetterRetentionSeconds),
    ...protection,
  });
  acknowledge(queue, 'SQS3', 'it is a dead-letter queue itself: the service that sends to it is no queue');
  return queue;
};
