import type { BandStatistics } from '../raster/types.ts';

/** Row and column of a window as the ledger spells them: `0007_0012`. */
export type WindowName = string;

/** One row of a scene's manifest: what became of one window. Written after its object, before its commit. */
export type ManifestRow = WrittenRow | EmptyRow;

export interface WrittenRow {
  readonly state: 'WRITTEN';
  readonly sceneJobId: string;
  readonly window: WindowName;
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
  readonly sha256: string;
  /** Digest of pixels and georeference. */
  readonly digest: string;
  /** Valid pixels of the window that are valid in at least one band. */
  readonly validPixels: number;
  /** One entry per output band; null where a band has no valid pixel here. */
  readonly statistics: readonly (BandStatistics | null)[];
}

/** A window without one valid pixel: no object. */
export interface EmptyRow {
  readonly state: 'EMPTY';
  readonly sceneJobId: string;
  readonly window: WindowName;
}

export const PLAN_STATES = ['OPEN', 'ASSEMBLED', 'SUPERSEDED', 'FAILED', 'PURGED'] as const;
export type PlanState = (typeof PLAN_STATES)[number];

/** What becomes of these may still change by itself: OPEN plans are healed, FAILED ones opened by a replayed message. */
export const UNFINISHED: readonly PlanState[] = ['OPEN', 'FAILED'];

/** A plan as it is stored; `plan` is the JSON text of a ScenePlan and never changes. */
export interface PlanRecord {
  readonly sceneJobId: string;
  readonly plan: string;
  readonly windowCount: number;
  readonly state: PlanState;
  /** Why it is SUPERSEDED or FAILED. */
  readonly reason: string | null;
  /** ms since the epoch, before which the reaper leaves the scene alone. */
  readonly nextHealAt: number;
  /** How often the reaper sent what is missing since a row was last added. */
  readonly heals: number;
  /** How many rows there were at the reaper's last look; -1: it has not looked yet. */
  readonly rowsAtHeal: number;
  /** Where the sources are found (embedded: the scene's folder; AWS: empty). No part of the scene's identity. */
  readonly location: string;
}

/** What the reaper saw when it looked at a plan. */
export type HealLook = Pick<PlanRecord, 'heals' | 'rowsAtHeal'>;

/** The row's object, as a condition on a change to the row: its ETag, or null for an EMPTY row. */
export const rowEtag = (row: ManifestRow): string | null => (row.state === 'EMPTY' ? null : row.etag);

/** Every method throws StoreUnavailableError where the store gives no answer; reads are consistent. */
export interface ManifestStore {
  /** Create-only. `exists` changes nothing. */
  createPlan(record: PlanRecord): Promise<'created' | 'exists'>;
  getPlan(sceneJobId: string): Promise<PlanRecord | null>;
  /** OPEN → `to`; false where the plan was not OPEN. */
  closePlan(sceneJobId: string, to: Exclude<PlanState, 'OPEN'>, reason: string | null): Promise<boolean>;
  /** SUPERSEDED or FAILED → OPEN: the same scene was rung again. False where the plan was neither. */
  reopenPlan(sceneJobId: string): Promise<boolean>;
  /**
   * Moves an OPEN plan's `nextHealAt` from `expected` to `next`, before anything of it is sent again: of two reapers
   * one does. False where the plan is not OPEN or another was first.
   */
  postponeHeal(sceneJobId: string, expected: number, next: number, look?: HealLook): Promise<boolean>;
  /** From one of `from` → `to`: an operator's move. False where the plan was in none of them. */
  movePlan(sceneJobId: string, from: readonly PlanState[], to: PlanState, reason: string | null): Promise<boolean>;
  /** Every plan there is. May walk the whole table. */
  listPlans(): Promise<PlanRecord[]>;
  /**
   * The plans that are OPEN or FAILED: what the reaper looks at. Costs nothing for finished scenes. Each is read
   * consistently, but one that was made or moved a moment ago may be missing: the next look has it.
   */
  listUnfinished(): Promise<PlanRecord[]>;
  /** Create-only, keyed by scene and window. `exists` changes nothing. */
  putRow(row: ManifestRow): Promise<'created' | 'exists'>;
  getRow(sceneJobId: string, window: WindowName): Promise<ManifestRow | null>;
  countRows(sceneJobId: string): Promise<number>;
  /** A scene's rows in order of window name. */
  listRows(sceneJobId: string): Promise<ManifestRow[]>;
  /** Puts `row` over the one whose object has the inspected `etag` (null: EMPTY); false where another stands there. */
  replaceRow(row: ManifestRow, etag: string | null): Promise<boolean>;
  /** Deletes the row whose object has the inspected `etag` (null: EMPTY); false where another, or none, stands there. */
  deleteRow(sceneJobId: string, window: WindowName, etag: string | null): Promise<boolean>;
}
