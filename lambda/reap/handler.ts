import { readReapEnvironment } from '../environment.ts';
import { type ReapReport, reap } from '../pipeline/reap.ts';
import { lambdaRuntime } from '../serverless/runtime.ts';

const { context, telemetry, timing } = lambdaRuntime(readReapEnvironment(process.env));

/** The schedule's tick: what was lost of open plans is sent again. */
export const handler = async (): Promise<ReapReport> => {
  try {
    return await reap(context, timing);
  } finally {
    telemetry.flush();
  }
};
