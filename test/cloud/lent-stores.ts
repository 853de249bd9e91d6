import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import { ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '../../lambda/clock.ts';
import { DynamoClaimStore } from '../../lambda/engines/aws/claim-store.ts';
import { DynamoManifestStore } from '../../lambda/engines/aws/manifest-store.ts';
import { S3ObjectStore } from '../../lambda/engines/aws/object-store.ts';
import { SqsDeadLetters } from '../../lambda/engines/aws/dead-letters.ts';
import { SqsQueue } from '../../lambda/engines/aws/queue.ts';
import type { DeadLetter, QueueName } from '../../lambda/gates/queue.ts';
import type { Lent } from '../contract/contract.ts';
import type { DeadLettersSubject } from '../contract/dead-letters.contract.ts';
import type { QueueSubject } from '../contract/queue.contract.ts';
import { makeBucket, makeQueues, makeTable } from './resources.ts';

/** Each of these lends an adapter over a table, bucket or set of queues of its own. */
export const lendClaims = async (client: DynamoDBClient): Promise<Lent<DynamoClaimStore>> => ({
  subject: new DynamoClaimStore({ client, table: await makeTable(client, 'claims') }),
});

export const lendManifest = async (client: DynamoDBClient): Promise<Lent<DynamoManifestStore>> => ({
  subject: new DynamoManifestStore({ client, table: await makeTable(client, 'manifest') }),
});

export const lendObjects = async (client: S3Client, options = {}): Promise<Lent<S3ObjectStore>> => ({
  subject: new S3ObjectStore({ client, bucket: await makeBucket(client, options) }),
});

export const lendQueue = async (client: SQSClient): Promise<Lent<QueueSubject>> => {
  const { urls, deadLetterUrls } = await makeQueues(client);
  return {
    subject: {
      queue: new SqsQueue({ client, urls, clock: systemClock, waitSeconds: 0 }),
      // SQS's clock cannot be moved.
      advance: (ms) => systemClock.sleep(ms),
      deadLetters: (queue) => readAll(client, queue, deadLetterUrls[queue]),
    },
  };
};

export const lendDeadLetters = async (client: SQSClient): Promise<Lent<DeadLettersSubject>> => {
  const { urls, deadLetterUrls } = await makeQueues(client);
  return {
    subject: {
      queue: new SqsQueue({ client, urls, clock: systemClock, waitSeconds: 0 }),
      deadLetters: new SqsDeadLetters({ client, urls, deadLetterUrls, clock: systemClock }),
    },
  };
};

/** A dead letter is received once more to be seen: that receive is not counted here, and it stays where it is. */
const readAll = async (client: SQSClient, queue: QueueName, url: string): Promise<DeadLetter[]> => {
  const dead: DeadLetter[] = [];
  for (;;) {
    const { Messages: messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        VisibilityTimeout: 1,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      }),
    );
    if (messages.length === 0) return dead;
    for (const { Body: body = '', Attributes: told } of messages) {
      dead.push({ queue, body, receiveCount: Number(told?.ApproximateReceiveCount ?? 0) - 1, reason: null });
    }
  }
};
