import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { z } from 'zod';

const bucketName = z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/u, 'is no bucket name');
const account = z.string().regex(/^\d{12}$/u, 'is no account number: 12 digits, in quotes');
const arn = (service: string, example: string) =>
  z.string().regex(new RegExp(`^arn:[a-z-]+:${service}:.+$`, 'u'), `is no ARN such as ${example}`);
const keyArn = arn('kms', 'arn:aws:kms:eu-west-1:111122223333:key/...');
const lambdaMemory = z.int().min(128).max(10_240);
const positive = z.number().positive();

/** Where scenes are uploaded. Without `bucket`, one is made. */
const source = z.strictObject({
  bucket: bucketName.optional(),
  /** Only objects under it ring, and only they can be read. */
  prefix: z.string().default(''),
  keyArn: keyArn.optional(),
  /** The account that owns the bucket, where it is another one. */
  account: account.optional(),
  requesterPays: z.boolean().default(false),
});

/** Where tiles and scenes are written. Without `bucket`, one is made, with the policy that refuses unconditional writes. */
const output = z.strictObject({ bucket: bucketName.optional(), keyArn: keyArn.optional() });

const vpc = z.strictObject({
  vpcId: z.string().startsWith('vpc-'),
  availabilityZones: z.array(z.string()).min(1),
  subnetIds: z.array(z.string().startsWith('subnet-')).min(1),
  securityGroupIds: z.array(z.string().startsWith('sg-')).min(1),
});

const alarms = z.strictObject({
  /** An existing topic. */
  topicArn: arn('sns', 'arn:aws:sns:eu-west-1:111122223333:alarms').optional(),
  /** A new topic with this subscriber. */
  email: z.email().optional(),
  /** The two alarms that compare metrics: not every emulator of CloudFormation knows metric math. */
  gates: z.boolean().default(true),
});

/** lib/timing.ts says what each means and derives the rest. */
const timing = z.strictObject({
  ceilingSeconds: positive.optional(),
  skewSeconds: z.number().optional(),
  leaseSeconds: positive.optional(),
  visibilitySeconds: positive.optional(),
  abortMarginSeconds: positive.optional(),
  retrySeconds: positive.optional(),
  healAfterSeconds: positive.optional(),
  settleSeconds: z.number().optional(),
  maxReceives: z.int().optional(),
  queueRetentionDays: positive.optional(),
  deadLetterRetentionDays: positive.optional(),
  claimedRowDays: positive.optional(),
  reapMinutes: z.int().optional(),
  overdueMinutes: positive.optional(),
});

const memoryMb = z.strictObject({
  'fan-out': lambdaMemory.default(1769),
  tile: lambdaMemory.default(1769),
  count: lambdaMemory.default(256),
  assemble: lambdaMemory.default(3538),
  reap: lambdaMemory.default(512),
});

/** One stage of cdk.json's `stages`; docs/deploy.md describes every field. */
export const stageSchema = z.strictObject({
  /** Paths of pipeline files, from the folder of cdk.json. */
  pipelines: z.array(z.string()).min(1),
  account: account.optional(),
  region: z.string().optional(),
  source: source.prefault({}),
  output: output.prefault({}),
  vpc: vpc.optional(),
  alarms: alarms.prefault({}),
  logRetentionDays: z.enum(RetentionDays).default(RetentionDays.ONE_MONTH),
  memoryMb: memoryMb.prefault({}),
  /** The assembly's /tmp, MiB. */
  scratchMb: z.int().min(512).max(10_240).default(4096),
  /** Windows at work at once. */
  maxConcurrency: z.int().min(2).max(1000).default(50),
  timing: timing.prefault({}),
  tracing: z.boolean().default(false),
  /** What becomes of tables and buckets when the stack is destroyed. */
  removal: z.enum(['retain', 'destroy']).default('retain'),
  permissionsBoundary: arn('iam', 'arn:aws:iam::111122223333:policy/boundary').optional(),
  tags: z.record(z.string(), z.string()).default({}),
});
export type StageConfig = z.output<typeof stageSchema>;

/** The members of a stage's inner objects, for "did you mean". */
const INNER: Readonly<Record<string, readonly string[]>> = {
  source: Object.keys(source.shape),
  output: Object.keys(output.shape),
  vpc: Object.keys(vpc.shape),
  alarms: Object.keys(alarms.shape),
  timing: Object.keys(timing.shape),
  memoryMb: Object.keys(memoryMb.shape),
};

/** Names that may stand in a stage, or in its member `inner`. */
export const namesIn = (inner: PropertyKey | undefined): readonly string[] =>
  inner === undefined ? Object.keys(stageSchema.shape) : (INNER[String(inner)] ?? []);
