import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import {
  METRIC_NAMESPACE,
  type FunctionName,
  PIPELINES_FILE,
  VARIABLES,
  metricDimensions,
  pipelinesVariable,
} from '../lambda/environment.ts';
import type { Pipeline } from '../lambda/pipeline/definition/pipeline.ts';
import type { PipelineState } from './pipeline-state.ts';
import { type Timing, runtimeTiming } from './timing.ts';

/** All variables of a function may be 4 KB together; queue URLs and names need less than the other half. */
export const PIPELINES_LIMIT = 2048;

export interface EnvironmentParts {
  readonly stage: string;
  readonly state: PipelineState;
  readonly queues: { readonly scenes: IQueue; readonly tiles: IQueue; readonly assemblies: IQueue };
  readonly pipelines: readonly Pipeline[];
  readonly timing: Timing;
  readonly requesterPays: boolean;
  readonly scratchMb: number;
}

/** The pipelines' text where it has to go into a file beside the code, else null. */
export const pipelinesFile = (pipelines: readonly Pipeline[]): string | null => {
  const text = pipelinesVariable(pipelines);
  return Buffer.byteLength(text) > PIPELINES_LIMIT ? text : null;
};

/**
 * What a function calls itself in the user agent of every AWS call (`app/tileonce-tile`): CloudTrail and S3's access logs
 * then show which function it was. Read by the SDK from `AWS_SDK_UA_APP_ID`.
 */
export const callerId = (name: FunctionName): string => `tileonce-${name}`;

/**
 * A function's environment: exactly the variables that lambda/environment.ts reads for it, and what the logger, the
 * metrics and the SDK look for.
 */
export const environmentOf = (name: FunctionName, parts: EnvironmentParts): Record<string, string> => {
  const all: Readonly<Record<string, string>> = {
    STAGE: parts.stage,
    CLAIM_TABLE: parts.state.claims.tableName,
    MANIFEST_TABLE: parts.state.manifest.tableName,
    OUTPUT_BUCKET: parts.state.outputBucket.bucketName,
    SCENE_QUEUE_URL: parts.queues.scenes.queueUrl,
    TILE_QUEUE_URL: parts.queues.tiles.queueUrl,
    ASSEMBLY_QUEUE_URL: parts.queues.assemblies.queueUrl,
    PIPELINES: pipelinesFile(parts.pipelines) === null ? pipelinesVariable(parts.pipelines) : PIPELINES_FILE,
    TIMING: JSON.stringify(runtimeTiming(parts.timing)),
    REQUESTER_PAYS: String(parts.requesterPays),
    SCRATCH_MB: String(parts.scratchMb),
  };
  return {
    ...Object.fromEntries(VARIABLES[name].map((variable) => [variable, all[variable] ?? ''])),
    POWERTOOLS_SERVICE_NAME: metricDimensions(parts.stage).service,
    POWERTOOLS_METRICS_NAMESPACE: METRIC_NAMESPACE,
    POWERTOOLS_LOG_LEVEL: 'INFO',
    AWS_SDK_UA_APP_ID: callerId(name),
  };
};
