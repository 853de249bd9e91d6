import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { PipelineFunction } from './pipeline-function.ts';

/** Scenes and assemblies worked on at once: few, beside the windows. */
export const SCENE_CONCURRENCY = 10;
/** Rows that one count may look at together, and how long they are gathered, s. */
export const STREAM_BATCH = 100;
export const STREAM_WINDOW_SECONDS = 10;
const STREAM_RETRIES = 5;

/** Feeds a function one message at a time; a failed one comes back alone. Its permissions are lib/permissions.ts's. */
export const consumeQueue = (consumer: PipelineFunction, queue: IQueue, maxConcurrency: number): EventSourceMapping => {
  const mapping = new EventSourceMapping(consumer, 'Messages', {
    target: consumer.handler,
    eventSourceArn: queue.queueArn,
    batchSize: 1,
    reportBatchItemFailures: true,
    maxConcurrency,
  });
  mapping.node.addDependency(consumer.role.policy);
  return mapping;
};

/**
 * Feeds a function the windows whose rows were just added. A batch that keeps failing is halved, then given up: the
 * reaper finds scenes that are complete and not assembled.
 */
export const consumeNewRows = (consumer: PipelineFunction, streamArn: string, failures: IQueue): EventSourceMapping => {
  const mapping = new EventSourceMapping(consumer, 'NewRows', {
    target: consumer.handler,
    eventSourceArn: streamArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: STREAM_BATCH,
    maxBatchingWindow: Duration.seconds(STREAM_WINDOW_SECONDS),
    bisectBatchOnError: true,
    retryAttempts: STREAM_RETRIES,
    filters: [
      FilterCriteria.filter({
        eventName: FilterRule.isEqual('INSERT'),
        dynamodb: { Keys: { window: { S: FilterRule.notEquals('#plan') } } },
      }),
    ],
    onFailure: { bind: () => ({ destination: failures.queueArn }) },
  });
  mapping.node.addDependency(consumer.role.policy);
  return mapping;
};
