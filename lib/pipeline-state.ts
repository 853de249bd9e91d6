import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';

import { Construct } from 'constructs';
import { type AnyBucket, outputBucket, refuseUnconditionalWrites, sourceBucket } from './buckets.ts';
import { claimTable, manifestTable } from './state-tables.ts';

export interface PipelineStateProps {
  /** Where scenes are uploaded: a bucket that sends its events to EventBridge. Default: a new one. */
  readonly sourceBucket?: AnyBucket;
  /** Where tiles and scenes are written. Default: a new one. */
  readonly outputBucket?: AnyBucket;
  /** Encrypts a new output bucket. Default: S3's own key. */
  readonly outputKey?: IKey;
  /** What becomes of tables and new buckets when the stack goes. DESTROY also lifts deletion protection. Default RETAIN. */
  readonly removalPolicy?: RemovalPolicy;
}

/** Everything that must outlive a deployment: two tables and two buckets. */
export class PipelineState extends Construct {
  readonly claims: Table;
  readonly manifest: Table;
  readonly sourceBucket: AnyBucket;
  readonly outputBucket: AnyBucket;

  constructor(scope: Construct, id: string, props: PipelineStateProps = {}) {
    super(scope, id);
    const removal = props.removalPolicy ?? RemovalPolicy.RETAIN;
    this.claims = claimTable(this, removal);
    this.manifest = manifestTable(this, removal);
    this.sourceBucket = props.sourceBucket ?? sourceBucket(this, removal);
    this.outputBucket = props.outputBucket ?? outputBucket(this, removal, props.outputKey);
    const { statementAdded } = this.outputBucket.addToResourcePolicy(refuseUnconditionalWrites(this.outputBucket));
    if (!statementAdded) {
      Validations.of(this).addWarning(
        'tileonce:output-bucket-policy',
        'the output bucket is not of this app, so its policy could not be given the statement that refuses unconditional writes: see docs/deploy.md#your-own-output-bucket',
      );
    }
  }
}
