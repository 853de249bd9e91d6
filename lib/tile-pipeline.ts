import { Names } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { TileonceError } from '../lambda/errors.ts';
import type { Pipeline } from '../lambda/pipeline/definition/pipeline.ts';
import { refuseEndlessScenes } from './endless-scenes.ts';
import { JobQueue } from './job-queue.ts';
import { loadPipelines } from './pipeline-files.ts';
import { PipelineFunctions } from './pipeline-functions.ts';
import { PipelineOperations } from './pipeline-operations.ts';
import { MAX_CONCURRENCY, SCRATCH_MB, type TilePipelineProps } from './pipeline-props.ts';
import { PipelineState } from './pipeline-state.ts';
import { SceneTrigger } from './scene-trigger.ts';
import { type Timing, timingOf } from './timing.ts';
import { triggerWildcards } from './trigger-filter.ts';

/**
 * The whole pipeline, to be put in any app: upload a scene under the prefix, and its tiles, mosaic and STAC item appear
 * in the output bucket, each once.
 *
 *     new TilePipeline(this, 'Ndvi', { pipelines: ['pipelines/ndvi.json'] });
 *
 *     source bucket ─EventBridge─▶ scenes ─▶ fan-out ─▶ tiles ─▶ tile ─▶ output bucket, manifest
 *                                                                          │ stream
 *                                       output bucket ◀─ assemble ◀─ assemblies ◀─ count
 */
export class TilePipeline extends Construct {
  readonly stage: string;
  readonly pipelines: readonly Pipeline[];
  readonly timing: Timing;
  readonly state: PipelineState;
  readonly scenes: JobQueue;
  readonly tiles: JobQueue;
  readonly assemblies: JobQueue;
  readonly trigger: SceneTrigger;
  readonly work: PipelineFunctions;
  readonly operations: PipelineOperations | null;

  /**
   * @throws ConfigurationError, TimingError or TileonceError where a pipeline, a time, a limit or the trigger cannot be
   * used: the synthesis fails, not the deployed pipeline.
   */
  constructor(scope: Construct, id: string, props: TilePipelineProps) {
    super(scope, id);
    refuseOutOfBounds('maxConcurrency', props.maxConcurrency ?? MAX_CONCURRENCY, 2, 1000);
    refuseOutOfBounds('scratchMb', props.scratchMb ?? SCRATCH_MB, 512, 10_240);
    this.stage = props.stage ?? Names.uniqueResourceName(this, { maxLength: 64, separator: '-' });
    this.pipelines = pipelinesOf(props.pipelines);
    this.timing = timingOf(props.timing);
    const wildcards = triggerWildcards(this.pipelines, props.sourcePrefix ?? '');

    this.state = props.state ?? new PipelineState(this, 'State', props);
    const { sourceBucket, outputBucket } = this.state;
    if (sourceBucket === outputBucket || sourceBucket.bucketName === outputBucket.bucketName) {
      refuseEndlessScenes(wildcards);
    }

    this.scenes = new JobQueue(this, 'Scenes', { timing: this.timing, delaySeconds: this.timing.settleSeconds });
    this.tiles = new JobQueue(this, 'Tiles', { timing: this.timing });
    this.assemblies = new JobQueue(this, 'Assemblies', { timing: this.timing });
    const queues = { scenes: this.scenes.queue, tiles: this.tiles.queue, assemblies: this.assemblies.queue };
    this.trigger = new SceneTrigger(this, 'Trigger', {
      bucket: sourceBucket,
      account: props.sourceAccount,
      wildcards,
      scenes: queues.scenes,
      timing: this.timing,
    });
    this.work = new PipelineFunctions(this, 'Work', {
      options: props,
      environment: {
        stage: this.stage,
        state: this.state,
        queues,
        pipelines: this.pipelines,
        timing: this.timing,
        requesterPays: props.requesterPays ?? false,
        scratchMb: props.scratchMb ?? SCRATCH_MB,
      },
    });
    this.operations =
      props.operations === false
        ? null
        : new PipelineOperations(this, 'Operations', { pipeline: this, ...props.operations });
  }
}

const pipelinesOf = (given: readonly (string | Pipeline)[]): readonly Pipeline[] => {
  if (given.length === 0) throw new TileonceError('there is no pipeline to deploy', { remedy: 'name at least one' });
  const files = given.filter((each) => typeof each === 'string');
  return [...given.filter((each) => typeof each !== 'string'), ...loadPipelines(files, process.cwd())];
};

const refuseOutOfBounds = (name: string, value: number, least: number, most: number): void => {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new TileonceError(`${name} is ${value}`, { remedy: `choose a whole number from ${least} to ${most}` });
};
