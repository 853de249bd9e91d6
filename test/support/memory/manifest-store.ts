import {
  type HealLook,
  type ManifestRow,
  type ManifestStore,
  type PlanRecord,
  type PlanState,
  UNFINISHED,
  type WindowName,
  rowEtag,
} from '../../../lambda/gates/manifest-store.ts';
import type { Faults } from './faults.ts';

/** Plans and rows in memory. Subclasses break one rule each, for negative controls. */
export class MemoryManifestStore implements ManifestStore {
  protected readonly plans = new Map<string, PlanRecord>();
  protected readonly rows = new Map<string, ManifestRow>();
  readonly #faults: Faults;

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  createPlan(record: PlanRecord): Promise<'created' | 'exists'> {
    return this.carry('createPlan', record.sceneJobId, () => this.createOnly(this.plans, record.sceneJobId, record));
  }

  getPlan(sceneJobId: string): Promise<PlanRecord | null> {
    return this.carry('getPlan', sceneJobId, () => this.plans.get(sceneJobId) ?? null);
  }

  closePlan(sceneJobId: string, to: Exclude<PlanState, 'OPEN'>, reason: string | null): Promise<boolean> {
    return this.carry('closePlan', sceneJobId, () => this.move(sceneJobId, ['OPEN'], to, reason));
  }

  reopenPlan(sceneJobId: string): Promise<boolean> {
    return this.carry('reopenPlan', sceneJobId, () => this.move(sceneJobId, ['SUPERSEDED', 'FAILED'], 'OPEN', null));
  }

  postponeHeal(sceneJobId: string, expected: number, next: number, look?: HealLook): Promise<boolean> {
    return this.carry('postponeHeal', sceneJobId, () => {
      const plan = this.plans.get(sceneJobId);
      if (plan === undefined || plan.state !== 'OPEN' || plan.nextHealAt !== expected) return false;
      this.plans.set(sceneJobId, { ...plan, nextHealAt: next, ...look });
      return true;
    });
  }

  movePlan(sceneJobId: string, from: readonly PlanState[], to: PlanState, reason: string | null): Promise<boolean> {
    return this.carry('movePlan', sceneJobId, () => this.move(sceneJobId, from, to, reason));
  }

  listPlans(): Promise<PlanRecord[]> {
    return this.carry('listPlans', '', () => [...this.plans.values()]);
  }

  listUnfinished(): Promise<PlanRecord[]> {
    return this.carry('listUnfinished', '', () =>
      [...this.plans.values()].filter(({ state }) => this.isUnfinished(state)),
    );
  }

  putRow(row: ManifestRow): Promise<'created' | 'exists'> {
    return this.carry('putRow', row.window, () => this.createOnly(this.rows, keyOf(row.sceneJobId, row.window), row));
  }

  getRow(sceneJobId: string, window: WindowName): Promise<ManifestRow | null> {
    return this.carry('getRow', window, () => this.rows.get(keyOf(sceneJobId, window)) ?? null);
  }

  countRows(sceneJobId: string): Promise<number> {
    return this.carry('countRows', sceneJobId, () => this.rowsOf(sceneJobId).length);
  }

  listRows(sceneJobId: string): Promise<ManifestRow[]> {
    return this.carry('listRows', sceneJobId, () =>
      this.rowsOf(sceneJobId).sort((a, b) => (a.window < b.window ? -1 : 1)),
    );
  }

  replaceRow(row: ManifestRow, etag: string | null): Promise<boolean> {
    return this.carry('replaceRow', row.window, () => {
      const key = keyOf(row.sceneJobId, row.window);
      if (!this.isInspected(this.rows.get(key), etag)) return false;
      this.rows.set(key, row);
      return true;
    });
  }

  deleteRow(sceneJobId: string, window: WindowName, etag: string | null): Promise<boolean> {
    return this.carry('deleteRow', window, () => {
      const key = keyOf(sceneJobId, window);
      return this.isInspected(this.rows.get(key), etag) && this.rows.delete(key);
    });
  }

  protected isUnfinished(state: PlanState): boolean {
    return UNFINISHED.includes(state);
  }

  protected isInspected(row: ManifestRow | undefined, etag: string | null): boolean {
    return row !== undefined && rowEtag(row) === etag;
  }

  protected createOnly<T>(into: Map<string, T>, key: string, value: T): 'created' | 'exists' {
    if (into.has(key)) return 'exists';
    into.set(key, value);
    return 'created';
  }

  protected move(sceneJobId: string, from: readonly PlanState[], to: PlanState, reason: string | null): boolean {
    const plan = this.plans.get(sceneJobId);
    if (plan === undefined || !from.includes(plan.state)) return false;
    this.plans.set(sceneJobId, { ...plan, state: to, reason });
    return true;
  }

  protected rowsOf(sceneJobId: string): ManifestRow[] {
    return [...this.rows.values()].filter((row) => row.sceneJobId === sceneJobId);
  }

  protected carry<T>(method: string, key: string, effect: () => T): Promise<T> {
    return this.#faults.carry({ store: 'manifest', method, key }, effect);
  }
}

const keyOf = (sceneJobId: string, window: WindowName): string => `${sceneJobId}/${window}`;
