import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { FunctionName } from '../lambda/environment.ts';
import { type EnvironmentParts, environmentOf, pipelinesFile } from './environment.ts';
import { SCENE_CONCURRENCY, consumeNewRows, consumeQueue } from './event-sources.ts';
import { lostEvents } from './job-queue.ts';
import { PipelineFunction } from './pipeline-function.ts';
import { MAX_CONCURRENCY, MEMORY_MB, type TilePipelineProps } from './pipeline-props.ts';
import { resourceArns } from './resource-arns.ts';

export interface PipelineFunctionsProps {
  readonly options: TilePipelineProps;
  readonly environment: EnvironmentParts;
}

/** What Lambda gives every function at the least, MiB. */
const LEAST_SCRATCH = 512;

const DESCRIPTIONS: Readonly<Record<FunctionName, string>> = {
  'fan-out': 'Plans a scene and sends its windows',
  tile: 'Computes one window and writes it once',
  count: 'Sends a scene to assembly when its last window is there',
  assemble: 'Makes mosaic, preview and item of a scene',
  reap: 'Sends again what was lost',
};

/** The five functions, what feeds each, and where undeliverable feed goes. */
export class PipelineFunctions extends Construct {
  readonly functions: Readonly<Record<FunctionName, PipelineFunction>>;
  /** Batches of new rows that could not be counted. */
  readonly streamFailures: IQueue;
  /** Starts the reaper. */
  readonly cadence: Rule;
  /** Runs of the reaper that EventBridge could not start. */
  readonly missedReaps: IQueue;

  constructor(scope: Construct, id: string, { options, environment }: PipelineFunctionsProps) {
    super(scope, id);
    const { state, queues, timing } = environment;
    this.streamFailures = lostEvents(this, 'StreamFailures', timing);
    this.missedReaps = lostEvents(this, 'MissedReaps', timing);
    const sourcePrefix = options.sourcePrefix ?? '';
    const arns = resourceArns({
      state,
      sourcePrefix,
      queues,
      streamFailures: this.streamFailures,
      vpc: options.vpc !== undefined,
    });
    const make = (functionName: FunctionName, timeoutSeconds: number): PipelineFunction =>
      new PipelineFunction(this, idOf(functionName), {
        functionName,
        description: DESCRIPTIONS[functionName],
        memoryMb: options.memoryMb?.[functionName] ?? MEMORY_MB[functionName],
        timeoutSeconds,
        scratchMb: functionName === 'assemble' ? environment.scratchMb : LEAST_SCRATCH,
        environment: environmentOf(functionName, environment),
        arns,
        sourcePrefix,
        logRetention: options.logRetention ?? RetentionDays.ONE_MONTH,
        removalPolicy: options.removalPolicy ?? RemovalPolicy.RETAIN,
        tracing: options.tracing ?? false,
        vpc: options.vpc,
        pipelinesFile: functionName === 'fan-out' ? pipelinesFile(environment.pipelines) : null,
      });
    this.functions = {
      'fan-out': make('fan-out', timing.ceilingSeconds),
      tile: make('tile', timing.ceilingSeconds),
      count: make('count', timing.countCeilingSeconds),
      assemble: make('assemble', timing.ceilingSeconds),
      reap: make('reap', timing.reapCeilingSeconds),
    };
    consumeQueue(this.functions['fan-out'], queues.scenes, SCENE_CONCURRENCY);
    consumeQueue(this.functions.tile, queues.tiles, options.maxConcurrency ?? MAX_CONCURRENCY);
    consumeQueue(this.functions.assemble, queues.assemblies, SCENE_CONCURRENCY);
    consumeNewRows(this.functions.count, arns.manifestStream ?? '', this.streamFailures);
    this.cadence = new Rule(this, 'ReapCadence', {
      description: 'How often lost work is looked for',
      schedule: Schedule.rate(Duration.minutes(timing.reapMinutes)),
      targets: [
        new LambdaFunction(this.functions.reap.handler, {
          deadLetterQueue: this.missedReaps,
          // The next run does the same: a late one is of no use.
          maxEventAge: Duration.minutes(timing.reapMinutes),
          retryAttempts: 1,
        }),
      ],
    });
  }
}

const idOf = (name: FunctionName): string =>
  name.replaceAll(/(?:^|-)(\w)/gu, (_, letter: string) => letter.toUpperCase());
