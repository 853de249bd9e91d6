import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  CfnBucket,
  type IBucket,
} from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

/** A bucket of this app or an imported one. The class is no `IBucket` under exactOptionalPropertyTypes. */
export type AnyBucket = Bucket | IBucket;

/** How long a replaced or deleted version stays recoverable, and an upload's loose parts stay at all, d. */
export const NONCURRENT_DAYS = 30;
export const LOOSE_PARTS_DAYS = 1;

const shared = (removalPolicy: RemovalPolicy) =>
  ({
    versioned: true,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    removalPolicy,
    lifecycleRules: [
      {
        id: 'noncurrent-versions-and-loose-parts',
        noncurrentVersionExpiration: Duration.days(NONCURRENT_DAYS),
        abortIncompleteMultipartUploadAfter: Duration.days(LOOSE_PARTS_DAYS),
      },
    ],
  }) satisfies BucketProps;

const withoutAccessLog = (bucket: Bucket): void => {
  const reason =
    'an access log is the account owner’s choice (CloudTrail data events); every output has its manifest row';
  acknowledge(bucket, 'S1', reason);
};

/**
 * The one Deny behind "nothing is overwritten by accident": a PUT under tiles/ or scenes/ that carries neither
 * If-None-Match nor If-Match. Parts of a multipart upload cannot carry one; its completion must. Both Null conditions
 * stand in one statement because they must hold together.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes-enforce.html
 */
export const refuseUnconditionalWrites = (bucket: AnyBucket): PolicyStatement =>
  new PolicyStatement({
    sid: 'RefuseUnconditionalWrites',
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: ['s3:PutObject'],
    resources: [bucket.arnForObjects('tiles/*'), bucket.arnForObjects('scenes/*')],
    conditions: {
      Null: { 's3:if-none-match': 'true', 's3:if-match': 'true' },
      Bool: { 's3:ObjectCreationOperation': 'true' },
    },
  });

/** Tiles, mosaics, items and previews. */
export const outputBucket = (scope: Construct, removalPolicy: RemovalPolicy, key: IKey | undefined): Bucket => {
  const bucket = new Bucket(scope, 'Output', {
    ...shared(removalPolicy),
    ...(key === undefined
      ? { encryption: BucketEncryption.S3_MANAGED }
      : { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true }),
  });
  withoutAccessLog(bucket);
  return bucket;
};

/** Where scenes are uploaded, if the user has no bucket of their own. Tells EventBridge of every upload. */
export const sourceBucket = (scope: Construct, removalPolicy: RemovalPolicy): Bucket => {
  const bucket = new Bucket(scope, 'Source', { ...shared(removalPolicy), encryption: BucketEncryption.S3_MANAGED });
  withoutAccessLog(bucket);
  const resource = bucket.node.defaultChild;
  // The construct's own switch would add a function and a role only to set this one property.
  if (resource instanceof CfnBucket) {
    resource.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } };
  }
  return bucket;
};
