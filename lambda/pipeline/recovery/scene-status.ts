import { type DeadLetter } from '../../gates/queue.ts';
import type { ClaimRow } from '../../gates/claim-store.ts';
import type { PlanRecord } from '../../gates/manifest-store.ts';
import { windowsOf } from '../../identity/grid.ts';
import { assemblyJobId, windowJobId, windowName } from '../../identity/job-key.ts';
import { parsePlan } from '../../identity/plan-record.ts';
import type { ScenePlan } from '../../identity/plan.ts';
import type { PipelineContext } from '../context.ts';
import { sceneOfLetter } from './letter-scene.ts';

/** What a scene is called; derived from plan, rows and claims whenever it is asked for, stored nowhere. */
export const SCENE_STATES = ['PLANNED', 'RUNNING', 'COMPLETE', 'STALLED', 'FAILED', 'SUPERSEDED', 'PURGED'] as const;
export type SceneState = (typeof SCENE_STATES)[number];

/** What a window is: done, without a pixel, at work, given back or abandoned, dead-lettered, not begun. */
export const WINDOW_STATES = ['written', 'empty', 'running', 'lapsed', 'dead', 'waiting'] as const;
export type WindowState = (typeof WINDOW_STATES)[number];

export interface LiveLease {
  readonly jobId: string;
  /** A window's name, or `assembly`. */
  readonly what: string;
  readonly claimedAt: number;
  readonly leaseUntil: number;
}

export interface SceneStatus {
  readonly plan: ScenePlan;
  readonly record: PlanRecord;
  readonly state: SceneState;
  readonly rows: number;
  /** Rows x columns, in window order. Empty strings never: every planned window has a state. */
  readonly windows: readonly (readonly WindowState[])[];
  readonly counts: Readonly<Record<WindowState, number>>;
  readonly oldestLease: LiveLease | null;
}

export type StatusContext = Pick<PipelineContext, 'manifest' | 'claims' | 'clock'>;

export interface StatusOptions {
  /** An OPEN scene that nobody works on and nothing has happened to for so long is STALLED, ms. */
  readonly stalledAfterMs: number;
  readonly deadLetters: readonly DeadLetter[];
  /** True for an owner known to have died: its lease, though not over yet, keeps nobody at work. */
  readonly isDead?: (owner: string) => boolean;
}

/** Claims read at once. */
const READS_AT_ONCE = 16;

/**
 * Looks at one scene.
 *
 *     plan is ASSEMBLED ─▶ COMPLETE    PURGED, SUPERSEDED, FAILED ─▶ the same
 *     OPEN: a live lease ─▶ RUNNING;   what is missing is dead-lettered, or nothing happened for stalledAfterMs ─▶ STALLED
 *           a row or a claim ─▶ RUNNING;   else ─▶ PLANNED
 *
 * @throws StoreUnavailableError.
 */
export const sceneStatus = async (
  context: StatusContext,
  record: PlanRecord,
  options: StatusOptions,
): Promise<SceneStatus> => {
  const plan = parsePlan(record.plan);
  const rows = new Map((await context.manifest.listRows(record.sceneJobId)).map((row) => [row.window, row.state]));
  const dead = deadWindows(options.deadLetters, record.sceneJobId);
  const missing = [...windowsOf(plan.windows)].filter((window) => !rows.has(windowName(window)));
  const open = record.state === 'OPEN';
  const claims = open
    ? await claimsOf(
        context,
        plan,
        missing.map((window) => [windowName(window), windowJobId(plan.sceneJobId, window)]),
      )
    : [];
  const now = context.clock.now();
  const claimOf = new Map(claims.map(({ what, claim }) => [what, claim]));

  const isLive = ({ state, leaseUntil, owner }: ClaimRow): boolean =>
    state === 'CLAIMED' && leaseUntil >= now && options.isDead?.(owner) !== true;

  const stateOf = (name: string): WindowState => {
    const row = rows.get(name);
    if (row !== undefined) return row === 'EMPTY' ? 'empty' : 'written';
    const claim = claimOf.get(name);
    if (claim !== undefined && isLive(claim)) return 'running';
    if (dead.has(name)) return 'dead';
    return claim === undefined ? 'waiting' : 'lapsed';
  };
  const columns = plan.windows.columnEdges.length - 1;
  const states = [...windowsOf(plan.windows)].map((window) => stateOf(windowName(window)));
  const live = claims
    .flatMap(({ what, claim }) =>
      isLive(claim) ? [{ jobId: claim.jobId, what, claimedAt: claim.claimedAt, leaseUntil: claim.leaseUntil }] : [],
    )
    .toSorted((a, b) => a.claimedAt - b.claimedAt);
  const counts = countStates(states);
  const deadEnd = missing.length === 0 ? dead.has('assembly') : counts.dead === missing.length;
  const lastSeen = Math.max(
    record.heals === 0 ? record.nextHealAt : 0,
    ...claims.map(({ claim }) => claim.finishedAt ?? claim.claimedAt),
  );
  return {
    plan,
    record,
    state: open
      ? openState(
          { live: live.length > 0, deadEnd, begun: rows.size > 0 || claims.length > 0, idleMs: now - lastSeen },
          options,
        )
      : closedState(record),
    rows: rows.size,
    windows: Array.from({ length: states.length / columns }, (_, row) =>
      states.slice(row * columns, (row + 1) * columns),
    ),
    counts,
    oldestLease: live[0] ?? null,
  };
};

const closedState = ({ state }: PlanRecord): SceneState =>
  state === 'ASSEMBLED' ? 'COMPLETE' : state === 'OPEN' ? 'RUNNING' : state;

const openState = (
  seen: { live: boolean; deadEnd: boolean; begun: boolean; idleMs: number },
  { stalledAfterMs }: StatusOptions,
): SceneState => {
  if (seen.live) return 'RUNNING';
  if (seen.deadEnd || seen.idleMs > stalledAfterMs) return 'STALLED';
  return seen.begun ? 'RUNNING' : 'PLANNED';
};

const countStates = (states: readonly WindowState[]): Record<WindowState, number> => {
  const counts = { written: 0, empty: 0, running: 0, lapsed: 0, dead: 0, waiting: 0 };
  for (const state of states) counts[state] += 1;
  return counts;
};

/** The windows of a scene (and `assembly`) that are with the dead letters. */
const deadWindows = (letters: readonly DeadLetter[], sceneJobId: string): ReadonlySet<string> =>
  new Set(
    letters.flatMap((letter) => {
      const found = sceneOfLetter(letter);
      return found?.sceneJobId === sceneJobId ? [found.what] : [];
    }),
  );

/** The claims that there are of the named windows and of the assembly. */
const claimsOf = async (
  { claims }: StatusContext,
  plan: ScenePlan,
  windows: readonly (readonly [name: string, jobId: string])[],
): Promise<{ what: string; claim: ClaimRow }[]> => {
  const wanted = [...windows, ['assembly', assemblyJobId(plan.sceneJobId)] as const];
  const found: { what: string; claim: ClaimRow }[] = [];
  for (let start = 0; start < wanted.length; start += READS_AT_ONCE) {
    const some = wanted.slice(start, start + READS_AT_ONCE);
    const rows = await Promise.all(some.map(([, jobId]) => claims.get(jobId)));
    for (const [i, [what]] of some.entries()) {
      const claim = rows[i] ?? null;
      if (claim !== null) found.push({ what, claim });
    }
  }
  return found;
};
