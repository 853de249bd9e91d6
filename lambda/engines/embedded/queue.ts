import type { Delivery, Queue, QueueName } from '../../gates/queue.ts';
import { sha256Hex } from '../../identity/sha256.ts';
import { integer, integerOrNull, text, textOrNull } from './columns.ts';
import type { Ledger, LedgerRow } from './database.ts';
import { LOOK_AHEAD, middleOfLongestRun } from './message-order.ts';

export interface EmbeddedQueueOptions {
  /** ms since the epoch. */
  readonly now: () => number;
  /** A message that was received this often and comes up once more goes to the dead letters instead. */
  readonly maxReceives: number;
  /** Noted on each message received here, so that what a dead process held is known. */
  readonly processId: string;
}

export interface QueueDepth {
  /** Messages that a receive would deliver now. */
  readonly visible: number;
  /** Messages at work, waiting or delayed. */
  readonly hidden: number;
  /** When the next hidden message becomes visible, ms since the epoch; null where none is hidden. */
  readonly nextVisibleAt: number | null;
}

/** Processes that die with one message alone at work before it is given up, and why it then is: it could say nothing itself. */
const MOST_LONE_DEATHS = 3;
const DEADLY =
  `its process died ${MOST_LONE_DEATHS} times while nothing else was at work: out of memory, or a crash; ` +
  'run the scene again on a machine with more memory, or with smaller windows';

/**
 * The queues in the ledger. A receiver gets messages in the order they were sent, several receivers a stretch each, so that
 * windows are done row by row and find the source blocks that their neighbours have decoded.
 *
 * A body that was sent already and not yet received stands for the new one too (the sooner of the two times holds): a
 * run that sends again what an interrupted one had sent does not double the queue. A body that is at work never does:
 * its receiver may have looked before the second one was sent.
 *
 * A message that was at work when a process died is a suspect: it may have been what killed it (out of memory, say), or
 * have stood beside. Suspects are delivered before all others and one at a time, with nothing else at work, so that a
 * further death tells. One that was alone at work in three dead processes goes to the dead letters when it comes up once more;
 * one that its process outlives is like any other again.
 */
export class EmbeddedQueue implements Queue {
  readonly #ledger: Ledger;
  readonly #options: EmbeddedQueueOptions;
  /** One more than the message received last. */
  readonly #afterLast = new Map<QueueName, number>();

  constructor(ledger: Ledger, options: EmbeddedQueueOptions) {
    this.#ledger = ledger;
    this.#options = options;
  }

