import { z } from 'zod';
import { TileonceError } from '../../errors.ts';

const usd = z.number().nonnegative();

/** List prices of one region, USD. Free tiers, discounts, taxes and KMS are left out. */
export const pricesSchema = z.strictObject({
  /** When these were read off the price lists, ISO 8601. */
  asOf: z.iso.date(),
  region: z.string(),
  /** S3 Standard: a PUT, POST or LIST. */
  s3Put: usd,
  /** S3 Standard: a GET or HEAD. */
  s3Get: usd,
  /** S3 Standard, first tier, a GB (10^9 bytes) and month. */
  s3StorageGbMonth: usd,
  /** DynamoDB on demand, Standard class: a write request unit (1 KB). */
  dynamoWriteUnit: usd,
  /** A read request unit (4 KB, consistent). */
  dynamoReadUnit: usd,
  /** SQS standard queue: a request of up to 64 KB. */
  sqsRequest: usd,
  lambdaRequest: usd,
  /** Lambda on arm64, first tier, a GB-second. */
  lambdaGbSecond: usd,
  /** /tmp above 512 MB, a GB-second. */
  lambdaScratchGbSecond: usd,
  /** EventBridge: an event of a service that must be switched on, as S3's are. */
  eventBridgeEvent: usd,
  /** CloudWatch Logs, Standard class, a GB taken in. */
  logsGb: usd,
});
export type Prices = z.output<typeof pricesSchema>;

/**
 * On-demand prices as the services' public pricing pages list them (aws.amazon.com/{s3,dynamodb,sqs,lambda,eventbridge,
 * cloudwatch}/pricing), for one of each: S3 lists a thousand, most others a million. Written down by hand: check them
 * before money depends on them.
 */
const US_EAST_1: Prices = {
  asOf: '2025-06-01',
  region: 'us-east-1',
  s3Put: 5e-6,
  s3Get: 4e-7,
  s3StorageGbMonth: 0.023,
  dynamoWriteUnit: 6.25e-7,
  dynamoReadUnit: 1.25e-7,
  sqsRequest: 4e-7,
  lambdaRequest: 2e-7,
  lambdaGbSecond: 1.333_34e-5,
  lambdaScratchGbSecond: 3.09e-8,
  eventBridgeEvent: 1e-6,
  logsGb: 0.5,
};

/** The regions whose prices are written down here. */
export const PRICES: readonly Prices[] = [US_EAST_1, { ...US_EAST_1, region: 'us-west-2' }];

/** @throws TileonceError where nobody wrote this region's prices down. */
export const pricesOf = (region: string): Prices => {
  const found = PRICES.find((prices) => prices.region === region);
  if (found !== undefined) return found;
  throw new TileonceError(`there is no price list for ${region}`, {
    remedy: `use one of ${PRICES.map((prices) => prices.region).join(', ')}, or --prices FILE with that region's`,
  });
};

/** Prices of a file of one's own. @throws TileonceError naming every field that is wrong. */
export const parsePrices = (text: string, file: string): Prices => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new TileonceError(`${file} is no JSON`, { remedy: 'see docs/cost.md for its fields', cause });
  }
  const parsed = pricesSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
  throw new TileonceError(`${file}: ${problems}`, { remedy: 'see docs/cost.md for its fields' });
};
