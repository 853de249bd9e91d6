import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { FUNCTIONS } from '../lambda/environment.ts';
import type { MetricName } from '../lambda/telemetry.ts';
import type { Watched } from './alarms.ts';
import { FIVE_MINUTES, counted } from './counted.ts';

const HALF = 12;
const WHOLE = 24;

const graph = (title: string, left: IMetric[], right: IMetric[] = []): GraphWidget =>
  new GraphWidget({ title, left, right, width: HALF, height: 6, period: FIVE_MINUTES });

/** One page: is anything wrong, what was done, what waits, what do the gates do, how do the functions fare. */
export const dashboard = (scope: Construct, watched: Watched, alarms: Alarm[]): Dashboard => {
  const { stage, queues, functions } = watched;
  const of = (...names: MetricName[]): IMetric[] => names.map((name) => counted(stage, name));
  const lines = ['scenes', 'tiles', 'assemblies'] as const;
  const handlers = FUNCTIONS.map((name) => ({ name, handler: functions[name].handler }));
  const rows: IWidget[][] = [
    [new TextWidget({ markdown: `# Tileonce ${stage}`, width: WHOLE, height: 1 })],
    [new AlarmStatusWidget({ title: 'Alarms', alarms, width: WHOLE, height: 4 })],
    [
      graph('Scenes', of('ScenesPlanned', 'ScenesAssembled', 'PlansSuperseded', 'ScenesOverdue')),
      graph('Windows', of('TilesWritten', 'TilesEmpty'), [
        counted(stage, 'WindowMilliseconds', FIVE_MINUTES, 'p50'),
        counted(stage, 'WindowMilliseconds', FIVE_MINUTES, 'p99'),
      ]),
    ],
    [
      graph('Claim gate', of('ClaimsWon', 'ClaimsRefusedCommitted', 'ClaimsRefusedLive', 'LeasesTaken', 'LeaseLost')),
      graph(
        'Write gate',
        of('TilesWritten', 'ConditionalWritePreconditionFailed', 'Conflict409Retried', 'DivergentTiles'),
      ),
    ],
    [
      graph(
        'Messages waiting',
        lines.map((name) => queues[name].queue.metricApproximateNumberOfMessagesVisible({ label: name })),
        lines.map((name) => queues[name].queue.metricApproximateAgeOfOldestMessage({ label: `${name}: oldest, s` })),
      ),
      graph(
        'Dead letters',
        lines.map((name) => queues[name].deadLetters.metricApproximateNumberOfMessagesVisible({ label: name })),
      ),
    ],
    [
      graph(
        'Duration',
        handlers.map(({ name, handler }) => handler.metricDuration({ label: name, statistic: 'p99' })),
      ),
      graph(
        'Errors and throttles',
        handlers.map(({ name, handler }) => handler.metricErrors({ label: `${name}: errors` })),
        handlers.map(({ name, handler }) => handler.metricThrottles({ label: `${name}: throttles` })),
      ),
    ],
    [graph('Bytes', of('BytesRead', 'BytesWritten')), graph('Requests to the source', of('RangeRequests'))],
  ];
  return new Dashboard(scope, 'Dashboard', { widgets: rows });
};