  /** All bodies in one transaction: all of them or none. */
  async send(queue: QueueName, bodies: readonly string[], options: { delayMs?: number } = {}): Promise<void> {
    const visibleAt = this.#options.now() + (options.delayMs ?? 0);
    this.#ledger.transaction(() => {
      for (const body of bodies) {
        const fingerprint = sha256Hex(body);
        const pending = this.#ledger.run(
          `UPDATE messages SET visible_at = min(visible_at, ?)
           WHERE queue = ? AND fingerprint = ? AND receive_count = 0 AND held = 0`,
          [visibleAt, queue, fingerprint],
        );
        if (pending > 0) continue;
        this.#ledger.run('INSERT INTO messages (queue, body, fingerprint, visible_at) VALUES (?, ?, ?, ?)', [
          queue,
          body,
          fingerprint,
          visibleAt,
        ]);
      }
    });
  }

  async receive(queue: QueueName, visibilityMs: number): Promise<Delivery<string> | null> {
    const { now, maxReceives, processId } = this.#options;
    const at = now();
    // Idle workers ask all the time: without this look each would take the write lock to find nothing.
    if (this.#first(queue, at) === undefined) return null;
    return this.#ledger.transaction(() => {
      for (;;) {
        const message = this.#next(queue, at);
        if (message === undefined) return null;
        const deadly = integer(message, 'lone_deaths') >= MOST_LONE_DEATHS;
        if (deadly || integer(message, 'receive_count') >= maxReceives) {
          this.#bury(message, deadly ? DEADLY : textOrNull(message, 'reason'), at);
          continue;
        }
        const id = integer(message, 'id');
        this.#afterLast.set(queue, id + 1);
        this.#ledger.run(
          `UPDATE messages SET visible_at = ?, receive_count = receive_count + 1, deliveries = deliveries + 1,
             holder = ?, held = 1 WHERE id = ?`,
          [at + visibilityMs, processId, id],
        );
        return {
          body: text(message, 'body'),
          receipt: `${id}.${integer(message, 'deliveries') + 1}`,
          receiveCount: integer(message, 'receive_count') + 1,
        };
      }
    });
  }

  async acknowledge(queue: QueueName, receipt: string): Promise<void> {
    const [id, delivery] = partsOf(receipt);
    this.#ledger.run('DELETE FROM messages WHERE id = ? AND queue = ? AND deliveries = ?', [id, queue, delivery]);
  }

  /** With a `reason` the receive is over and counts even if this process dies; without one it is still held. */
  async hide(queue: QueueName, receipt: string, visibilityMs: number, reason?: string): Promise<void> {
    const [id, delivery] = partsOf(receipt);
    this.#ledger.run(
      `UPDATE messages SET visible_at = ?1, held = iif(?2 IS NULL, held, 0), reason = coalesce(?2, reason),
         deaths = iif(?2 IS NULL, deaths, 0), lone_deaths = iif(?2 IS NULL, lone_deaths, 0)
       WHERE id = ?3 AND queue = ?4 AND deliveries = ?5`,
      [this.#options.now() + visibilityMs, reason ?? null, id, queue, delivery],
    );
  }

  /** Gives a message up at once: it goes to the dead letters for `reason`. A later delivery's message is left alone. */
  async giveUp(queue: QueueName, receipt: string, reason: string): Promise<void> {
    const [id, delivery] = partsOf(receipt);
    this.#ledger.transaction(() => {
      const message = this.#ledger.get('SELECT * FROM messages WHERE id = ? AND queue = ? AND deliveries = ?', [
        id,
        queue,
        delivery,
      ]);
      if (message !== undefined) this.#bury(message, reason, this.#options.now());
    });
  }

  /** Takes the receive off the count, once per delivery. */
  async postpone(queue: QueueName, receipt: string, visibilityMs: number): Promise<void> {
    const [id, delivery] = partsOf(receipt);
    this.#ledger.run(
      `UPDATE messages SET visible_at = ?, receive_count = receive_count - held, held = 0
       WHERE id = ? AND queue = ? AND deliveries = ?`,
      [this.#options.now() + visibilityMs, id, queue, delivery],
    );
  }

  async depth(queue: QueueName): Promise<QueueDepth> {
    const now = this.#options.now();
    const row = this.#ledger.get(
      `SELECT count(*) FILTER (WHERE visible_at <= ?) AS visible, count(*) FILTER (WHERE visible_at > ?) AS hidden,
         min(visible_at) FILTER (WHERE visible_at > ?) AS next FROM messages WHERE queue = ?`,
      [now, now, now, queue],
    );
    if (row === undefined) return { visible: 0, hidden: 0, nextVisibleAt: null };
    return {
      visible: integer(row, 'visible'),
      hidden: integer(row, 'hidden'),
      nextVisibleAt: integerOrNull(row, 'next'),
    };
  }

  #first(queue: QueueName, at: number): LedgerRow | undefined {
    return this.#ledger.get('SELECT * FROM messages WHERE queue = ? AND visible_at <= ? ORDER BY id LIMIT 1', [
      queue,
      at,
    ]);
  }

  /** The message after this receiver's last one, unless that would leave the oldest too far behind. */
  #neighbour(queue: QueueName, at: number): LedgerRow | undefined {
    const oldest = this.#first(queue, at);
    if (oldest === undefined) return undefined;
    const visible = 'SELECT * FROM messages WHERE queue = ?1 AND visible_at <= ?2 AND id >= ?3 AND id < ?4 ORDER BY id';
    const end = integer(oldest, 'id') + LOOK_AHEAD;
    const next = this.#ledger.get(`${visible} LIMIT 1`, [queue, at, this.#afterLast.get(queue) ?? end, end]);
    if (next !== undefined) return next;
    const busy = this.#ledger.get('SELECT id FROM messages WHERE queue = ?1 AND held = 1 AND visible_at > ?2 LIMIT 1', [
      queue,
      at,
    ]);
    if (busy === undefined) return oldest;
    const rows = this.#ledger.all(visible, [queue, at, 0, end]);
    const chosen = middleOfLongestRun(rows.map((row) => integer(row, 'id')));
    return rows.find((row) => row['id'] === chosen) ?? oldest;
  }

  /** What may be delivered now: a suspect only with nothing else at work, and nothing else while a suspect is. */
  #next(queue: QueueName, at: number): LedgerRow | undefined {
    const suspects = this.#ledger.all('SELECT * FROM messages WHERE deaths > 0 ORDER BY lone_deaths, id');
    if (suspects.length === 0) return this.#neighbour(queue, at);
    const atWork = (message: LedgerRow): boolean => message['held'] === 1 && integer(message, 'visible_at') > at;
    if (suspects.some(atWork)) return undefined;
    const suspect = suspects.find((message) => message['queue'] === queue && integer(message, 'visible_at') <= at);
    if (suspect === undefined) return this.#neighbour(queue, at);
    const busy = this.#ledger.get('SELECT id FROM messages WHERE held = 1 AND visible_at > ? LIMIT 1', [at]);
    return busy === undefined ? suspect : undefined;
  }

  #bury(message: LedgerRow, reason: string | null, at: number): void {
    this.#ledger.run(
      `INSERT INTO dead_letters (queue, body, fingerprint, receive_count, reason, died_at) VALUES (?, ?, ?, ?, ?, ?)`,
      [
        text(message, 'queue'),
        text(message, 'body'),
        text(message, 'fingerprint'),
        integer(message, 'receive_count'),
        reason,
        at,
      ],
    );
    this.#ledger.run('DELETE FROM messages WHERE id = ?', [integer(message, 'id')]);
  }
}

/** A receipt is `message.delivery`; anything else names no delivery. */
const partsOf = (receipt: string): [id: number, delivery: number] => {
  const [, id, delivery] = /^(\d{1,15})\.(\d{1,15})$/.exec(receipt) ?? [];
  return [Number(id ?? -1), Number(delivery ?? -1)];
};
