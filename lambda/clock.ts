/** Time and chance as a caller sees them; passed in wherever either matters, so that tests hold both. */
export interface Clock {
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
  /** Monotonic clock, ms since an arbitrary start; never set back. */
  readonly monotonic: () => number;
  /** Resolves after `ms`, or at once when the signal fires (never rejects). */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const finish = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal?.addEventListener('abort', finish, { once: true });
    }),
  random: () => Math.random(),
};
