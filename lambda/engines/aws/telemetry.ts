import type { Logger } from '@aws-lambda-powertools/logger';
import { MetricUnit, type Metrics } from '@aws-lambda-powertools/metrics';
import type { MetricUnit as Unit } from '@aws-lambda-powertools/metrics/types';
import type { EventLevel, MetricName, Telemetry } from '../../telemetry.ts';

export interface LambdaTelemetryParts {
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Units of what is no plain count. */
const UNITS: Partial<Record<MetricName, Unit>> = {
  BytesRead: MetricUnit.Bytes,
  BytesWritten: MetricUnit.Bytes,
  WindowMilliseconds: MetricUnit.Milliseconds,
};

/** Keys that the log format keeps for itself; a field of such a name would be dropped. */
const RESERVED: Readonly<Record<string, string>> = {
  level: 'levelField',
  message: 'detail',
  sampling_rate: 'samplingRateField',
  service: 'serviceField',
  timestamp: 'timestampField',
};

/**
 * Events as structured log lines and counts as CloudWatch metrics (embedded metric format), by Powertools.
 *
 * Counts are added up here and handed over once, by `flush`: Powertools publishes on its own at the 100th value of a
 * metric, in the middle of an invocation. Dimensions are the metrics' default ones (service, stage); job ids are
 * metadata, because every dimension's value is a metric of its own, and paid for.
 */
export class LambdaTelemetry implements Telemetry {
  readonly #metrics: Metrics;
  readonly #logger: Logger;
  readonly #counts = new Map<MetricName, number>();
  #about: Readonly<Record<string, string>> = {};

  constructor({ metrics, logger }: LambdaTelemetryParts) {
    this.#metrics = metrics;
    this.#logger = logger;
  }

  /** Puts these keys (job id, window) on every line, and beside the metrics, until the next flush. */
  about(keys: Readonly<Record<string, string>>): void {
    this.#about = { ...this.#about, ...keys };
    this.#logger.appendKeys({ ...keys });
  }

  event(level: EventLevel, name: string, fields: Readonly<Record<string, unknown>>): void {
    const spelled = Object.entries(fields).map(([key, value]) => [RESERVED[key] ?? key, value] as const);
    this.#logger[level](name, Object.fromEntries(spelled));
  }

  count(metric: MetricName, value: number): void {
    this.#counts.set(metric, (this.#counts.get(metric) ?? 0) + value);
  }

  /** Publishes what was counted, and forgets it and the keys. Called at the end of every invocation, failed or not. */
  flush(): void {
    if (this.#counts.size > 0) {
      for (const [metric, value] of this.#counts)
        this.#metrics.addMetric(metric, UNITS[metric] ?? MetricUnit.Count, value);
      for (const [key, value] of Object.entries(this.#about)) this.#metrics.addMetadata(key, value);
      this.#metrics.publishStoredMetrics();
    }
    this.#counts.clear();
    this.#about = {};
    this.#logger.resetKeys();
  }
}
