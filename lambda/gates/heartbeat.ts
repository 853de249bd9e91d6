import type { Clock } from '../clock.ts';
import { StoreUnavailableError } from '../errors.ts';
import { LeaseLostError } from './claim-errors.ts';
import type { ClaimAttempt } from './claim-layer.ts';

/**
 * Keeps a claim's lease ahead of work that has no ceiling (docs/design.md, section 4), until the returned function is
 * called. Refused (another owner): `onLost` at once. Store out of reach: goes on until the lease we know of ends by
 * the monotonic clock, then `onLost`.
 *
 * @returns stops the heartbeat, and resolves when no store call is under way any more.
 */
export const startHeartbeat = (
  attempt: ClaimAttempt & { readonly clock: Clock },
  everyMs: number,
  onLost: (error: LeaseLostError) => void,
): (() => Promise<void>) => {
  const { jobId, owner, store, clock, timing } = attempt;
  const stopped = new AbortController();
  let leaseEnds = clock.monotonic() + timing.leaseMs;

  const beat = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(everyMs, stopped.signal);
      if (stopped.signal.aborted) return;
      // Read before the call: a slow reply must not make the lease look longer than the store has it.
      const asked = clock.monotonic();
      try {
        const answer = await store.extend({ jobId, owner, leaseUntil: clock.now() + timing.leaseMs });
        if (answer === 'lost') {
          if (!stopped.signal.aborted) onLost(new LeaseLostError(jobId, 'heartbeat'));
          return;
        }
        leaseEnds = asked + timing.leaseMs;
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        if (clock.monotonic() + everyMs >= leaseEnds) {
          await clock.sleep(Math.max(0, leaseEnds - clock.monotonic()), stopped.signal);
          if (!stopped.signal.aborted) onLost(new LeaseLostError(jobId, 'heartbeat'));
          return;
        }
      }
    }
  };

  const running = beat();
  return async () => {
    stopped.abort();
    await running;
  };
};
