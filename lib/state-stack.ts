import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { DeploymentConfig } from './config.ts';
import { PipelineState } from './pipeline-state.ts';

export interface StateStackProps extends StackProps {
  readonly config: DeploymentConfig;
}

/** What outlives every deployment: tables and buckets. */
export class StateStack extends Stack {
  readonly state: PipelineState;

  constructor(scope: Construct, id: string, { config, ...props }: StateStackProps) {
    super(scope, id, props);
    const { source, output, removal } = config.settings;
    const sourceBucket = imported(this, 'Source', source.bucket, source.keyArn, source.account);
    const outputBucket = imported(this, 'Output', output.bucket, output.keyArn);
    this.state = new PipelineState(this, 'State', {
      removalPolicy: removal === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
      ...(sourceBucket === null ? {} : { sourceBucket }),
      ...(outputBucket === null ? {} : { outputBucket }),
      ...(output.keyArn === undefined ? {} : { outputKey: Key.fromKeyArn(this, 'OutputKey', output.keyArn) }),
    });
    const { state } = this;
    const tell = (name: string, value: string, description: string): CfnOutput =>
      new CfnOutput(this, name, { value, description });
    tell('SourceBucket', state.sourceBucket.bucketName, 'Upload scenes here');
    tell('OutputBucket', state.outputBucket.bucketName, 'Tiles and scenes are written here');
    tell('ClaimTable', state.claims.tableName, 'One row per job');
    tell('ManifestTable', state.manifest.tableName, "Every scene's plan, and a row per window");
  }
}

const imported = (
  stack: Stack,
  id: string,
  bucketName: string | undefined,
  keyArn: string | undefined,
  account?: string,
): IBucket | null =>
  bucketName === undefined
    ? null
    : Bucket.fromBucketAttributes(stack, `${id}Bucket-Imported`, {
        bucketName,
        ...(keyArn === undefined ? {} : { encryptionKey: Key.fromKeyArn(stack, `${id}BucketKey`, keyArn) }),
        ...(account === undefined ? {} : { account }),
      });
