import {
  type HealLook,
  type ManifestRow,
  type ManifestStore,
  PLAN_STATES,
  type PlanRecord,
  type PlanState,
  type WindowName,
} from '../../gates/manifest-store.ts';
import { parseStatistics, serialiseStatistics } from '../../gates/statistics-record.ts';
import { damaged, integer, oneOf, text, textOrNull } from './columns.ts';
import type { Ledger, LedgerRow } from './database.ts';

const planOf = (row: LedgerRow): PlanRecord => ({
  sceneJobId: text(row, 'scene_job_id'),
  plan: text(row, 'plan'),
  windowCount: integer(row, 'window_count'),
  state: oneOf(row, 'state', PLAN_STATES),
  reason: textOrNull(row, 'reason'),
  nextHealAt: integer(row, 'next_heal_at'),
  heals: integer(row, 'heals'),
  rowsAtHeal: integer(row, 'rows_at_heal'),
  location: text(row, 'location'),
});

const manifestRowOf = (row: LedgerRow): ManifestRow => {
  const place = { sceneJobId: text(row, 'scene_job_id'), window: text(row, 'window') };
  if (oneOf(row, 'state', ['WRITTEN', 'EMPTY']) === 'EMPTY') return { state: 'EMPTY', ...place };
  return {
    state: 'WRITTEN',
    ...place,
    key: text(row, 'key'),
    bytes: integer(row, 'bytes'),
    etag: text(row, 'etag'),
    sha256: text(row, 'sha256'),
    digest: text(row, 'digest'),
    validPixels: integer(row, 'valid_pixels'),
    statistics: parseStatistics(text(row, 'statistics')) ?? damaged('statistics'),
  };
};

/** Plans and manifest rows in the ledger; create-only, as docs/design.md, section 5 has it. */
export class EmbeddedManifestStore implements ManifestStore {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async createPlan(record: PlanRecord): Promise<'created' | 'exists'> {
    const changed = this.#ledger.run(
      `INSERT INTO plans
         (scene_job_id, plan, window_count, state, reason, next_heal_at, heals, rows_at_heal, location)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      [
        record.sceneJobId,
        record.plan,
        record.windowCount,
        record.state,
        record.reason,
        record.nextHealAt,
        record.heals,
        record.rowsAtHeal,
        record.location,
      ],
    );
    return changed === 1 ? 'created' : 'exists';
  }

  async getPlan(sceneJobId: string): Promise<PlanRecord | null> {
    const row = this.#ledger.get('SELECT * FROM plans WHERE scene_job_id = ?', [sceneJobId]);
    return row === undefined ? null : planOf(row);
  }

  async closePlan(sceneJobId: string, to: Exclude<PlanState, 'OPEN'>, reason: string | null): Promise<boolean> {
    return this.movePlan(sceneJobId, ['OPEN'], to, reason);
  }

  async reopenPlan(sceneJobId: string): Promise<boolean> {
    return this.movePlan(sceneJobId, ['SUPERSEDED', 'FAILED'], 'OPEN', null);
  }

  async postponeHeal(sceneJobId: string, expected: number, next: number, look?: HealLook): Promise<boolean> {
    const changed = this.#ledger.run(
      `UPDATE plans SET next_heal_at = ?, heals = coalesce(?, heals), rows_at_heal = coalesce(?, rows_at_heal)
       WHERE scene_job_id = ? AND state = 'OPEN' AND next_heal_at = ?`,
      [next, look?.heals ?? null, look?.rowsAtHeal ?? null, sceneJobId, expected],
    );
    return changed === 1;
  }

  async movePlan(
    sceneJobId: string,
    from: readonly PlanState[],
    to: PlanState,
    reason: string | null,
  ): Promise<boolean> {
    const changed = this.#ledger.run(
      `UPDATE plans SET state = ?, reason = ?
       WHERE scene_job_id = ? AND state IN (SELECT value FROM json_each(?))`,
      [to, reason, sceneJobId, JSON.stringify(from)],
    );
    return changed === 1;
  }

  /** In order of creation. */
  async listPlans(): Promise<PlanRecord[]> {
    return this.#ledger.all('SELECT * FROM plans ORDER BY rowid').map(planOf);
  }

  async listUnfinished(): Promise<PlanRecord[]> {
    return this.#ledger.all(`SELECT * FROM plans WHERE state IN ('OPEN', 'FAILED') ORDER BY rowid`).map(planOf);
  }

  async putRow(row: ManifestRow): Promise<'created' | 'exists'> {
    const changed = this.#ledger.run(
      `INSERT INTO manifest_rows
         (scene_job_id, window, state, key, bytes, etag, sha256, digest, valid_pixels, statistics)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      [row.sceneJobId, row.window, row.state, ...writtenColumns(row)],
    );
    return changed === 1 ? 'created' : 'exists';
  }

  async getRow(sceneJobId: string, window: WindowName): Promise<ManifestRow | null> {
    const row = this.#ledger.get('SELECT * FROM manifest_rows WHERE scene_job_id = ? AND window = ?', [
      sceneJobId,
      window,
    ]);
    return row === undefined ? null : manifestRowOf(row);
  }

  async countRows(sceneJobId: string): Promise<number> {
    const row = this.#ledger.get('SELECT count(*) AS n FROM manifest_rows WHERE scene_job_id = ?', [sceneJobId]);
    return row === undefined ? 0 : integer(row, 'n');
  }

  async listRows(sceneJobId: string): Promise<ManifestRow[]> {
    return this.#ledger
      .all('SELECT * FROM manifest_rows WHERE scene_job_id = ? ORDER BY window', [sceneJobId])
      .map(manifestRowOf);
  }

  async replaceRow(row: ManifestRow, etag: string | null): Promise<boolean> {
    const changed = this.#ledger.run(
      `UPDATE manifest_rows SET state = ?, key = ?, bytes = ?, etag = ?, sha256 = ?, digest = ?, valid_pixels = ?,
         statistics = ? WHERE scene_job_id = ? AND window = ? AND etag IS ?`,
      [row.state, ...writtenColumns(row), row.sceneJobId, row.window, etag],
    );
    return changed === 1;
  }

  async deleteRow(sceneJobId: string, window: WindowName, etag: string | null): Promise<boolean> {
    const changed = this.#ledger.run('DELETE FROM manifest_rows WHERE scene_job_id = ? AND window = ? AND etag IS ?', [
      sceneJobId,
      window,
      etag,
    ]);
    return changed === 1;
  }
}

/** key, bytes, etag, sha256, digest, valid_pixels, statistics: all NULL for an EMPTY row. */
const writtenColumns = (row: ManifestRow): (string | number | null)[] =>
  row.state === 'EMPTY'
    ? [null, null, null, null, null, null, null]
    : [row.key, row.bytes, row.etag, row.sha256, row.digest, row.validPixels, serialiseStatistics(row.statistics)];
