import type { ClaimRow } from '../gates/claim-store.ts';
import type { PlanRecord } from '../gates/manifest-store.ts';
import { type WindowIndex, windowsOf } from '../identity/grid.ts';
import { windowJobId, windowName } from '../identity/job-key.ts';
import { parsePlan } from '../identity/plan-record.ts';
import type { ScenePlan } from '../identity/plan.ts';
import type { PipelineContext } from './context.ts';
import { messageBody } from './messages.ts';

export interface ReapTiming {
  /** A message that was received is hidden for so long, ms: until then its claim says nothing of its death. */
  readonly visibilityMs: number;
  /** First wait before an OPEN plan's missing windows are sent again, ms. */
  readonly healAfterMs: number;
}

export interface ReapReport {
  readonly openPlans: number;
  readonly windowsSent: number;
  readonly sentToAssembly: number;
}

/** What the reaper needs: no object store and no sources, it looks at the ledger alone. */
export type ReapContext = Pick<PipelineContext, 'manifest' | 'claims' | 'queue' | 'clock' | 'telemetry'>;

/**
 * Walks the OPEN plans (docs/design.md, section 7) and sends again what was lost: windows that have no row and nobody
 * at work on them, and assemblies of scenes whose rows are all there. Only past the plan's `nextHealAt`, which is moved
 * first and by one reaper alone, so that a long queue is not swelled.
 */
export const reap = async (context: ReapContext, timing: ReapTiming, signal?: AbortSignal): Promise<ReapReport> => {
  let windowsSent = 0;
  let sentToAssembly = 0;
  const open = (await context.manifest.listPlans()).filter(({ state }) => state === 'OPEN');
  for (const record of open) {
    signal?.throwIfAborted();
    const now = context.clock.now();
    if (now < record.nextHealAt) continue;
    if (!(await context.manifest.postponeHeal(record.sceneJobId, record.nextHealAt, now + timing.healAfterMs)))
      continue;
    const healed = await heal(context, record, timing);
    windowsSent += healed.windows;
    if (healed.assembly) sentToAssembly++;
  }
  context.telemetry.event('info', 'Plans:Reap:Done', { openPlans: open.length, windowsSent, sentToAssembly });
  return { openPlans: open.length, windowsSent, sentToAssembly };
};

const heal = async (
  context: ReapContext,
  record: PlanRecord,
  timing: ReapTiming,
): Promise<{ windows: number; assembly: boolean }> => {
  const plan = parsePlan(record.plan);
  const done = new Set((await context.manifest.listRows(record.sceneJobId)).map(({ window }) => window));
  const missing = [...windowsOf(plan.windows)].filter((window) => !done.has(windowName(window)));
  if (missing.length === 0) {
    await context.queue.send('assemblies', [messageBody({ v: 1, sceneJobId: plan.sceneJobId, location: '' })]);
    return { windows: 0, assembly: true };
  }
  const lost: WindowIndex[] = [];
  for (const window of missing) {
    if (isLost(await context.claims.get(windowJobId(plan.sceneJobId, window)), context.clock.now(), timing))
      lost.push(window);
  }
  await sendWindows(context, plan, lost);
  if (lost.length > 0) {
    context.telemetry.event('warn', 'Plan:Heal:Sent', { sceneJobId: plan.sceneJobId, windows: lost.length });
  }
  return { windows: lost.length, assembly: false };
};

/** Nobody ever claimed it, or its claim lapsed so long ago that its message must have come back and gone again. */
const isLost = (claim: ClaimRow | null, now: number, timing: ReapTiming): boolean =>
  claim === null ||
  (claim.state === 'CLAIMED' && claim.leaseUntil < now && claim.claimedAt + timing.visibilityMs < now);

const sendWindows = async (context: ReapContext, plan: ScenePlan, windows: readonly WindowIndex[]): Promise<void> => {
  await context.queue.send(
    'tiles',
    windows.map(({ row, column }) => messageBody({ v: 1, plan, sources: plan.sources, location: '', row, column })),
  );
};
