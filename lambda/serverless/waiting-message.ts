import type { SQSRecord } from 'aws-lambda';
import type { QueueName } from '../gates/queue.ts';
import type { LambdaRuntime } from './runtime.ts';

/**
 * A job that was attempted this many times the receives of one message is no longer waited for with fresh copies: two
 * copies of a message that kills its worker would otherwise take turns for ever.
 */
const MOST_ROUNDS = 3;

/** How long a message waits, and how often its job was attempted, the attempt at work included. */
export interface Wait {
  readonly ms: number;
  readonly attempts: number;
}

/**
 * Waiting must not burn a message's receives (docs/design.md, section 4), and SQS takes none back. So a message that
 * waits, and that could fail no more than once after it, is replaced: a copy of the same body is sent, delayed until the
 * lease's end (SQS: 15 minutes at most, the copy then waits once more), and this one is acknowledged once that send is
 * confirmed. One replaces one: a reply that is lost, or a crash in between, leaves one copy too many, never one too few.
 *
 * @returns true where the message was replaced and may be acknowledged; false where it has to be hidden as it is.
 */
export const replacedByCopy = async (
  { context, telemetry, timing }: LambdaRuntime,
  queue: QueueName,
  record: SQSRecord,
  { ms, attempts }: Wait,
): Promise<boolean> => {
  const receives = Number(record.attributes.ApproximateReceiveCount);
  if (receives < timing.maxReceives - 1 || attempts >= MOST_ROUNDS * timing.maxReceives) return false;
  try {
    await context.queue.send(queue, [record.body], { delayMs: ms });
    telemetry.event('info', 'Message:Renew:Done', { queue, receives, attempts });
    return true;
  } catch (error) {
    telemetry.event('warn', 'Message:Renew:Failed', { queue, receives, error: String(error) });
    return false;
  }
};
