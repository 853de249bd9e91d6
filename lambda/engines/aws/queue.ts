import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type SQSClient,
  SendMessageBatchCommand,
} from '@aws-sdk/client-sqs';
import type { Clock } from '../../clock.ts';
import { StoreUnavailableError, TileonceError } from '../../errors.ts';
import type { Delivery, Queue, QueueName } from '../../gates/queue.ts';
import { eachOf } from './each-of.ts';
import { failureOf, onStore } from './errors.ts';
import { type BatchEntry, MOST_BATCH_BYTES, batchesOf } from './message-batches.ts';

export interface SqsQueueParts {
  readonly client: Pick<SQSClient, 'send'>;
  readonly urls: Readonly<Record<QueueName, string>>;
  readonly clock: Clock;
  /** How long a receive waits for a message, s (0 to 20). */
  readonly waitSeconds?: number;
}

/** Batches under way at once. */
const CONCURRENCY = 8;
/** How often entries that SQS refused are sent, and the first pause, ms (doubling, with jitter). */
const MOST_SENDS = 6;
const SEND_PAUSE_MS = 100;
/** The most that SQS delays a message, s. */
const MOST_DELAY_SECONDS = 900;
/** SQS hides a message for 12 h in all, counted from its receive; whoever hides has held it for up to 16 min by then. */
export const MOST_HIDE_SECONDS = 12 * 3600 - 960;

/** SQS counts whole seconds; rounded up, so that whatever is waited for has happened. */
const seconds = (ms: number, most: number): number => Math.max(0, Math.min(most, Math.ceil(ms / 1000)));

/** The pipeline's queues in SQS; receive counts and dead-letter queues are SQS's own. */
export class SqsQueue implements Queue {
  readonly #parts: SqsQueueParts;

  constructor(parts: SqsQueueParts) {
    this.#parts = parts;
  }

  async send(queue: QueueName, bodies: readonly string[], options: { delayMs?: number } = {}): Promise<void> {
    for (const body of bodies) refuseLarge(queue, body);
    const delay = options.delayMs === undefined ? undefined : seconds(options.delayMs, MOST_DELAY_SECONDS);
    await eachOf(batchesOf(bodies), CONCURRENCY, (batch) => this.#sendBatch(queue, batch, delay));
  }

  async receive(queue: QueueName, visibilityMs: number): Promise<Delivery<string> | null> {
    const { Messages: messages = [] } = await onStore(`the queue ${queue} could not be read`, () =>
      this.#parts.client.send(
        new ReceiveMessageCommand({
          QueueUrl: this.#parts.urls[queue],
          MaxNumberOfMessages: 1,
          VisibilityTimeout: seconds(visibilityMs, MOST_HIDE_SECONDS),
          WaitTimeSeconds: this.#parts.waitSeconds ?? 1,
          MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        }),
      ),
    );
    const [message] = messages;
    if (message?.Body === undefined || message.ReceiptHandle === undefined) return null;
    return {
      body: message.Body,
      receipt: message.ReceiptHandle,
      receiveCount: Number(message.Attributes?.ApproximateReceiveCount ?? 1),
    };
  }

  async acknowledge(queue: QueueName, receipt: string): Promise<void> {
    await this.#withReceipt(`a message of the queue ${queue} could not be acknowledged`, () =>
      this.#parts.client.send(new DeleteMessageCommand({ QueueUrl: this.#parts.urls[queue], ReceiptHandle: receipt })),
    );
  }

  /** SQS has no place for a reason: it stands on the job's claim, and in the log. */
  async hide(queue: QueueName, receipt: string, visibilityMs: number): Promise<void> {
    await this.#withReceipt(`a message of the queue ${queue} could not be hidden`, () =>
      this.#parts.client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: this.#parts.urls[queue],
          ReceiptHandle: receipt,
          VisibilityTimeout: seconds(visibilityMs, MOST_HIDE_SECONDS),
        }),
      ),
    );
  }

  async postpone(queue: QueueName, receipt: string, visibilityMs: number): Promise<void> {
    await this.hide(queue, receipt, visibilityMs);
  }

  /** Sends a batch until every entry is confirmed; only those that SQS refused are sent again. */
  async #sendBatch(queue: QueueName, batch: readonly BatchEntry[], delay: number | undefined): Promise<void> {
    const { client, urls, clock } = this.#parts;
    let open = batch;
    let reason = '';
    for (let sends = 0; sends < MOST_SENDS; sends++) {
      if (sends > 0) await clock.sleep(SEND_PAUSE_MS * 2 ** (sends - 1) * (0.5 + clock.random()));
      const entries = open.map(({ id, body }) => ({
        Id: id,
        MessageBody: body,
        ...(delay === undefined ? {} : { DelaySeconds: delay }),
      }));
      const { Successful: confirmed = [], Failed: failed = [] } = await onStore(
        `the queue ${queue} could not be written`,
        () => client.send(new SendMessageBatchCommand({ QueueUrl: urls[queue], Entries: entries })),
      );
      const done = new Set(confirmed.map(({ Id: id }) => id));
      open = open.filter(({ id }) => !done.has(id));
      if (open.length === 0) return;
      reason = failed.map(({ Code: code, Message: message }) => message ?? code)[0] ?? 'without a reason';
      if (failed.some(({ SenderFault: ours }) => ours === true)) break;
    }
    throw new StoreUnavailableError(`${open.length} messages to the queue ${queue} were refused: ${reason}`, {
      remedy: 'they are sent when the message that asked for them comes back',
    });
  }

  async #withReceipt(what: string, call: () => Promise<unknown>): Promise<void> {
    await onStore(what, async () => {
      try {
        await call();
      } catch (error) {
        // The message was received again since, or is gone: this delivery has no say any more.
        if (!isStaleReceipt(error)) throw error;
      }
    });
  }
}

const isStaleReceipt = (error: unknown): boolean => {
  const { name } = failureOf(error);
  if (/MessageNotInflight|ReceiptHandleIsInvalid/.test(name)) return true;
  return (
    /InvalidParameterValue/.test(name) &&
    error instanceof Error &&
    /receipt ?handle|does not exist/i.test(error.message)
  );
};

const refuseLarge = (queue: QueueName, body: string): void => {
  const bytes = Buffer.byteLength(body);
  if (bytes <= MOST_BATCH_BYTES) return;
  throw new TileonceError(`a message to the queue ${queue} is ${bytes} bytes long, SQS takes ${MOST_BATCH_BYTES}`, {
    remedy: 'use fewer bands or shorter expressions: every window message carries its plan',
  });
};
