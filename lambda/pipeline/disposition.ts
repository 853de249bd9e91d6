import type { Clock } from '../clock.ts';
import type { LiveClaim } from '../gates/claim.ts';

/** What a use case's outcome says of the message: done with it, or a live lease stands in the way. */
export type Settled = { readonly kind: 'done' } | LiveClaim;

/** What becomes of a delivered message. */
export type Disposition =
  | { readonly kind: 'acknowledge' }
  /** Hide it for `ms` without counting the receive, where the engine can. `attempts`: the job's, this far. */
  | { readonly kind: 'postpone'; readonly ms: number; readonly attempts: number };

/** At most this much is added to a wait for a foreign lease, so that the waiting do not come back all at once, ms. */
export const WAIT_JITTER_MS = 5_000;

/** Three answers, three actions (docs/design.md, section 4). */
export const dispositionOf = (outcome: Settled, clock: Clock): Disposition =>
  outcome.kind === 'live'
    ? {
        kind: 'postpone',
        ms: Math.max(0, outcome.leaseUntil - clock.now()) + Math.ceil(clock.random() * WAIT_JITTER_MS),
        attempts: outcome.attempts,
      }
    : { kind: 'acknowledge' };
