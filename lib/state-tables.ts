import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, StreamViewType, Table, type TableProps } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';

const shared = (removalPolicy: RemovalPolicy) =>
  ({
    partitionKey: { name: 'job_id', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: removalPolicy !== RemovalPolicy.DESTROY,
    removalPolicy,
  }) satisfies TableProps;

/** One row per job: who may work on it, and what became of it. CLAIMED rows that nobody comes back to expire. */
export const claimTable = (scope: Construct, removalPolicy: RemovalPolicy): Table =>
  new Table(scope, 'Claims', { ...shared(removalPolicy), timeToLiveAttribute: 'expires_at' });

/** A scene's plan and one row per window; nothing expires. Its stream says that a row was added, and no more. */
export const manifestTable = (scope: Construct, removalPolicy: RemovalPolicy): Table =>
  new Table(scope, 'Manifest', {
    ...shared(removalPolicy),
    sortKey: { name: 'window', type: AttributeType.STRING },
    stream: StreamViewType.KEYS_ONLY,
  });
