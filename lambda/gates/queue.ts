/** One delivery of a message. The same message may be delivered many times, and its twins too. */
export interface Delivery<Body> {
  readonly body: Body;
  /** Handle of this delivery, not of the message. */
  readonly receipt: string;
  /** How often the message was delivered, this time included. */
  readonly receiveCount: number;
}

/** The named queues of the pipeline; each has a dead-letter queue of its own. */
export const QUEUES = ['scenes', 'tiles', 'assemblies'] as const;
export type QueueName = (typeof QUEUES)[number];

export interface DeadLetter {
  readonly queue: QueueName;
  readonly body: string;
  readonly receiveCount: number;
  /** The error of the last attempt, where the engine keeps it. */
  readonly reason: string | null;
}

/** At-least-once delivery with a visibility timeout, a receive count and a dead-letter queue. Bodies are JSON text. */
export interface Queue {
  /** Sends every body, or throws StoreUnavailableError: a body that was not confirmed counts as not sent. */
  send(queue: QueueName, bodies: readonly string[], options?: { delayMs?: number }): Promise<void>;
  /** The next visible message, hidden for `visibilityMs`; null where there is none. */
  receive(queue: QueueName, visibilityMs: number): Promise<Delivery<string> | null>;
  /** Removes the message. A receipt that is no longer the latest changes nothing. */
  acknowledge(queue: QueueName, receipt: string): Promise<void>;
  /** Changes when the message becomes visible again (0: at once). `reason` is kept for the dead-letter queue. */
  hide(queue: QueueName, receipt: string, visibilityMs: number, reason?: string): Promise<void>;
  /**
   * Like `hide`, for a message that only waits (a live foreign lease, an interrupt): does not count this receive where
   * the engine can help it. SQS cannot: whoever waits there near its last receive is replaced by a fresh copy.
   */
  postpone(queue: QueueName, receipt: string, visibilityMs: number): Promise<void>;
}
