import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  ReceiveMessageCommand,
  type SQSClient,
  SendMessageCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import type { Clock } from '../../clock.ts';
import type { BuriedMessage, DeadLetterStore } from '../../gates/dead-letters.ts';
import { QUEUES, type QueueName } from '../../gates/queue.ts';
import { eachOf } from './each-of.ts';
import { failureOf, onStore } from './errors.ts';

export interface SqsDeadLettersParts {
  readonly client: Pick<SQSClient, 'send'>;
  readonly urls: Readonly<Record<QueueName, string>>;
  readonly deadLetterUrls: Readonly<Record<QueueName, string>>;
  /** Uploads that EventBridge could not deliver: its own dead letters, sent to the scene queue by a replay. */
  readonly undeliveredUrl?: string | undefined;
  readonly clock: Clock;
}

/** How long a listing holds the letters that it shows, s. */
const HOLD_SECONDS = 120;
const CONCURRENCY = 8;
/** How often a move task is asked how far it is, ms. */
const WATCH_MS = 2_000;
/** A queue is empty after so many receives in a row that brought nothing: one may miss messages. */
const EMPTY_RECEIVES = 2;

interface Held {
  readonly from: string;
  readonly to: string;
  readonly receipt: string;
}

/**
 * The dead-letter queues in SQS. To be seen, a letter is received and so held for two minutes; to be sent back, it is
 * sent to the work queue first and deleted then, so that a crash in between leaves it twice and never loses it: its
 * job's claim absorbs the second one. SQS keeps no reason: the job's claim does.
 */
export class SqsDeadLetters implements DeadLetterStore {
  readonly #parts: SqsDeadLettersParts;
  readonly #held = new Map<string, Held>();

  constructor(parts: SqsDeadLettersParts) {
    this.#parts = parts;
  }

