import { readReapEnvironment } from '../environment.ts';
import { type ReapReport, reap } from '../pipeline/reap.ts';
import { lambdaRuntime } from '../serverless/runtime.ts';
import { countOverdue } from './overdue-scenes.ts';

const { context, telemetry, timing } = lambdaRuntime(readReapEnvironment(process.env));

/** The schedule's tick: what was lost of open plans is sent again, and scenes that take too long are counted. */
export const handler = async (): Promise<ReapReport> => {
  try {
    const report = await reap(context, timing);
    await countOverdue(context, timing.overdueMs);
    return report;
  } finally {
    telemetry.flush();
  }
};
