import { type WindowIndex, windowCount, windowsOf } from '../identity/grid.ts';
import { type SceneJobId, sceneJobId, windowName } from '../identity/job-key.ts';
import { itemKey } from '../identity/output-keys.ts';
import { parsePlan, serialisePlan } from '../identity/plan-record.ts';
import type { PlannedSource, ScenePlan } from '../identity/plan.ts';
import { type LiveClaim, withClaim } from '../gates/claim.ts';
import type { PlanRecord } from '../gates/manifest-store.ts';
import { type PipelineContext, claimAttempt } from './context.ts';
import { countScene } from './count-scene.ts';
import { canonicalParams } from './definition/canonical-params.ts';
import type { Pipeline } from './definition/pipeline.ts';
import { type MissingBand, type SceneCandidates, lookAtSources } from './look-at-sources.ts';
import { messageBody } from './messages.ts';
import { pinsOf, planScene } from './plan-scene.ts';
import { withTimeOnRecord } from './time-on-record.ts';

export interface FanOutRequest {
  readonly location: string;
  readonly pipeline: Pipeline;
  readonly candidates: SceneCandidates;
  /** True where a person asks: a purged scene is made again. An event's doorbell never revives one. */
  readonly revive?: boolean;
  /**
   * How long after its fan-out a scene's windows are taken to be on their way, ms (default 0). A sibling's event that
   * comes meanwhile then costs one refused claim, and not every window that has no row yet once more; what is lost
   * after all, the reaper sends.
   */
  readonly patienceMs?: number;
}

export type FanOutOutcome =
  /** A sibling is not there yet: nothing was done, its upload rings again. */
  | { readonly kind: 'incomplete'; readonly missing: readonly MissingBand[] }
  /** Another worker is fanning this scene out right now. */
  | (LiveClaim & { readonly sceneJobId: SceneJobId })
  /** Planned, and every window sent. */
  | { readonly kind: 'planned'; readonly sceneJobId: SceneJobId; readonly plan: ScenePlan }
  /** Planned before; `sent` windows had no row and were sent again. */
  | { readonly kind: 'resumed'; readonly sceneJobId: SceneJobId; readonly plan: ScenePlan; readonly sent: number }
  /** Purged by an operator; its tombstone keeps late and repeated events from making it again. */
  | { readonly kind: 'purged'; readonly sceneJobId: SceneJobId; readonly plan: ScenePlan }
  /** Planned before and finished: item and every row are there. */
  | { readonly kind: 'complete'; readonly sceneJobId: SceneJobId; readonly plan: ScenePlan };

/**
 * Fans a scene out (docs/design.md, section 3): look at what is there → claim by the scene's job id → plan record →
 * every window sent → commit. A repeated ring costs one refused claim; one that finds windows without rows sends those.
 *
 * @throws whatever `lookAtSources` and `planScene` throw; StoreUnavailableError.
 */
export const fanOut = async (
  context: PipelineContext,
  request: FanOutRequest,
  signal?: AbortSignal,
): Promise<FanOutOutcome> => {
  const { pipeline, location, candidates } = request;
  const look = await lookAtSources(context.sources(location), pipeline, candidates);
  if (look.kind === 'incomplete') return look;

  const params = canonicalParams(pipeline, context.pixelVersion);
  const id = sceneJobId(look.sources.looks, params);
  const pins = look.sources.looks.map(pinsOf);
  const revive = request.revive ?? false;
  let plan: ScenePlan | null = null;
  let purged = false;
  const outcome = await withClaim(
    claimAttempt(context, id),
    context.telemetry,
    async (workSignal) => {
      plan = await recordPlan(
        context,
        await withTimeOnRecord(
          context,
          await planScene(
            context,
            { sceneJobId: id, sceneName: candidates.sceneName, location, pipeline, params, sources: look.sources },
            workSignal,
          ),
        ),
        location,
      );
      purged = await staysPurged(context, await context.manifest.getPlan(id), revive);
      if (purged) return { windows: 0 };
      await sendWindows(context, plan, pins, location, [...windowsOf(plan.windows)]);
      context.telemetry.count('ScenesPlanned', 1);
      context.telemetry.event('info', 'Scene:Plan:Done', { sceneJobId: id, windows: windowCount(plan.windows) });
      return { windows: windowCount(plan.windows) };
    },
    signal,
  );
  if (outcome.kind === 'live') return { ...outcome, sceneJobId: id };
  if (outcome.kind === 'worked' && plan !== null) return { kind: purged ? 'purged' : 'planned', sceneJobId: id, plan };
  const finishedAt = outcome.kind === 'committed' ? outcome.finishedAt : null;
  const onTheirWay = finishedAt !== null && context.clock.now() - finishedAt < (request.patienceMs ?? 0);
  return resume(context, id, pins, request, onTheirWay);
};

