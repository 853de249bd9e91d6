import { randomUUID } from 'node:crypto';
import { CreateTableCommand, type DynamoDBClient, type GlobalSecondaryIndex } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, PutBucketVersioningCommand, type S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { UNFINISHED_INDEX } from '../../lambda/engines/aws/manifest-items.ts';
import { QUEUES, type QueueName } from '../../lambda/gates/queue.ts';

/** Names are random: every test case has tables, buckets and queues of its own, empty. */
const fresh = (kind: string): string => `tileonce-${kind}-${randomUUID()}`;

export const makeBucket = async (client: S3Client, { versioned = false } = {}): Promise<string> => {
  const bucket = fresh('bucket');
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  if (versioned) {
    await client.send(
      new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } }),
    );
  }
  return bucket;
};

/** A table with partition key `job_id`; for the manifest sort key `window` and the index of unfinished plans. */
export const makeTable = async (client: DynamoDBClient, kind: 'claims' | 'manifest'): Promise<string> => {
  const table = fresh(kind);
  const keys = kind === 'claims' ? ['job_id'] : ['job_id', 'window'];
  const indexed = kind === 'claims' ? [] : [UNFINISHED_INDEX];
  await client.send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [...keys, ...indexed].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
      KeySchema: keys.map((name, index) => ({ AttributeName: name, KeyType: index === 0 ? 'HASH' : 'RANGE' })),
      ...(kind === 'claims' ? {} : { GlobalSecondaryIndexes: indexed.map(keysOnly) }),
    }),
  );
  return table;
};

const keysOnly = (name: string): GlobalSecondaryIndex => ({
  IndexName: name,
  KeySchema: [{ AttributeName: name, KeyType: 'HASH' }],
  Projection: { ProjectionType: 'KEYS_ONLY' },
});

export interface TestQueues {
  readonly urls: Readonly<Record<QueueName, string>>;
  readonly deadLetterUrls: Readonly<Record<QueueName, string>>;
}

/** The pipeline's queues, each with a dead-letter queue that takes a message after `maxReceives`. */
export const makeQueues = async (client: SQSClient, maxReceives = 3): Promise<TestQueues> => {
  const made = await Promise.all(
    QUEUES.map(async (name) => {
      const dead = await makeQueue(client, fresh(`${name}-dead`), {});
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: maxReceives });
      const { url } = await makeQueue(client, fresh(name), { RedrivePolicy });
      return { name, url, deadUrl: dead.url };
    }),
  );
  const byName = (pick: (queue: (typeof made)[number]) => string): Record<QueueName, string> => {
    const urls: Record<QueueName, string> = { scenes: '', tiles: '', assemblies: '' };
    for (const queue of made) urls[queue.name] = pick(queue);
    return urls;
  };
  return { urls: byName(({ url }) => url), deadLetterUrls: byName(({ deadUrl }) => deadUrl) };
};

const makeQueue = async (
  client: SQSClient,
  name: string,
  attributes: Record<string, string>,
): Promise<{ url: string; arn: string }> => {
  const { QueueUrl: url = '' } = await client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  const { Attributes: told } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
  );
  return { url, arn: told?.QueueArn ?? '' };
};
