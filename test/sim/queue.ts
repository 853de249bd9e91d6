import type { Delivery, Queue, QueueName } from '../../lambda/gates/queue.ts';
import type { Chaos } from './chaos.ts';
import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';

export interface QueuedMessage {
  readonly id: number;
  readonly queue: QueueName;
  readonly body: string;
  visibleAt: number;
  receives: number;
  /** Receives, of these, that only waited and could have been spared. */
  waits: number;
}

export interface SimQueueTiming {
  readonly visibilityMs: number;
  readonly maxReceives: number;
  /** Every message to the scene queue is delayed by this. */
  readonly settleMs: number;
}

/** The most that SQS delays a message, ms. */
const MOST_DELAY_MS = 900_000;

/**
 * Queues that behave as SQS's standard ones: at least once, in any order, a visibility timeout, a receive count that
 * nothing takes back, and a dead-letter queue behind each.
 */
export class SimQueue implements Queue {
  messages: QueuedMessage[] = [];
  deadLetters: QueuedMessage[] = [];
  /** Called with every time at which a message of a queue becomes visible. */
  onVisible: (queue: QueueName, at: number) => void = () => undefined;
  /** Called with every message that goes to the dead letters. */
  onDeadLetter: (message: QueuedMessage) => void = () => undefined;
  readonly #timing: SimQueueTiming;
  readonly #around: { readonly timeline: Timeline; readonly random: Random; readonly chaos: Chaos };
  #ids = 0;

  constructor(timing: SimQueueTiming, around: { timeline: Timeline; random: Random; chaos: Chaos }) {
    this.#timing = timing;
    this.#around = around;
  }

  send(queue: QueueName, bodies: readonly string[], options: { delayMs?: number } = {}): Promise<void> {
    const { timeline, random, chaos } = this.#around;
    for (const body of bodies) {
      const late = chaos.strikes('delivered late', timeline.now) ? random.logBetween(60_000, 3 * 3_600_000) : 0;
      // A message's own delay stands in the queue's stead.
      const own = options.delayMs === undefined ? undefined : Math.min(options.delayMs, MOST_DELAY_MS);
      const delay = (own ?? (queue === 'scenes' ? this.#timing.settleMs : 0)) + late;
      const message = { id: ++this.#ids, queue, body, visibleAt: 0, receives: 0, waits: 0 };
      this.messages.push(message);
      this.#showAt(message, timeline.now + delay);
    }
    return Promise.resolve();
  }

  /** True where there is no message, visible or hidden. */
  get isEmpty(): boolean {
    return this.messages.length === 0;
  }

  receive(queue: QueueName): Promise<Delivery<string> | null> {
    return Promise.resolve(this.take(queue));
  }

  /** Takes any visible message of the queue. */
  take(queue: QueueName): Delivery<string> | null {
    const { timeline, random, chaos } = this.#around;
    const { now } = timeline;
    for (;;) {
      const visible = this.messages.filter((message) => message.queue === queue && message.visibleAt <= now);
      if (visible.length === 0) return null;
      const message = random.pick(visible);
      if (message !== visible[0]) chaos.struck('delivered out of order');
      if (message.receives >= this.#timing.maxReceives) {
        this.deadLetters.push(message);
        this.onDeadLetter(message);
        this.messages = this.messages.filter((known) => known !== message);
        continue;
      }
      message.receives++;
      const twice = chaos.strikes('delivered twice', now);
      this.#showAt(message, now + (twice ? random.between(0, 30_000) : this.#timing.visibilityMs));
      return { body: message.body, receipt: receiptOf(message), receiveCount: message.receives };
    }
  }

  acknowledge(queue: QueueName, receipt: string): Promise<void> {
    const message = this.#holding(queue, receipt);
    if (!this.#around.chaos.strikes('acknowledgement lost', this.#around.timeline.now)) {
      this.messages = this.messages.filter((known) => known !== message);
    }
    return Promise.resolve();
  }

  hide(queue: QueueName, receipt: string, visibilityMs: number): Promise<void> {
    const message = this.#holding(queue, receipt);
    if (message !== undefined) this.#showAt(message, this.#around.timeline.now + visibilityMs);
    return Promise.resolve();
  }

  /** SQS cannot take a receive back. */
  postpone(queue: QueueName, receipt: string, visibilityMs: number): Promise<void> {
    return this.hide(queue, receipt, visibilityMs);
  }

  /** Notes that a receive only waited. */
  waited(queue: QueueName, receipt: string): void {
    const message = this.#holding(queue, receipt);
    if (message !== undefined) message.waits++;
  }

  /** What the console's replay does: every dead letter goes back to its queue as it is, its receives forgotten. */
  redrive(): number {
    const letters = this.deadLetters;
    this.deadLetters = [];
    for (const letter of letters) {
      letter.receives = 0;
      letter.waits = 0;
      this.messages.push(letter);
      this.#showAt(letter, this.#around.timeline.now);
    }
    return letters.length;
  }

  #showAt(message: QueuedMessage, at: number): void {
    message.visibleAt = at;
    this.onVisible(message.queue, at);
  }

  #holding(queue: QueueName, receipt: string): QueuedMessage | undefined {
    return this.messages.find((message) => message.queue === queue && receiptOf(message) === receipt);
  }
}

const receiptOf = (message: QueuedMessage): string => `${message.id}.${message.receives}`;
