import type { PipelineContext } from '../pipeline/context.ts';

/** What the count needs: the ledger alone. */
export type OverdueContext = Pick<PipelineContext, 'manifest' | 'claims' | 'clock' | 'telemetry'>;

/**
 * Counts the scenes that were planned more than `overdueMs` ago and are not assembled (metric ScenesOverdue, 0 too: a
 * silent metric would say nothing). A plan is made under its fan-out's claim, so the claim tells when; one whose
 * claim has outlived its time to live is overdue for certain.
 *
 * @returns how many, each named in an event.
 * @throws StoreUnavailableError.
 */
export const countOverdue = async (context: OverdueContext, overdueMs: number): Promise<number> => {
  const { manifest, claims, clock, telemetry } = context;
  let overdue = 0;
  for (const { sceneJobId, state } of await manifest.listUnfinished()) {
    if (state !== 'OPEN') continue;
    const claim = await claims.get(sceneJobId);
    if (claim !== null && clock.now() - claim.claimedAt <= overdueMs) continue;
    overdue += 1;
    telemetry.event('warn', 'Scene:Assemble:Overdue', { sceneJobId, plannedAt: claim?.claimedAt ?? null });
  }
  telemetry.count('ScenesOverdue', overdue);
  return overdue;
};
