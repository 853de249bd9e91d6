import type { DeadLetter, QueueName } from './queue.ts';

/** A dead letter that can be named. */
export interface BuriedMessage extends DeadLetter {
  /** Opaque; of this listing only. */
  readonly id: string;
  /** When it was given up (SQS: when it was first sent), ms since the epoch; null where the store does not say. */
  readonly diedAt: number | null;
}

/**
 * The dead letters of all queues, for people to look at and to send back. A message gets here only by the queue's own
 * count of receives; nobody writes here. Every method throws StoreUnavailableError where the store gives no answer.
 */
export interface DeadLetterStore {
  /** How many each queue has (SQS: about). */
  counts(): Promise<Readonly<Record<QueueName, number>>>;
  /** All of them, oldest first where the store keeps an order. */
  list(): Promise<readonly BuriedMessage[]>;
  /**
   * Sends these back to where they died: same body, so same job key and same gates; the receive count starts anew.
   * A letter that is gone since the listing is left out. @returns how many.
   */
  replay(letters: readonly BuriedMessage[], onProgress?: (done: number) => void): Promise<number>;
  /** Sends all of one queue back, by the store's own means where it has any. @returns how many (SQS: about). */
  replayAll(queue: QueueName, onProgress?: (done: number) => void): Promise<number>;
  /** Lets go of what a listing holds, so that others see it at once. */
  putBack(letters: readonly BuriedMessage[]): Promise<void>;
}
