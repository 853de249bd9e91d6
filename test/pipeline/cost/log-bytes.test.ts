import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { expect, it, jest } from '@jest/globals';
import { LambdaTelemetry } from '../../../lambda/engines/aws/telemetry.ts';
import { LOG_BYTES } from '../../../lambda/pipeline/cost/bill.ts';

/** START, END and REPORT of an invocation with their ids, and a timestamp on each line; bytes, at the most. */
const OWN_LINES = 450;

it("a window's invocation logs no more than is counted", () => {
  process.env['POWERTOOLS_METRICS_DISABLED'] = 'false';
  process.env['POWERTOOLS_DEV'] = 'true';
  const lines: string[] = [];
  const said = jest.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)));
  const telemetry = new LambdaTelemetry({
    metrics: new Metrics({
      namespace: 'Tileonce',
      serviceName: 'tileonce',
      defaultDimensions: { stage: 'production' },
    }),
    logger: new Logger({ serviceName: 'tileonce' }),
  });
  telemetry.about({ messageId: 'a'.repeat(36), sceneJobId: 'b'.repeat(64), window: '0007_0012' });
  for (const metric of ['ClaimsWon', 'TilesWritten'] as const) telemetry.count(metric, 1);
  for (const metric of ['BytesRead', 'BytesWritten', 'RangeRequests', 'WindowMilliseconds'] as const) {
    telemetry.count(metric, 12_345_678);
  }
  telemetry.flush();
  said.mockRestore();
  const bytes = Buffer.byteLength(lines.join('\n'));
  expect(bytes).toBeGreaterThan(400);
  expect(bytes + OWN_LINES).toBeLessThanOrEqual(LOG_BYTES);
});
