import { Alarm, ComparisonOperator, type Dashboard, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type Watched, alarmSpecs } from './alarms.ts';
import { dashboard } from './dashboard.ts';
import type { JobQueue } from './job-queue.ts';
import type { PipelineFunctions } from './pipeline-functions.ts';
import type { SceneTrigger } from './scene-trigger.ts';
import type { Timing } from './timing.ts';

/** What of a pipeline is watched; a `TilePipeline` is one. */
export interface WatchedPipeline {
  readonly stage: string;
  readonly timing: Timing;
  readonly scenes: JobQueue;
  readonly tiles: JobQueue;
  readonly assemblies: JobQueue;
  readonly trigger: SceneTrigger;
  readonly work: PipelineFunctions;
}

export interface PipelineOperationsProps {
  readonly pipeline: WatchedPipeline;
  /** Is told when an alarm begins and when it ends. Default: nobody is. */
  readonly topic?: ITopic;
  /** The two alarms on a gate that does nothing any more; they need metric math. Default true. */
  readonly gates?: boolean;
}

/** The alarms, each with its page in docs/runbook.md, and one dashboard. */
export class PipelineOperations extends Construct {
  readonly alarms: readonly Alarm[];
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, { pipeline, topic, gates = true }: PipelineOperationsProps) {
    super(scope, id);
    const { scenes, tiles, assemblies, trigger, work } = pipeline;
    const watched: Watched = {
      stage: pipeline.stage,
      timing: pipeline.timing,
      queues: { scenes, tiles, assemblies },
      undelivered: trigger.undelivered,
      streamFailures: work.streamFailures,
      missedReaps: work.missedReaps,
      functions: work.functions,
    };
    const alarms = alarmSpecs(watched, gates).map((spec) => {
      const alarm = new Alarm(this, spec.id, {
        alarmDescription: `${spec.meaning}. What to do: docs/runbook.md#${spec.page}`,
        metric: spec.metric,
        threshold: spec.threshold,
        evaluationPeriods: spec.periods ?? 1,
        comparisonOperator: spec.comparison ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: spec.missing ?? TreatMissingData.NOT_BREACHING,
      });
      if (topic !== undefined) {
        const action = new SnsAction(topic);
        alarm.addAlarmAction(action);
        alarm.addOkAction(action);
      }
      return alarm;
    });
    this.alarms = alarms;
    this.dashboard = dashboard(this, watched, alarms);
  }
}