/** True for a purged scene that nobody asked for; one that somebody did is opened again. */
const staysPurged = async (context: PipelineContext, record: PlanRecord | null, revive: boolean): Promise<boolean> => {
  if (record?.state !== 'PURGED') return false;
  return !revive || !(await context.manifest.movePlan(record.sceneJobId, ['PURGED'], 'OPEN', null));
};

/** The plan that is on record; ours where there was none (an earlier attempt's plan wins: nobody plans again). */
const recordPlan = async (context: PipelineContext, plan: ScenePlan, location: string): Promise<ScenePlan> => {
  const created = await context.manifest.createPlan({
    sceneJobId: plan.sceneJobId,
    plan: serialisePlan(plan),
    windowCount: windowCount(plan.windows),
    state: 'OPEN',
    reason: null,
    nextHealAt: context.clock.now(),
    heals: 0,
    rowsAtHeal: -1,
    location,
  });
  // As it will be read back: a window sent now and one sent again by a later ring are the same message to the letter.
  if (created === 'created') return parsePlan(serialisePlan(plan));
  const record = await context.manifest.getPlan(plan.sceneJobId);
  if (record === null) return plan;
  await reopen(context, record);
  return parsePlan(record.plan);
};

/** The scene is rung for as it was planned: a plan that was closed unfinished is wanted again. */
const reopen = async (context: PipelineContext, record: PlanRecord): Promise<boolean> =>
  (record.state === 'SUPERSEDED' || record.state === 'FAILED') &&
  (await context.manifest.reopenPlan(record.sceneJobId));

/** A COMMITTED fan-out: complete with its item, or what is missing is sent with the sources' current pins. */
const resume = async (
  context: PipelineContext,
  id: SceneJobId,
  pins: readonly PlannedSource[],
  { location, revive = false }: FanOutRequest,
  onTheirWay: boolean,
): Promise<FanOutOutcome> => {
  const record = await context.manifest.getPlan(id);
  if (record === null) throw new TypeError(`the fan-out of ${id} is committed, but there is no plan record`);
  const plan = parsePlan(record.plan);
  if (await staysPurged(context, record, revive)) return { kind: 'purged', sceneJobId: id, plan };
  if (record.state === 'OPEN' && onTheirWay) return { kind: 'resumed', sceneJobId: id, plan, sent: 0 };

  const done = new Set((await context.manifest.listRows(id)).map(({ window }) => window));
  const missing = [...windowsOf(plan.windows)].filter((window) => !done.has(windowName(window)));
  if (missing.length > 0) {
    await sendWindows(context, plan, pins, location, missing);
    context.telemetry.event('info', 'Scene:Resume:Sent', { sceneJobId: id, windows: missing.length });
  }
  if (record.state === 'ASSEMBLED' && missing.length === 0 && (await context.objects.head(itemKey(id))) !== null) {
    return { kind: 'complete', sceneJobId: id, plan };
  }
  // Opened only now: an open plan is one whose windows were sent. Rows that came before this were not counted.
  const opened = await reopen(context, record);
  if (opened || missing.length === 0) {
    await countScene(context, { sceneJobId: id, windowCount: record.windowCount, location });
  }
  return { kind: 'resumed', sceneJobId: id, plan, sent: missing.length };
};

const sendWindows = async (
  context: PipelineContext,
  plan: ScenePlan,
  sources: readonly PlannedSource[],
  location: string,
  windows: readonly WindowIndex[],
): Promise<void> => {
  await context.queue.send(
    'tiles',
    windows.map(({ row, column }) => messageBody({ v: 1, plan, sources, location, row, column })),
  );
};
