import type { Clock } from '../clock.ts';
import { StoreUnavailableError } from '../errors.ts';
import { LeaseLostError } from './claim-errors.ts';
import type { ClaimAttempt } from './claim-layer.ts';

export interface Heartbeat {
  /** Ends it, and resolves when no store call is under way any more. */
  readonly stop: () => Promise<void>;
  /** True while the lease that we know of has not ended by the monotonic clock, also in a process that was stopped. */
  readonly held: () => boolean;
}

/**
 * Keeps a claim's lease ahead of work that has no ceiling (docs/design.md, section 4), until it is stopped. Refused (another
 * owner): `onLost` at once. Store out of reach: goes on until the lease we know of ends by the monotonic clock, then
 * `onLost`.
 *
 * @param claimedAt when the claim was asked for, ms of the monotonic clock.
 */
export const startHeartbeat = (
  attempt: ClaimAttempt & { readonly clock: Clock },
  everyMs: number,
  onLost: (error: LeaseLostError) => void,
  claimedAt: number = attempt.clock.monotonic(),
): Heartbeat => {
  const { jobId, owner, store, clock, timing } = attempt;
  const stopped = new AbortController();
  let leaseEnds = claimedAt + timing.leaseMs;

  const lost = (): void => {
    if (!stopped.signal.aborted) onLost(new LeaseLostError(jobId, 'heartbeat'));
  };

  /** True once the lease that we know of is over; false where the heartbeat was stopped, or `until` fired, before. */
  const leaseIsOver = async (until: AbortSignal): Promise<boolean> => {
    await clock.sleep(Math.max(0, leaseEnds - clock.monotonic()), until);
    return !until.aborted;
  };

  /** One beat. @returns false where there is none to follow: `onLost` was called, or the heartbeat was stopped. */
  const beat = async (): Promise<boolean> => {
    // Read before the call: a slow reply must not make the lease look longer than the store has it.
    const asked = clock.monotonic();
    const answered = new AbortController();
    const asking = store
      .extend({ jobId, owner, leaseUntil: clock.now() + timing.leaseMs })
      .finally(() => answered.abort());
    // A store that says nothing at all must not keep the work going past its lease.
    const silent = leaseIsOver(AbortSignal.any([stopped.signal, answered.signal])).then((over) => {
      if (over) lost();
      return over;
    });
    try {
      const answer = await asking;
      if (await silent) return false;
      if (answer === 'lost') lost();
      leaseEnds = asked + timing.leaseMs;
      return answer === 'done';
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      if (await silent) return false;
      if (clock.monotonic() + everyMs < leaseEnds) return true;
      if (await leaseIsOver(stopped.signal)) lost();
      return false;
    }
  };

  const beats = async (): Promise<void> => {
    do await clock.sleep(everyMs, stopped.signal);
    while (!stopped.signal.aborted && (await beat()));
  };

  const running = beats();
  return {
    stop: async () => {
      stopped.abort();
      await running;
    },
    held: () => clock.monotonic() < leaseEnds,
  };
};
