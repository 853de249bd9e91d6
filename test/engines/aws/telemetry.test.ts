import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { LambdaTelemetry } from '../../../lambda/engines/aws/telemetry.ts';

type Line = Record<string, unknown>;

/** What Powertools prints in this mode goes through the console: metrics and log lines alike. */
const printing = () => {
  const lines: Line[] = [];
  const print = (text: unknown): void => void lines.push(JSON.parse(String(text)));
  for (const method of ['log', 'debug', 'info', 'warn', 'error'] as const) {
    jest.spyOn(console, method).mockImplementation(print);
  }
  const telemetry = new LambdaTelemetry({
    metrics: new Metrics({ namespace: 'Tileonce', serviceName: 'tile', defaultDimensions: { stage: 'dev' } }),
    logger: new Logger({ serviceName: 'tile', logLevel: 'DEBUG' }),
  });
  return {
    telemetry,
    metrics: () => lines.filter((line) => '_aws' in line),
    logs: () => lines.filter((line) => 'level' in line),
  };
};

describe('telemetry on Lambda', () => {
  const environment = { POWERTOOLS_DEV: 'true', POWERTOOLS_METRICS_DISABLED: 'false' };

  beforeEach(() => {
    Object.assign(process.env, environment);
  });

  afterEach(() => {
    jest.restoreAllMocks();
    for (const name of Object.keys(environment)) Reflect.deleteProperty(process.env, name);
  });

  it('publishes each metric once an invocation, however often it was counted', () => {
    const { telemetry, metrics } = printing();
    for (let read = 0; read < 250; read++) telemetry.count('BytesRead', 1000);
    telemetry.count('TilesWritten', 1);
    telemetry.count('WindowMilliseconds', 38.5);
    telemetry.flush();
    expect(metrics()).toEqual([
      expect.objectContaining({
        service: 'tile',
        stage: 'dev',
        BytesRead: 250_000,
        TilesWritten: 1,
        WindowMilliseconds: 38.5,
        _aws: expect.objectContaining({
          CloudWatchMetrics: [
            {
              Namespace: 'Tileonce',
              Dimensions: [['service', 'stage']],
              Metrics: [
                { Name: 'BytesRead', Unit: 'Bytes' },
                { Name: 'TilesWritten', Unit: 'Count' },
                { Name: 'WindowMilliseconds', Unit: 'Milliseconds' },
              ],
            },
          ],
        }),
      }),
    ]);
  });

  it('starts from nothing after a flush, with the same dimensions', () => {
    const { telemetry, metrics } = printing();
    telemetry.about({ jobId: 'j1' });
    telemetry.count('ClaimsWon', 1);
    telemetry.flush();
    telemetry.flush();
    telemetry.count('ClaimsWon', 2);
    telemetry.flush();
    expect(metrics().map(({ ClaimsWon, stage, jobId }) => ({ ClaimsWon, stage, jobId }))).toEqual([
      { ClaimsWon: 1, stage: 'dev', jobId: 'j1' },
      { ClaimsWon: 2, stage: 'dev', jobId: undefined },
    ]);
  });

  it('keeps job ids out of the dimensions', () => {
    const { telemetry, metrics } = printing();
    telemetry.about({ sceneJobId: 's1', window: '0007_0012' });
    telemetry.count('TilesEmpty', 1);
    telemetry.flush();
    expect(metrics()).toEqual([
      expect.objectContaining({
        sceneJobId: 's1',
        window: '0007_0012',
        _aws: expect.objectContaining({
          CloudWatchMetrics: [expect.objectContaining({ Dimensions: [['service', 'stage']] })],
        }),
      }),
    ]);
  });

  it('writes an event as one line with its keys, and drops no field', () => {
    const { telemetry, logs } = printing();
    telemetry.about({ jobId: 'j1', window: '0007_0012' });
    telemetry.event('warn', 'Claim:Takeover:Done', { attempts: 2 });
    telemetry.event('error', 'Claim:Commit:LeaseLost', { message: 'the lease was lost', service: 's3' });
    expect(logs()).toEqual([
      expect.objectContaining({
        level: 'WARN',
        message: 'Claim:Takeover:Done',
        jobId: 'j1',
        window: '0007_0012',
        attempts: 2,
      }),
      expect.objectContaining({
        level: 'ERROR',
        message: 'Claim:Commit:LeaseLost',
        detail: 'the lease was lost',
        serviceField: 's3',
        service: 'tile',
      }),
    ]);
  });

  it('forgets the keys of an invocation with its end', () => {
    const { telemetry, logs } = printing();
    telemetry.about({ jobId: 'j1' });
    telemetry.flush();
    telemetry.event('info', 'Window:Write:Done', {});
    expect(logs().at(-1)).not.toHaveProperty('jobId');
  });
});
