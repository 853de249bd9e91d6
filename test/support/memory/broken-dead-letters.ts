import type { BuriedMessage } from '../../../lambda/gates/dead-letters.ts';
import { QUEUES } from '../../../lambda/gates/queue.ts';
import { MemoryDeadLetters } from './dead-letters.ts';
import type { MemoryQueue } from './queue.ts';

/** Sends back whatever it is handed, also what it has sent back already. */
export class ReplaysAgain extends MemoryDeadLetters {
  readonly #sentTo: MemoryQueue;

  constructor(queue: MemoryQueue) {
    super(queue);
    this.#sentTo = queue;
  }

  override async replay(letters: readonly BuriedMessage[]): Promise<number> {
    const done = await super.replay(letters);
    if (done === 0) for (const { queue, body } of letters) await this.#sentTo.send(queue, [body]);
    return letters.length;
  }
}

/** Sends every queue's letters back, whichever was asked for. */
export class ReplaysEveryQueue extends MemoryDeadLetters {
  override async replayAll(): Promise<number> {
    let done = 0;
    for (const queue of QUEUES) done += await super.replayAll(queue);
    return done;
  }
}

/** Takes what it shows, as a receive without a return does. */
export class ListsOnce extends MemoryDeadLetters {
  readonly #taken: MemoryQueue;

  constructor(queue: MemoryQueue) {
    super(queue);
    this.#taken = queue;
  }

  override async list(): Promise<BuriedMessage[]> {
    const letters = await super.list();
    this.#taken.deadLetters.splice(0);
    return letters;
  }
}
