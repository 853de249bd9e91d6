import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { UNFINISHED_INDEX } from '../lambda/engines/aws/manifest-items.ts';
import type { ResourceName } from './permissions.ts';
import type { PipelineState } from './pipeline-state.ts';

export interface ResourceParts {
  readonly state: PipelineState;
  readonly sourcePrefix: string;
  readonly queues: { readonly scenes: IQueue; readonly tiles: IQueue; readonly assemblies: IQueue };
  readonly streamFailures: IQueue;
  readonly vpc: boolean;
}

/** The ARN behind every name that a grant uses; a deployment has none for a key or a VPC that it does not use. */
export type ResourceArns = Readonly<Partial<Record<ResourceName, string>>>;

/** @throws TypeError where the manifest table has no stream. */
export const resourceArns = ({ state, sourcePrefix, queues, streamFailures, vpc }: ResourceParts): ResourceArns => {
  const { tableStreamArn } = state.manifest;
  if (tableStreamArn === undefined) throw new TypeError('the manifest table has no stream');
  const sourceKey = state.sourceBucket.encryptionKey?.keyArn;
  const outputKey = state.outputBucket.encryptionKey?.keyArn;
  return {
    claims: state.claims.tableArn,
    manifest: state.manifest.tableArn,
    unfinishedPlans: `${state.manifest.tableArn}/index/${UNFINISHED_INDEX}`,
    manifestStream: tableStreamArn,
    everyStream: '*',
    sourceBucket: state.sourceBucket.bucketArn,
    sourceObjects: state.sourceBucket.arnForObjects(`${sourcePrefix}*`),
    outputBucket: state.outputBucket.bucketArn,
    tileObjects: state.outputBucket.arnForObjects('tiles/*'),
    sceneObjects: state.outputBucket.arnForObjects('scenes/*'),
    sceneQueue: queues.scenes.queueArn,
    tileQueue: queues.tiles.queueArn,
    assemblyQueue: queues.assemblies.queueArn,
    streamFailures: streamFailures.queueArn,
    ...(sourceKey === undefined ? {} : { sourceKey }),
    ...(outputKey === undefined ? {} : { outputKey }),
    ...(vpc ? { networkInterfaces: '*' } : {}),
  };
};
