import type { ClaimRow } from '../gates/claim-store.ts';
import type { PlanRecord } from '../gates/manifest-store.ts';
import { type WindowIndex, windowsOf } from '../identity/grid.ts';
import { assemblyJobId, windowJobId, windowName } from '../identity/job-key.ts';
import { parsePlan } from '../identity/plan-record.ts';
import type { ScenePlan } from '../identity/plan.ts';
import type { PipelineContext } from './context.ts';
import { messageBody } from './messages.ts';
import { otherPixels, supersede } from './supersede.ts';

export interface ReapTiming {
  /** A message that was received is hidden for so long, ms: until then its claim says nothing of its death. */
  readonly visibilityMs: number;
  /** First wait before an OPEN plan's missing windows are sent again, ms; it doubles at each time that brings no row. */
  readonly healAfterMs: number;
  /** Attempts after which a job's message is with the dead letters, where SQS alone puts it. Default 3. */
  readonly maxReceives?: number;
  /** Healings in a row without a new row after which the plan is FAILED. Default 5. */
  readonly maxHeals?: number;
}

const MAX_RECEIVES = 3;
const MAX_HEALS = 5;
/** How many windows a plan's reason names before it only counts the rest. */
const NAMED_WINDOWS = 20;

export interface ReapReport {
  readonly openPlans: number;
  readonly windowsSent: number;
  readonly sentToAssembly: number;
  /** Plans given up: nothing that was sent for them brought a row. */
  readonly failed: number;
  /** Plans of another pixel version, sent to be planned again. */
  readonly superseded: number;
}

/** What the reaper needs: no object store, and no source is ever looked at: it looks at the ledger alone. */
export type ReapContext = Pick<
  PipelineContext,
  'manifest' | 'claims' | 'queue' | 'sources' | 'clock' | 'telemetry' | 'pixelVersion'
>;

/**
 * Walks the OPEN plans (docs/design.md, section 7) and sends again what was lost: windows that have no row and nobody
 * at work on them, and assemblies of scenes whose rows are all there. Only past the plan's `nextHealAt`, which is moved
 * first and by one reaper alone, so that a long queue is not swelled.
 *
 *     planned by code of other pixels ───────────────────────▶ SUPERSEDED, and rung for: its windows would end so too
 *     a row more than at the last look (or the first look) ─▶ the queue is being worked off: wait healAfter again
 *     nothing new, n-th time ────────────────────────────────▶ send what is lost, wait healAfter x 2^n
 *     nothing new after maxHeals healings ───────────────────▶ FAILED, the missing windows named
 *     FAILED, and a row more (its dead letters were replayed) ▶ OPEN again
 *
 * Never writes to a dead-letter queue: a window whose attempts are used up is left to it.
 */
export const reap = async (context: ReapContext, timing: ReapTiming, signal?: AbortSignal): Promise<ReapReport> => {
  const report = { openPlans: 0, windowsSent: 0, sentToAssembly: 0, failed: 0, superseded: 0 };
  for (const found of await context.manifest.listUnfinished()) {
    signal?.throwIfAborted();
    const record = found.state === 'FAILED' ? await revived(context, found) : found;
    if (record?.state !== 'OPEN') continue;
    report.openPlans++;
    if (context.clock.now() < record.nextHealAt) continue;
    const done = await look(context, record, timing);
    report.windowsSent += done.windows;
    report.sentToAssembly += done.assembly ? 1 : 0;
    report.failed += done.failed ? 1 : 0;
    report.superseded += done.superseded ? 1 : 0;
  }
  context.telemetry.event('info', 'Plans:Reap:Done', report);
  return report;
};

/** A plan that was given up and got a row since is under way again. */
const revived = async (context: ReapContext, record: PlanRecord): Promise<PlanRecord | null> => {
  if ((await context.manifest.countRows(record.sceneJobId)) <= record.rowsAtHeal) return null;
  if (!(await context.manifest.movePlan(record.sceneJobId, ['FAILED'], 'OPEN', null))) return null;
  return { ...record, state: 'OPEN', reason: null };
};

interface Healed {
  readonly windows: number;
  readonly assembly: boolean;
  readonly failed: boolean;
  readonly superseded: boolean;
}

