import { type DeadLetter, QUEUES, type QueueName } from '../../gates/queue.ts';
import { integer, oneOf, text, textOrNull } from './columns.ts';
import type { Ledger } from './database.ts';

export interface BuriedMessage extends DeadLetter {
  readonly id: number;
  /** When it was given up, ms since the epoch. */
  readonly diedAt: number;
}

/** The dead-letter table of all queues: for people to look at, and to send back once the cause is gone. */
export class DeadLetters {
  readonly #ledger: Ledger;
  readonly #now: () => number;

  constructor(ledger: Ledger, now: () => number) {
    this.#ledger = ledger;
    this.#now = now;
  }

  /** The dead letters of one queue, or of all, oldest first. */
  async list(queue?: QueueName): Promise<BuriedMessage[]> {
    return this.#read(queue ?? null);
  }

  /**
   * Sends dead letters (of one queue, or all) back to where they died: same body, so same job key and same gates; the
   * receive count starts anew. @returns how many.
   */
  async replay(queue?: QueueName): Promise<number> {
    return this.#ledger.transaction(() => {
      const replayed = this.#ledger.run(
        `INSERT INTO messages (queue, body, fingerprint, visible_at)
         SELECT queue, body, fingerprint, ?2 FROM dead_letters WHERE ?1 IS NULL OR queue = ?1 ORDER BY id`,
        [queue ?? null, this.#now()],
      );
      this.#ledger.run('DELETE FROM dead_letters WHERE ?1 IS NULL OR queue = ?1', [queue ?? null]);
      return replayed;
    });
  }

  /** Forgets the dead letters that `which` picks, because their work is sent anew by other means. @returns how many. */
  async drop(which: (dead: BuriedMessage) => boolean): Promise<number> {
    return this.#ledger.transaction(() => {
      const dropped = this.#read(null).filter(which);
      for (const { id } of dropped) this.#ledger.run('DELETE FROM dead_letters WHERE id = ?', [id]);
      return dropped.length;
    });
  }

  #read(queue: QueueName | null): BuriedMessage[] {
    return this.#ledger
      .all('SELECT * FROM dead_letters WHERE ?1 IS NULL OR queue = ?1 ORDER BY id', [queue])
      .map((row) => ({
        id: integer(row, 'id'),
        queue: oneOf(row, 'queue', QUEUES),
        body: text(row, 'body'),
        receiveCount: integer(row, 'receive_count'),
        reason: textOrNull(row, 'reason'),
        diedAt: integer(row, 'died_at'),
      }));
  }
}