  async counts(): Promise<Readonly<Record<QueueName, number>>> {
    const counts = { scenes: 0, tiles: 0, assemblies: 0 };
    for (const { queue, url } of this.#places()) counts[queue] += await this.#count(url);
    return counts;
  }

  async list(): Promise<readonly BuriedMessage[]> {
    const letters: BuriedMessage[] = [];
    for (const { queue, url } of this.#places()) letters.push(...(await this.#receiveAll(queue, url)));
    return letters;
  }

  async replay(letters: readonly BuriedMessage[], onProgress?: (done: number) => void): Promise<number> {
    const { client } = this.#parts;
    let done = 0;
    await eachOf(letters, CONCURRENCY, async ({ id, body }) => {
      const held = this.#held.get(id);
      if (held === undefined) return;
      await onStore('a dead letter could not be sent back', async () => {
        await client.send(new SendMessageCommand({ QueueUrl: held.to, MessageBody: body }));
        await client.send(new DeleteMessageCommand({ QueueUrl: held.from, ReceiptHandle: held.receipt }));
      });
      this.#held.delete(id);
      done += 1;
      onProgress?.(done);
    });
    return done;
  }

  async replayAll(queue: QueueName, onProgress?: (done: number) => void): Promise<number> {
    const { deadLetterUrls, undeliveredUrl } = this.#parts;
    // Not asked first how many there are: SQS's count lags behind.
    const moved = await this.#move(deadLetterUrls[queue], onProgress);
    const copied = moved ?? (await this.replay(await this.#receiveAll(queue, deadLetterUrls[queue]), onProgress));
    // No move task takes from a queue whose letters no queue sent there.
    if (queue !== 'scenes' || undeliveredUrl === undefined) return copied;
    return copied + (await this.replay(await this.#receiveAll(queue, undeliveredUrl), onProgress));
  }

  async putBack(letters: readonly BuriedMessage[]): Promise<void> {
    await eachOf(letters, CONCURRENCY, async ({ id }) => {
      const held = this.#held.get(id);
      if (held === undefined) return;
      this.#held.delete(id);
      await onStore('a dead letter could not be put back', () =>
        this.#parts.client.send(
          new ChangeMessageVisibilityCommand({
            QueueUrl: held.from,
            ReceiptHandle: held.receipt,
            VisibilityTimeout: 0,
          }),
        ),
      );
    });
  }

  #places(): { queue: QueueName; url: string }[] {
    const { deadLetterUrls, undeliveredUrl } = this.#parts;
    const places = QUEUES.map((queue) => ({ queue, url: deadLetterUrls[queue] }));
    return undeliveredUrl === undefined ? places : [...places, { queue: 'scenes', url: undeliveredUrl }];
  }

  /** Moves all of one queue by a task of SQS's own. @returns how many; null where there is no such thing. */
  async #move(url: string, onProgress?: (done: number) => void): Promise<number | null> {
    const { client, clock } = this.#parts;
    const arn = (await this.#attributes(url, 'QueueArn'))['QueueArn'] ?? '';
    try {
      await client.send(new StartMessageMoveTaskCommand({ SourceArn: arn }));
    } catch (error) {
      if (hasNoMoveTasks(error)) return null;
      return onStore(`the dead letters of ${url} could not be moved`, () => Promise.reject(error));
    }
    for (;;) {
      const { Results: tasks = [] } = await onStore('the move of dead letters could not be watched', () =>
        client.send(new ListMessageMoveTasksCommand({ SourceArn: arn, MaxResults: 1 })),
      );
      const [task] = tasks;
      const moved = task?.ApproximateNumberOfMessagesMoved ?? 0;
      onProgress?.(moved);
      if (task?.Status !== 'RUNNING') return moved;
      await clock.sleep(WATCH_MS);
    }
  }

  async #receiveAll(queue: QueueName, url: string): Promise<BuriedMessage[]> {
    const letters: BuriedMessage[] = [];
    for (let empty = 0; empty < EMPTY_RECEIVES;) {
      const { Messages: messages = [] } = await onStore(
        `the dead letters of the queue ${queue} could not be read`,
        () =>
          this.#parts.client.send(
            new ReceiveMessageCommand({
              QueueUrl: url,
              MaxNumberOfMessages: 10,
              VisibilityTimeout: HOLD_SECONDS,
              WaitTimeSeconds: 0,
              MessageSystemAttributeNames: ['ApproximateReceiveCount', 'SentTimestamp'],
            }),
          ),
      );
      empty = messages.length === 0 ? empty + 1 : 0;
      for (const { MessageId: id, Body: body, ReceiptHandle: receipt, Attributes: told } of messages) {
        if (id === undefined || body === undefined || receipt === undefined) continue;
        this.#held.set(id, { from: url, to: this.#parts.urls[queue], receipt });
        letters.push({
          id,
          queue,
          body,
          // Being looked at is counted too; the receives that it died of are in there.
          receiveCount: Number(told?.ApproximateReceiveCount ?? 1) - 1,
          reason: null,
          diedAt: told?.SentTimestamp === undefined ? null : Number(told.SentTimestamp),
        });
      }
    }
    return letters;
  }

  async #count(url: string): Promise<number> {
    const told = await this.#attributes(url, 'ApproximateNumberOfMessages');
    return Number(told['ApproximateNumberOfMessages'] ?? 0);
  }

  async #attributes(
    url: string,
    name: 'QueueArn' | 'ApproximateNumberOfMessages',
  ): Promise<Readonly<Record<string, string>>> {
    const { Attributes: told = {} } = await onStore(`the queue ${url} could not be looked at`, () =>
      this.#parts.client.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [name] })),
    );
    return told;
  }
}

/** Stores that speak SQS without move tasks say so in several ways. */
const hasNoMoveTasks = (error: unknown): boolean =>
  /UnsupportedOperation|InvalidAction|UnknownOperation|NotImplemented|UnknownAction/i.test(failureOf(error).name);
