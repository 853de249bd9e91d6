import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { StoreUnavailableError, TileonceError } from '../errors.ts';
import type { QueueName } from '../gates/queue.ts';
import { type Settled, dispositionOf } from '../pipeline/disposition.ts';
import type { LambdaRuntime } from './runtime.ts';
import { replacedByCopy } from './waiting-message.ts';

/** The function's time is almost up: the work was stopped and its lease released, so that the next receive finds it free. */
export class DeadlineError extends TileonceError {
  constructor() {
    super('the function was about to run out of time', {
      remedy: 'the message comes back; give the function more memory',
    });
  }
}

/**
 * A queue's handler: messages one by one, each settled by what became of it (docs/design.md, section 4).
 * - done: acknowledged, by not being reported.
 * - a live foreign lease: hidden until that has run out, reported; near its last receive replaced by a fresh copy.
 * - a store is down: hidden for longer at each receive, reported, so that an outage of hours dead-letters nothing.
 * - anything else: logged, hidden for a moment, reported; after the last receive SQS moves it to the dead-letter queue.
 */
export const queueHandler =
  (runtime: LambdaRuntime, queue: QueueName, work: (body: string, signal: AbortSignal) => Promise<Settled>) =>
  async (event: SQSEvent, lambda: Pick<Context, 'getRemainingTimeInMillis'>): Promise<SQSBatchResponse> => {
    const { telemetry, timing } = runtime;
    const failures: SQSBatchResponse['batchItemFailures'] = [];
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new DeadlineError()),
      Math.max(0, lambda.getRemainingTimeInMillis() - timing.abortMarginMs),
    );
    try {
      for (const record of event.Records) {
        if (!(await settle(runtime, queue, record, work, deadline.signal))) {
          failures.push({ itemIdentifier: record.messageId });
        }
      }
    } finally {
      clearTimeout(timer);
      telemetry.flush();
    }
    return { batchItemFailures: failures };
  };

/** True where the message is done with. */
const settle = async (
  runtime: LambdaRuntime,
  queue: QueueName,
  record: SQSRecord,
  work: (body: string, signal: AbortSignal) => Promise<Settled>,
  signal: AbortSignal,
): Promise<boolean> => {
  const { context, telemetry, timing } = runtime;
  const receives = Number(record.attributes.ApproximateReceiveCount);
  telemetry.about({ messageId: record.messageId });
  try {
    const disposition = dispositionOf(await work(record.body, signal), context.clock);
    if (disposition.kind === 'acknowledge') return true;
    if (await replacedByCopy(runtime, queue, record, disposition)) return true;
    await hide(runtime, queue, record, disposition.ms);
  } catch (error) {
    const down = error instanceof StoreUnavailableError;
    const outage = timing.outageHideMs[Math.min(receives, timing.outageHideMs.length) - 1] ?? timing.retryMs;
    telemetry.event('error', 'Message:Work:Failed', {
      queue,
      receives,
      error: error instanceof TileonceError ? error.oneLine : String(error),
      ...(error instanceof TileonceError ? {} : { stack: error instanceof Error ? error.stack : undefined }),
    });
    await hide(runtime, queue, record, down ? outage : timing.retryMs);
  }
  return false;
};

/** Where this fails too, the message comes back by its visibility timeout. */
const hide = async (runtime: LambdaRuntime, queue: QueueName, record: SQSRecord, ms: number): Promise<void> => {
  try {
    await runtime.context.queue.hide(queue, record.receiptHandle, ms);
  } catch (error) {
    runtime.telemetry.event('warn', 'Message:Hide:Failed', { queue, error: String(error) });
  }
};
