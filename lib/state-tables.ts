import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  type TableProps,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { UNFINISHED_INDEX } from '../lambda/engines/aws/manifest-items.ts';

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

/**
 * A scene's plan and one row per window; nothing expires. Its stream says that a row was added, and no more. Its index holds
 * the unfinished plans alone (the only items that have its attribute), so that the reaper reads nothing of what is done.
 */
export const manifestTable = (scope: Construct, removalPolicy: RemovalPolicy): Table => {
  const table = new Table(scope, 'Manifest', {
    ...shared(removalPolicy),
    sortKey: { name: 'window', type: AttributeType.STRING },
    stream: StreamViewType.KEYS_ONLY,
  });
  table.addGlobalSecondaryIndex({
    indexName: UNFINISHED_INDEX,
    partitionKey: { name: UNFINISHED_INDEX, type: AttributeType.STRING },
    projectionType: ProjectionType.KEYS_ONLY,
  });
  return table;
};