const NOTHING: Healed = { windows: 0, assembly: false, failed: false, superseded: false };

const look = async (context: ReapContext, record: PlanRecord, timing: ReapTiming): Promise<Healed> => {
  const { manifest, clock } = context;
  const plan = parsePlan(record.plan);
  if (plan.pixelVersion !== context.pixelVersion) {
    await supersede(context, plan, record.location, otherPixels(plan, context.pixelVersion));
    return { ...NOTHING, superseded: true };
  }
  const done = new Set((await manifest.listRows(record.sceneJobId)).map(({ window }) => window));
  const missing = [...windowsOf(plan.windows)].filter((window) => !done.has(windowName(window)));
  const grown = done.size > record.rowsAtHeal;
  if (!grown && record.heals >= (timing.maxHeals ?? MAX_HEALS)) return giveUp(context, record, missing);
  const healing = missing.length === 0 || !grown;
  const heals = grown ? 0 : record.heals;
  const moved = await manifest.postponeHeal(
    record.sceneJobId,
    record.nextHealAt,
    clock.now() + timing.healAfterMs * 2 ** heals,
    { heals: healing ? heals + 1 : 0, rowsAtHeal: done.size },
  );
  if (!moved || !healing) return NOTHING;
  return missing.length === 0
    ? assembleAgain(context, plan, record, timing)
    : sendLost(context, plan, record, missing, timing);
};

const assembleAgain = async (
  context: ReapContext,
  plan: ScenePlan,
  record: PlanRecord,
  timing: ReapTiming,
): Promise<Healed> => {
  const claim = await context.claims.get(assemblyJobId(plan.sceneJobId));
  // A committed assembly closes its plan before it commits; one that is here all the same is told so by its claim.
  if (claim?.state === 'CLAIMED' && !isLost(claim, context.clock.now(), timing)) return NOTHING;
  await context.queue.send('assemblies', [
    messageBody({ v: 1, sceneJobId: plan.sceneJobId, location: record.location }),
  ]);
  return { ...NOTHING, assembly: true };
};

const sendLost = async (
  context: ReapContext,
  plan: ScenePlan,
  record: PlanRecord,
  missing: readonly WindowIndex[],
  timing: ReapTiming,
): Promise<Healed> => {
  const lost: WindowIndex[] = [];
  for (const window of missing) {
    if (isLost(await context.claims.get(windowJobId(plan.sceneJobId, window)), context.clock.now(), timing))
      lost.push(window);
  }
  const { sources } = plan;
  await context.queue.send(
    'tiles',
    lost.map(({ row, column }) => messageBody({ v: 1, plan, sources, location: record.location, row, column })),
  );
  if (lost.length > 0) {
    context.telemetry.event('warn', 'Plan:Heal:Sent', { sceneJobId: plan.sceneJobId, windows: lost.length });
  }
  return { ...NOTHING, windows: lost.length };
};

/**
 * Nobody ever claimed it, or its claim lapsed so long ago that its message must have come back and gone again, with
 * attempts left: one whose attempts are used up is with the dead letters.
 */
const isLost = (claim: ClaimRow | null, now: number, timing: ReapTiming): boolean =>
  claim === null ||
  (claim.state === 'CLAIMED' &&
    claim.leaseUntil < now &&
    claim.claimedAt + timing.visibilityMs < now &&
    claim.attempts < (timing.maxReceives ?? MAX_RECEIVES));

const giveUp = async (context: ReapContext, record: PlanRecord, missing: readonly WindowIndex[]): Promise<Healed> => {
  const names = missing.map(windowName);
  const named = names.slice(0, NAMED_WINDOWS).join(', ');
  const rest = names.length > NAMED_WINDOWS ? ` and ${names.length - NAMED_WINDOWS} more` : '';
  const what =
    names.length === 0
      ? 'every window has its row, but the assembly does not end'
      : `${names.length} window(s) missing: ${named}${rest}`;
  const reason = `${what}; sent again ${record.heals} times without a new row`;
  const failed = await context.manifest.closePlan(record.sceneJobId, 'FAILED', reason);
  if (failed) context.telemetry.event('error', 'Plan:Heal:GivenUp', { sceneJobId: record.sceneJobId, reason });
  return { ...NOTHING, failed };
};
