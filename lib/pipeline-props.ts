import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { FunctionName } from '../lambda/environment.ts';
import type { Pipeline } from '../lambda/pipeline/definition/pipeline.ts';
import type { VpcProps } from './pipeline-function.ts';
import type { PipelineOperationsProps } from './pipeline-operations.ts';
import type { PipelineState, PipelineStateProps } from './pipeline-state.ts';
import type { TimingOptions } from './timing.ts';

export interface TilePipelineProps extends PipelineStateProps {
  /** What is computed from a scene: paths of pipeline files (from the working directory), or pipelines already read. */
  readonly pipelines: readonly (string | Pipeline)[];
  /** Name of this deployment, the metrics' dimension. Default: the construct's unique name. */
  readonly stage?: string;
  /** Tables and buckets made elsewhere, so that they outlive this stack. Default: made here, from the props above. */
  readonly state?: PipelineState;
  /** Only objects whose keys begin with it ring, and only they can be read. Default '' (all). */
  readonly sourcePrefix?: string;
  /** The account of a source bucket that is another account's; its events are forwarded to this account's default bus. */
  readonly sourceAccount?: string;
  /** Reads of the source bucket are paid by this account. Default false. */
  readonly requesterPays?: boolean;
  /** Where the functions run. Default: Lambda's own network. */
  readonly vpc?: VpcProps;
  /** Alarms and dashboard; `false`: none. `topic` is told of alarms. Default: all of them, and nobody is told. */
  readonly operations?: Omit<PipelineOperationsProps, 'pipeline'> | false;
  /** Default one month. */
  readonly logRetention?: RetentionDays;
  /** Memory by function, MB. Default fan-out and tile 1,769 (one core), assemble 3,538 (two), count 256, reap 512. */
  readonly memoryMb?: Partial<Readonly<Record<FunctionName, number>>>;
  /** /tmp of the assembly, MiB, 512 to 10,240. Default 4,096. */
  readonly scratchMb?: number;
  /** Windows at work at once, 2 to 1,000. Default 50. */
  readonly maxConcurrency?: number;
  /** Settle time, the reaper's cadence and the ceiling that all other times follow from; see lib/timing.ts. */
  readonly timing?: TimingOptions;
  /** X-Ray. Default false. */
  readonly tracing?: boolean;
}

export const MEMORY_MB: Readonly<Record<FunctionName, number>> = {
  'fan-out': 1769,
  tile: 1769,
  count: 256,
  assemble: 3538,
  reap: 512,
};
export const SCRATCH_MB = 4096;
export const MAX_CONCURRENCY = 50;
