import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { FUNCTIONS, type FunctionName } from '../lambda/environment.ts';
import { FIVE_MINUTES, counted } from './counted.ts';
import type { PipelineFunction } from './pipeline-function.ts';
import type { Timing } from './timing.ts';

/** What an alarm can look at. */
export interface Watched {
  readonly stage: string;
  readonly timing: Timing;
  readonly queues: Readonly<Record<'scenes' | 'tiles' | 'assemblies', { queue: IQueue; deadLetters: IQueue }>>;
  readonly undelivered: IQueue;
  readonly streamFailures: IQueue;
  readonly missedReaps: IQueue;
  readonly functions: Readonly<Record<FunctionName, PipelineFunction>>;
}

/** An alarm before it is made. */
export interface AlarmSpec {
  readonly id: string;
  /** Heading of docs/runbook.md, as an anchor. */
  readonly page: string;
  readonly meaning: string;
  readonly metric: IMetric;
  readonly threshold: number;
  readonly comparison?: ComparisonOperator;
  /** Periods in a row. Default 1. */
  readonly periods?: number;
  readonly missing?: TreatMissingData;
}

/** Age of a queue's oldest message that deserves a look, h. A backfill's windows may wait longer than a scene. */
const OLDEST_HOURS = { scenes: 1, tiles: 6, assemblies: 1 } as const;
/** So few writes, or lapsed leases, prove nothing about a gate. */
const ENOUGH = 20;

const deadLetters = ({ queues, undelivered, streamFailures, missedReaps }: Watched): readonly AlarmSpec[] => {
  const depth = (id: string, page: string, meaning: string, queue: IQueue): AlarmSpec => ({
    id,
    page,
    meaning,
    metric: queue.metricApproximateNumberOfMessagesVisible({ period: FIVE_MINUTES, statistic: 'Maximum' }),
    threshold: 1,
  });
  return [
    depth('ScenesDeadLetters', 'dead-letters', 'A scene could not be planned', queues.scenes.deadLetters),
    depth('TilesDeadLetters', 'dead-letters', 'A window could not be made', queues.tiles.deadLetters),
    depth('AssembliesDeadLetters', 'dead-letters', 'A scene could not be assembled', queues.assemblies.deadLetters),
    depth('UndeliveredUploads', 'undelivered-events', 'EventBridge could not deliver an upload', undelivered),
    depth('StreamFailures', 'stream-failures', 'New manifest rows could not be counted', streamFailures),
    depth('MissedReaps', 'missed-reaps', 'The reaper could not be started', missedReaps),
  ];
};

const ages = ({ queues, functions }: Watched): readonly AlarmSpec[] => [
  ...(['scenes', 'tiles', 'assemblies'] as const).map((name): AlarmSpec => ({
    id: `Oldest${name[0]?.toUpperCase()}${name.slice(1)}`,
    page: 'queue-age',
    meaning: `The oldest message of queue ${name} has waited for more than ${OLDEST_HOURS[name]} h`,
    metric: queues[name].queue.metricApproximateAgeOfOldestMessage({ period: FIVE_MINUTES, statistic: 'Maximum' }),
    threshold: OLDEST_HOURS[name] * 3600,
  })),
  {
    id: 'StreamAge',
    page: 'stream-age',
    meaning: 'New manifest rows wait for more than 10 min to be counted',
    metric: functions.count.handler.metric('IteratorAge', { period: FIVE_MINUTES, statistic: 'Maximum' }),
    threshold: 10 * 60 * 1000,
  },
];

const functionHealth = ({ functions }: Watched): readonly AlarmSpec[] =>
  FUNCTIONS.flatMap((name): readonly AlarmSpec[] => {
    const { handler } = functions[name];
    return [
      {
        id: `Errors-${name}`,
        page: 'function-errors',
        meaning: `Function ${name} timed out, ran out of memory or met a defect`,
        metric: handler.metricErrors({ period: FIVE_MINUTES }),
        threshold: 1,
      },
      {
        id: `Throttles-${name}`,
        page: 'function-throttles',
        meaning: `Function ${name} is throttled for 15 min: the account's concurrency is used up`,
        metric: handler.metricThrottles({ period: FIVE_MINUTES }),
        threshold: 1,
        periods: 3,
      },
    ];
  });

/** A gate that does nothing any more: each compares two metrics. */
const gatesOff = ({ stage }: Watched): readonly AlarmSpec[] => [
  {
    id: 'ClaimGateOff',
    page: 'claim-gate',
    meaning: 'More than half of all writes find their object there: work is done twice, the claims hold nobody back',
    metric: new MathExpression({
      expression: `IF(FILL(refused, 0) + FILL(written, 0) >= ${ENOUGH}, FILL(refused, 0) / (FILL(refused, 0) + FILL(written, 0)), 0)`,
      usingMetrics: {
        refused: counted(stage, 'ConditionalWritePreconditionFailed'),
        written: counted(stage, 'TilesWritten'),
      },
      label: 'share of writes answered 412',
      period: Duration.minutes(15),
    }),
    threshold: 0.5,
    comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
  },
  {
    id: 'WriteGateOff',
    page: 'write-gate',
    meaning: `At least ${ENOUGH} jobs were worked on again after a lapsed lease in a day, and no write was refused`,
    metric: new MathExpression({
      expression: `IF(FILL(taken, 0) >= ${ENOUGH} AND FILL(refused, 0) < 1, 1, 0)`,
      usingMetrics: {
        taken: counted(stage, 'LeasesTaken'),
        refused: counted(stage, 'ConditionalWritePreconditionFailed'),
      },
      label: 'repeated work without one refused write',
      period: Duration.days(1),
    }),
    threshold: 1,
  },
];

/** What must not happen, and work that does not end. */
const protocol = ({ stage, timing, functions }: Watched): readonly AlarmSpec[] => [
  {
    id: 'LeaseLost',
    page: 'lease-lost',
    meaning: 'A worker finished after its lease had been taken by another',
    metric: counted(stage, 'LeaseLost'),
    threshold: 1,
  },
  {
    id: 'DivergentTiles',
    page: 'divergent-tile',
    meaning: 'One key was computed twice, with different pixels',
    metric: counted(stage, 'DivergentTiles'),
    threshold: 1,
  },
  {
    id: 'ScenesOverdue',
    page: 'scene-overdue',
    meaning: `A scene is not assembled ${timing.overdueSeconds / 60} min after it was planned`,
    metric: counted(stage, 'ScenesOverdue', FIVE_MINUTES, 'Maximum'),
    threshold: 1,
  },
  {
    id: 'ReaperSilent',
    page: 'reaper-silent',
    meaning: 'The reaper has not run for three of its turns: lost work stays lost',
    metric: functions.reap.handler.metricInvocations({ period: Duration.minutes(3 * timing.reapMinutes) }),
    threshold: 1,
    comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
    missing: TreatMissingData.BREACHING,
  },
];

/** Every alarm of a deployment; those on the gates only where `gates`. */
export const alarmSpecs = (watched: Watched, gates: boolean): readonly AlarmSpec[] => [
  ...deadLetters(watched),
  ...ages(watched),
  ...functionHealth(watched),
  ...protocol(watched),
  ...(gates ? gatesOff(watched) : []),
];
