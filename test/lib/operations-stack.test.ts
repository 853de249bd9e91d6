/* oxlint-disable jest/expect-expect -- the template assertions throw on their own */
import { describe, expect, test } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { METRICS } from '../../lambda/telemetry.ts';
import { deployed, repository } from './deployment.ts';

const { operations } = deployed();

const alarm = z.object({ AlarmDescription: z.string(), AlarmActions: z.array(z.unknown()).optional() });
const alarmsOf = (template: typeof operations) =>
  Object.values(template.findResources('AWS::CloudWatch::Alarm')).map((resource) =>
    alarm.parse(resource['Properties']),
  );

const has = (meaning: string, properties: object): void =>
  operations.hasResourceProperties('AWS::CloudWatch::Alarm', {
    AlarmDescription: Match.stringLikeRegexp(meaning),
    ...properties,
  });

const ours = { Namespace: 'Tileonce', Dimensions: Match.arrayWith([{ Name: 'stage', Value: 'test' }]) };

describe('an alarm', () => {
  test('says what to do, on a page of the runbook that is there', () => {
    const runbook = readFileSync(`${repository}docs/runbook.md`, 'utf8');
    const headings = [...runbook.matchAll(/^##+ (.+)$/gmu)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/gu, '')
        .replaceAll(' ', '-'),
    );
    for (const { AlarmDescription } of alarmsOf(operations)) {
      const [, page] = /What to do: docs\/runbook\.md#([a-z-]+)$/u.exec(AlarmDescription) ?? [];
      expect([AlarmDescription, page !== undefined && headings.includes(page)]).toEqual([AlarmDescription, true]);
    }
  });

  test('watches each dead-letter queue, by what is visible in it', () => {
    operations.resourcePropertiesCountIs(
      'AWS::CloudWatch::Alarm',
      { MetricName: 'ApproximateNumberOfMessagesVisible', Statistic: 'Maximum', Threshold: 1, EvaluationPeriods: 1 },
      6,
    );
  });

  test('watches the age of each queue’s oldest message', () => {
    for (const [queue, hours] of [
      ['scenes', 1],
      ['tiles', 6],
      ['assemblies', 1],
    ] as const) {
      has(`queue ${queue} has waited`, { MetricName: 'ApproximateAgeOfOldestMessage', Threshold: hours * 3600 });
    }
    has('wait for more than 10 min to be counted', { MetricName: 'IteratorAge', Threshold: 600_000 });
  });

  test('watches each function’s errors and throttles', () => {
    operations.resourcePropertiesCountIs(
      'AWS::CloudWatch::Alarm',
      { MetricName: 'Errors', Namespace: 'AWS/Lambda' },
      5,
    );
    operations.resourcePropertiesCountIs(
      'AWS::CloudWatch::Alarm',
      { MetricName: 'Throttles', EvaluationPeriods: 3 },
      5,
    );
  });

  test('begins with the first lost lease and the first divergent tile', () => {
    has('after its lease had been taken', { ...ours, MetricName: 'LeaseLost', Threshold: 1, Statistic: 'Sum' });
    has('with different pixels', { ...ours, MetricName: 'DivergentTiles', Threshold: 1, Statistic: 'Sum' });
  });

  test('tells when a gate does nothing any more', () => {
    has('claims hold nobody back', {
      Threshold: 0.5,
      ComparisonOperator: 'GreaterThanThreshold',
      Metrics: Match.arrayWith([Match.objectLike({ Expression: Match.stringLikeRegexp('FILL\\(refused, 0\\) / ') })]),
    });
    has('no write was refused', {
      Threshold: 1,
      Metrics: Match.arrayWith([
        Match.objectLike({ Expression: 'IF(FILL(taken, 0) >= 20 AND FILL(refused, 0) < 1, 1, 0)' }),
      ]),
    });
  });

  test('compares no metrics where the stage is for an emulator that cannot', () => {
    const { operations: plain } = deployed({ alarms: { gates: false } });
    plain.allResourcesProperties('AWS::CloudWatch::Alarm', { Metrics: Match.absent() });
  });

  test('tells of a scene past its deadline, and of a reaper that does not run', () => {
    has('not assembled 120 min after', { ...ours, MetricName: 'ScenesOverdue', Statistic: 'Maximum', Threshold: 1 });
    has('has not run for three of its turns', {
      MetricName: 'Invocations',
      Period: 900,
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    });
  });

  test('tells nobody, unless a topic or an address is given', () => {
    expect(alarmsOf(operations).filter(({ AlarmActions }) => AlarmActions !== undefined)).toEqual([]);
    const { operations: told } = deployed({ alarms: { email: 'ops@example.com' } });
    told.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@example.com' });
    expect(alarmsOf(told).filter(({ AlarmActions }) => AlarmActions?.length !== 1)).toEqual([]);
    const topicArn = 'arn:aws:sns:eu-west-1:111122223333:alarms';
    const { operations: existing } = deployed({ alarms: { topicArn } });
    existing.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [topicArn], OKActions: [topicArn] });
  });
});

describe('the dashboard', () => {
  test('shows every metric that is counted', () => {
    operations.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
    const text = JSON.stringify(operations.findResources('AWS::CloudWatch::Dashboard'));
    expect(METRICS.filter((metric) => !text.includes(metric))).toEqual([]);
  });

  test('has its address among the outputs', () => {
    expect(Object.keys(operations.findOutputs('DashboardUrl'))).toEqual(['DashboardUrl']);
  });
});
