import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { METRIC_NAMESPACE, metricDimensions } from '../lambda/environment.ts';
import type { MetricName } from '../lambda/telemetry.ts';

export const FIVE_MINUTES = Duration.minutes(5);

/** What a deployment counted, summed over all its functions. */
export const counted = (stage: string, metricName: MetricName, period = FIVE_MINUTES, statistic = 'Sum'): Metric =>
  new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    dimensionsMap: { ...metricDimensions(stage) },
    statistic,
    period,
  });
