import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type Clock, systemClock } from '../../../lambda/clock.ts';

const config = (endpoint: string, maxAttempts: number) => ({
  endpoint,
  maxAttempts,
  region: 'eu-central-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

/** Clients of an answering server; `maxAttempts` 1: the SDK repeats nothing, so that failures come at once. */
export const testDynamo = (endpoint: string, maxAttempts = 1): DynamoDBClient =>
  new DynamoDBClient(config(endpoint, maxAttempts));

export const testSqs = (endpoint: string, maxAttempts = 1): SQSClient => new SQSClient(config(endpoint, maxAttempts));

export const testS3 = (endpoint: string, maxAttempts = 1): S3Client =>
  new S3Client({
    ...config(endpoint, maxAttempts),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });

/** A clock that waits for nothing. */
export const hastyClock: Clock = { ...systemClock, sleep: () => Promise.resolve() };
