import type { BuriedMessage, DeadLetterStore } from '../../gates/dead-letters.ts';
import { QUEUES, type QueueName } from '../../gates/queue.ts';
import { integer, oneOf, text, textOrNull } from './columns.ts';
import type { Ledger } from './database.ts';

/** The dead-letter table of all queues: for people to look at, and to send back once the cause is gone. */
export class DeadLetters implements DeadLetterStore {
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

  async counts(): Promise<Record<QueueName, number>> {
    const counts = { scenes: 0, tiles: 0, assemblies: 0 };
    for (const { queue } of this.#read(null)) counts[queue] += 1;
    return counts;
  }

  /** In one transaction: all of these or none. */
  async replay(letters: readonly BuriedMessage[], onProgress?: (done: number) => void): Promise<number> {
    const replayed = this.#ledger.transaction(() => {
      let sent = 0;
      for (const { id } of letters) {
        sent += this.#ledger.run(
          `INSERT INTO messages (queue, body, fingerprint, visible_at)
           SELECT queue, body, fingerprint, ? FROM dead_letters WHERE id = ?`,
          [this.#now(), Number(id)],
        );
        this.#ledger.run('DELETE FROM dead_letters WHERE id = ?', [Number(id)]);
      }
      return sent;
    });
    onProgress?.(replayed);
    return replayed;
  }

  async replayAll(queue: QueueName, onProgress?: (done: number) => void): Promise<number> {
    return this.replay(this.#read(queue), onProgress);
  }

  async putBack(): Promise<void> {
    // A listing holds nothing here.
  }

  /** Forgets the dead letters that `which` picks, because their work is sent anew by other means. @returns how many. */
  async drop(which: (dead: BuriedMessage) => boolean): Promise<number> {
    return this.#ledger.transaction(() => {
      const dropped = this.#read(null).filter(which);
      for (const { id } of dropped) this.#ledger.run('DELETE FROM dead_letters WHERE id = ?', [Number(id)]);
      return dropped.length;
    });
  }

  #read(queue: QueueName | null): BuriedMessage[] {
    return this.#ledger
      .all('SELECT * FROM dead_letters WHERE ?1 IS NULL OR queue = ?1 ORDER BY id', [queue])
      .map((row) => ({
        id: String(integer(row, 'id')),
        queue: oneOf(row, 'queue', QUEUES),
        body: text(row, 'body'),
        receiveCount: integer(row, 'receive_count'),
        reason: textOrNull(row, 'reason'),
        diedAt: integer(row, 'died_at'),
      }));
  }
}
