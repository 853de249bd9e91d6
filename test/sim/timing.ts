import type { ClaimTiming } from '../../lambda/gates/claim-layer.ts';
import { runtimeTiming, timingOf } from '../../lib/timing.ts';

const deployed = timingOf();

/** A function's ceiling, ms. */
export const CEILING_MS = deployed.ceilingSeconds * 1000;
/** How long the scene queue holds a message back, ms. */
export const SETTLE_MS = deployed.settleSeconds * 1000;
/** How often the reaper runs, ms. */
export const REAP_EVERY_MS = deployed.reapMinutes * 60_000;

/** The numbers that deployed functions run with (docs/design.md, sections 4 and 7). */
export const TIMING = runtimeTiming(deployed);

export const CLAIM_TIMING: ClaimTiming = {
  leaseMs: TIMING.leaseMs,
  claimedRowTtlSeconds: TIMING.claimedRowTtlSeconds,
  heartbeatMs: null,
};
