import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';

/** Where and how the clients call; what is left out comes from the environment, as the SDK reads it. */
export interface ClientOptions {
  readonly region?: string | (() => Promise<string>);
  readonly endpoint?: string;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`: for stores that have no host name per bucket. */
  readonly pathStyle?: boolean;
  /** Unsigned requests, for public buckets. */
  readonly anonymous?: boolean;
}

const CONNECTION_TIMEOUT_MS = 3_000;
/** A row or a message that has not been answered by then is asked for again, ms. */
const REQUEST_TIMEOUT_MS = 10_000;
/** A transfer that stands still for so long is begun again, ms. No limit on the whole: parts and windows are large. */
const STALL_TIMEOUT_MS = 30_000;
const MOST_SOCKETS = 64;
/** First try included. */
const MOST_ATTEMPTS = 6;

const where = ({ region, endpoint }: ClientOptions): Pick<ClientOptions, 'region' | 'endpoint'> => ({
  ...(region === undefined ? {} : { region }),
  ...(endpoint === undefined ? {} : { endpoint }),
});

const agents = {
  httpAgent: { keepAlive: true, maxSockets: MOST_SOCKETS },
  httpsAgent: { keepAlive: true, maxSockets: MOST_SOCKETS },
};

const small = {
  maxAttempts: MOST_ATTEMPTS,
  requestHandler: {
    ...agents,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  },
};

/** For claims and manifest. Made once per process: its sockets are kept. */
export const dynamoClient = (options: ClientOptions = {}): DynamoDBClient =>
  new DynamoDBClient({ ...where(options), ...small });

/** For the queues. Long polls (20 s at most) outlast the request timeout: receive with at most 5 s. */
export const sqsClient = (options: ClientOptions = {}): SQSClient => new SQSClient({ ...where(options), ...small });

/** The SDK asks for credentials even where nothing is signed with them. */
const unsigned: Pick<S3ClientConfig, 'credentials' | 'signer'> = {
  credentials: { accessKeyId: 'anonymous', secretAccessKey: 'anonymous' },
  signer: { sign: (request) => Promise.resolve(request) },
};

/**
 * For scenes and outputs. Checksums are computed where a request demands one (ours carry their own SHA-256), and
 * checked on no reply: a ranged reply has none of its own.
 */
export const s3Client = (options: ClientOptions = {}): S3Client =>
  new S3Client({
    ...where(options),
    maxAttempts: MOST_ATTEMPTS,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    followRegionRedirects: true,
    ...(options.pathStyle === undefined ? {} : { forcePathStyle: options.pathStyle }),
    ...(options.anonymous === true ? unsigned : {}),
    requestHandler: { ...agents, connectionTimeout: CONNECTION_TIMEOUT_MS, socketTimeout: STALL_TIMEOUT_MS },
  });
