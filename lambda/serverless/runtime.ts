import { randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { systemClock } from '../clock.ts';
import { METRIC_NAMESPACE, type RuntimeTiming, metricDimensions } from '../environment.ts';
import { dynamoClient, s3Client, sqsClient } from '../engines/aws/clients.ts';
import { awsEngine } from '../engines/aws/index.ts';
import { LambdaTelemetry } from '../engines/aws/telemetry.ts';
import type { QueueName } from '../gates/queue.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { PIXEL_VERSION } from '../pipeline/definition/pixel-version.ts';
import { SOFTWARE_VERSION } from '../version.ts';

/** What every function's environment has; a function that does not read one of the rest has no permission for it either. */
export interface RuntimeEnvironment {
  readonly STAGE: string;
  readonly TIMING: RuntimeTiming;
  readonly MANIFEST_TABLE: string;
  readonly CLAIM_TABLE?: string;
  readonly OUTPUT_BUCKET?: string;
  readonly SCENE_QUEUE_URL?: string;
  readonly TILE_QUEUE_URL?: string;
  readonly ASSEMBLY_QUEUE_URL?: string;
  readonly REQUESTER_PAYS?: boolean;
}

export interface LambdaRuntime {
  readonly context: PipelineContext;
  readonly telemetry: Pick<LambdaTelemetry, 'about' | 'event' | 'count' | 'flush'>;
  readonly timing: RuntimeTiming;
}

/** The pipeline on AWS, made once per process: clients, and with them their sockets, outlive an invocation. */
export const lambdaRuntime = (env: RuntimeEnvironment): LambdaRuntime => {
  const dimensions = metricDimensions(env.STAGE);
  const telemetry = new LambdaTelemetry({
    metrics: new Metrics({
      namespace: METRIC_NAMESPACE,
      serviceName: dimensions.service,
      defaultDimensions: { stage: dimensions.stage },
    }),
    logger: new Logger({ serviceName: dimensions.service }),
  });
  const queueUrls: Record<QueueName, string> = {
    scenes: env.SCENE_QUEUE_URL ?? '',
    tiles: env.TILE_QUEUE_URL ?? '',
    assemblies: env.ASSEMBLY_QUEUE_URL ?? '',
  };
  const engine = awsEngine({
    s3: s3Client(),
    dynamo: dynamoClient(),
    sqs: sqsClient(),
    claimsTable: env.CLAIM_TABLE ?? '',
    manifestTable: env.MANIFEST_TABLE,
    outputBucket: env.OUTPUT_BUCKET ?? '',
    queueUrls,
    requesterPays: env.REQUESTER_PAYS ?? false,
    clock: systemClock,
    telemetry,
  });
  const context: PipelineContext = {
    ...engine,
    clock: systemClock,
    telemetry,
    // The function's timeout is below the lease, so nothing has to extend it.
    claimTiming: {
      leaseMs: env.TIMING.leaseMs,
      claimedRowTtlSeconds: env.TIMING.claimedRowTtlSeconds,
      heartbeatMs: null,
    },
    newOwner: () => randomUUID(),
    pixelVersion: PIXEL_VERSION,
    softwareVersion: SOFTWARE_VERSION,
  };
  return { context, telemetry, timing: env.TIMING };
};
