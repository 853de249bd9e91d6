import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { dynamoClient, s3Client, sqsClient } from '../../lambda/engines/aws/clients.ts';
import { type MiniStack, cloudEnvironment, startMiniStack } from './ministack.ts';

/** The deployment's own clients, on an emulator of this test's own. */
export interface ConnectedStack {
  readonly stack: MiniStack;
  readonly s3: S3Client;
  readonly dynamo: DynamoDBClient;
  readonly sqs: SQSClient;
}

/** Starts MiniStack and connects to it; the caller stops `stack`. Sets credentials and region of this process. */
export const connectedStack = async (): Promise<ConnectedStack> => {
  Object.assign(process.env, cloudEnvironment);
  const stack = await startMiniStack();
  const { endpoint } = stack;
  return { stack, s3: s3Client({ endpoint }), dynamo: dynamoClient({ endpoint }), sqs: sqsClient({ endpoint }) };
};
