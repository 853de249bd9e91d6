import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Clock } from '../../clock.ts';
import type { QueueName } from '../../gates/queue.ts';
import type { PipelineContext } from '../../pipeline/context.ts';
import type { Telemetry } from '../../telemetry.ts';
import { DynamoClaimStore } from './claim-store.ts';
import { DynamoManifestStore } from './manifest-store.ts';
import { S3ObjectStore } from './object-store.ts';
import { SqsQueue } from './queue.ts';
import { S3SourceStore } from './source-store.ts';

export interface AwsEngineParts {
  readonly s3: Pick<S3Client, 'send'>;
  readonly dynamo: Pick<DynamoDBClient, 'send'>;
  readonly sqs: Pick<SQSClient, 'send'>;
  readonly claimsTable: string;
  readonly manifestTable: string;
  readonly outputBucket: string;
  readonly queueUrls: Readonly<Record<QueueName, string>>;
  /** The scenes' bucket charges the reader. */
  readonly requesterPays?: boolean;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export type AwsEngine = Pick<PipelineContext, 'claims' | 'objects' | 'manifest' | 'queue' | 'sources'>;

/** The ports on DynamoDB, S3 and SQS. Clients come in, so that a process makes them once; nothing is asked yet. */
export const awsEngine = (parts: AwsEngineParts): AwsEngine => {
  const { s3, dynamo, sqs, clock, telemetry } = parts;
  const sources = new S3SourceStore({
    client: s3,
    requesterPays: parts.requesterPays ?? false,
    onRead: (bytes, requests) => {
      telemetry.count('BytesRead', bytes);
      telemetry.count('RangeRequests', requests);
    },
  });
  return {
    claims: new DynamoClaimStore({ client: dynamo, table: parts.claimsTable }),
    manifest: new DynamoManifestStore({ client: dynamo, table: parts.manifestTable }),
    objects: new S3ObjectStore({ client: s3, bucket: parts.outputBucket }),
    queue: new SqsQueue({ client: sqs, urls: parts.queueUrls, clock }),
    // A message's location is a bucket's scene, and every bucket is reached through the same client.
    sources: () => sources,
  };
};
