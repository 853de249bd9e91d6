import type { Clock } from '../../lambda/clock.ts';

/** A clock that moves only when a test says so. Wall and monotonic time advance together; chance is always 0.5. */
export class ManualClock implements Clock {
  #elapsed = 0;
  readonly #start: number;
  #sleepers: { readonly until: number; readonly wake: () => void }[] = [];

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#start = start;
  }

  readonly now = (): number => this.#start + this.#elapsed;

  readonly monotonic = (): number => this.#elapsed;

  readonly random = (): number => 0.5;

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#sleepers.push({ until: this.#elapsed + ms, wake: resolve });
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Moves time on and wakes the sleepers in order, letting each one's work settle before the next. */
  async advance(ms: number): Promise<void> {
    const target = this.#elapsed + ms;
    for (;;) {
      const due = this.#sleepers.filter(({ until }) => until <= target).sort((a, b) => a.until - b.until)[0];
      if (due === undefined) break;
      this.#sleepers = this.#sleepers.filter((sleeper) => sleeper !== due);
      this.#elapsed = Math.max(this.#elapsed, due.until);
      due.wake();
      await settle();
    }
    this.#elapsed = target;
    await settle();
  }
}

/** Lets everything that waits for no clock run: promise chains, and what setImmediate queued. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
