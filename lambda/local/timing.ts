import type { ClaimTiming } from '../gates/claim-layer.ts';

/**
 * The embedded engine's numbers (docs/design.md, section 4): work has no ceiling there, so a short lease is kept alive
 * by a heartbeat. Two beats may be missed before the lease ends.
 */
export const EMBEDDED_CLAIM: ClaimTiming = {
  leaseMs: 60_000,
  heartbeatMs: 20_000,
  claimedRowTtlSeconds: 21 * 24 * 3600,
};

/**
 * How long a received message stays hidden, ms. Longer than any window takes; a dead process's messages are freed by
 * the sweep and not by this, and one that is redelivered while its worker lives meets a live claim.
 */
export const VISIBILITY_MS = 15 * 60_000;

/** Receives before a message goes to the dead letters. */
export const MAX_RECEIVES = 3;

/** How long a worker without a message waits before it asks again, ms. */
export const IDLE_MS = 25;

/** How often the run looks at its scenes, and at processes that died, ms. */
export const WATCH_MS = 100;
export const SWEEP_MS = 2_000;
