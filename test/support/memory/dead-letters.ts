import type { BuriedMessage, DeadLetterStore } from '../../../lambda/gates/dead-letters.ts';
import type { DeadLetter, QueueName } from '../../../lambda/gates/queue.ts';
import type { MemoryQueue } from './queue.ts';

/** The dead letters of the queues in memory. */
export class MemoryDeadLetters implements DeadLetterStore {
  readonly #queue: MemoryQueue;
  readonly #ids = new Map<DeadLetter, string>();

  constructor(queue: MemoryQueue) {
    this.#queue = queue;
  }

  async counts(): Promise<Record<QueueName, number>> {
    const counts = { scenes: 0, tiles: 0, assemblies: 0 };
    for (const { queue } of this.#queue.deadLetters) counts[queue] += 1;
    return counts;
  }

  async list(): Promise<BuriedMessage[]> {
    return this.#queue.deadLetters.map((letter) => ({ ...letter, id: this.#idOf(letter), diedAt: null }));
  }

  async replay(letters: readonly BuriedMessage[], onProgress?: (done: number) => void): Promise<number> {
    let done = 0;
    for (const { id } of letters) {
      const at = this.#queue.deadLetters.findIndex((letter) => this.#idOf(letter) === id);
      const [letter] = at < 0 ? [] : this.#queue.deadLetters.splice(at, 1);
      if (letter === undefined) continue;
      await this.#queue.send(letter.queue, [letter.body]);
      done += 1;
      onProgress?.(done);
    }
    return done;
  }

  async replayAll(queue: QueueName, onProgress?: (done: number) => void): Promise<number> {
    return this.replay(
      (await this.list()).filter((letter) => letter.queue === queue),
      onProgress,
    );
  }

  async putBack(): Promise<void> {
    // A listing holds nothing here.
  }

  #idOf(letter: DeadLetter): string {
    const id = this.#ids.get(letter) ?? String(this.#ids.size);
    this.#ids.set(letter, id);
    return id;
  }
}
