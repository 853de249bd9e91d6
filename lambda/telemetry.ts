/** Everything that is counted. One file, so that alarms, dashboards and code cannot disagree about a name. */
export const METRICS = [
  'ClaimsWon',
  'ClaimsRefusedCommitted',
  'ClaimsRefusedLive',
  'LeasesTaken',
  'LeaseLost',
  'TilesWritten',
  'ConditionalWritePreconditionFailed',
  'DivergentTiles',
  'TilesEmpty',
  'BytesRead',
  'BytesWritten',
  'RangeRequests',
  'WindowMilliseconds',
  'PlansSuperseded',
  'ScenesPlanned',
  'ScenesAssembled',
  'ScenesOverdue',
  'Conflict409Retried',
] as const;
export type MetricName = (typeof METRICS)[number];

export type EventLevel = 'debug' | 'info' | 'warn' | 'error';

/** Structured events named Thing:Step:Done, and counts. What becomes of them is the engine's affair. */
export interface Telemetry {
  event(level: EventLevel, name: string, fields: Readonly<Record<string, unknown>>): void;
  count(metric: MetricName, value: number): void;
}

export const silentTelemetry: Telemetry = { event: () => undefined, count: () => undefined };
