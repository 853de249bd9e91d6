import type { DeadLetter, Delivery, Queue, QueueName } from '../../../lambda/gates/queue.ts';
import type { Faults } from './faults.ts';

export interface MemoryMessage {
  readonly id: number;
  readonly queue: QueueName;
  readonly body: string;
  visibleAt: number;
  receiveCount: number;
  deliveries: number;
  /** True while the last delivery still counts. */
  counted: boolean;
  reason: string | null;
}

export interface MemoryQueueOptions {
  readonly now: () => number;
  readonly maxReceives: number;
}

/** The queues in memory, first in, first out. Never coalesces: each send is a message. */
export class MemoryQueue implements Queue {
  messages: MemoryMessage[] = [];
  readonly deadLetters: DeadLetter[] = [];
  protected readonly options: MemoryQueueOptions;
  readonly #faults: Faults;
  #ids = 0;

  constructor(faults: Faults, options: MemoryQueueOptions) {
    this.#faults = faults;
    this.options = options;
  }

  send(queue: QueueName, bodies: readonly string[], options: { delayMs?: number } = {}): Promise<void> {
    return this.carry('send', queue, () => {
      for (const body of bodies) {
        this.#ids += 1;
        const visibleAt = this.options.now() + (options.delayMs ?? 0);
        const fresh = { receiveCount: 0, deliveries: 0, counted: false, reason: null };
        this.messages.push({ id: this.#ids, queue, body, visibleAt, ...fresh });
      }
    });
  }

  receive(queue: QueueName, visibilityMs: number): Promise<Delivery<string> | null> {
    return this.carry('receive', queue, () => {
      const now = this.options.now();
      for (;;) {
        const message = this.messages.find((known) => known.queue === queue && known.visibleAt <= now);
        if (message === undefined) return null;
        if (!this.isSpent(message)) return deliver(message, now + visibilityMs);
        const { body, receiveCount, reason } = message;
        this.deadLetters.push({ queue, body, receiveCount, reason });
        this.messages = this.messages.filter((known) => known !== message);
      }
    });
  }

  acknowledge(queue: QueueName, receipt: string): Promise<void> {
    return this.carry('acknowledge', queue, () => {
      const message = this.holding(queue, receipt);
      this.messages = this.messages.filter((known) => known !== message);
    });
  }

  hide(queue: QueueName, receipt: string, visibilityMs: number, reason?: string): Promise<void> {
    return this.carry('hide', queue, () => {
      const message = this.holding(queue, receipt);
      if (message === undefined) return;
      message.visibleAt = this.options.now() + visibilityMs;
      message.reason = reason ?? message.reason;
    });
  }

  postpone(queue: QueueName, receipt: string, visibilityMs: number): Promise<void> {
    return this.carry('postpone', queue, () => {
      const message = this.holding(queue, receipt);
      if (message === undefined) return;
      message.visibleAt = this.options.now() + visibilityMs;
      if (message.counted) message.receiveCount -= 1;
      message.counted = false;
    });
  }

  protected isSpent(message: MemoryMessage): boolean {
    return message.receiveCount >= this.options.maxReceives;
  }

  /** The message whose latest delivery the receipt is. */
  protected holding(queue: QueueName, receipt: string): MemoryMessage | undefined {
    return this.messages.find((message) => message.queue === queue && receiptOf(message) === receipt);
  }

  protected carry<T>(method: string, queue: QueueName, effect: () => T): Promise<T> {
    return this.#faults.carry({ store: 'queue', method, key: queue }, effect);
  }
}

const receiptOf = (message: MemoryMessage): string => `${message.id}.${message.deliveries}`;

const deliver = (message: MemoryMessage, visibleAt: number): Delivery<string> => {
  message.visibleAt = visibleAt;
  message.receiveCount += 1;
  message.deliveries += 1;
  message.counted = true;
  return { body: message.body, receipt: receiptOf(message), receiveCount: message.receiveCount };
};
