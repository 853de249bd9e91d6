import type {
  ClaimAnswer,
  ClaimRequest,
  ClaimRow,
  ClaimStore,
  OwnerAnswer,
  ReleaseRequest,
} from '../../gates/claim-store.ts';
import { integer, integerOrNull, oneOf, text, textOrNull } from './columns.ts';
import type { Ledger, LedgerRow } from './database.ts';

const rowOf = (row: LedgerRow): ClaimRow => ({
  jobId: text(row, 'job_id'),
  state: oneOf(row, 'state', ['CLAIMED', 'COMMITTED']),
  owner: text(row, 'owner'),
  leaseUntil: integer(row, 'lease_until'),
  claimedAt: integer(row, 'claimed_at'),
  finishedAt: integerOrNull(row, 'finished_at'),
  attempts: integer(row, 'attempts'),
  result: textOrNull(row, 'result'),
  expiresAt: integerOrNull(row, 'expires_at'),
  lastError: textOrNull(row, 'last_error'),
});

/** Claims in the ledger (the rules: docs/design.md, section 4). One machine, so one clock; `expires_at` is only kept. */
export class EmbeddedClaimStore implements ClaimStore {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    return this.#take(request, false);
  }

  async seize(request: ClaimRequest): Promise<ClaimAnswer> {
    return this.#take(request, true);
  }

  #take(request: ClaimRequest, committedToo: boolean): ClaimAnswer {
    return this.#ledger.transaction((): ClaimAnswer => {
      const before = this.#read(request.jobId);
      const committed = before?.state === 'COMMITTED';
      if (committed && !committedToo) return { kind: 'committed', row: before };
      const mine = before?.owner === request.owner;
      if (before !== null && !committed && !mine && before.leaseUntil >= request.now)
        return { kind: 'live', row: before };
      const row: ClaimRow = {
        jobId: request.jobId,
        state: 'CLAIMED',
        owner: request.owner,
        leaseUntil: request.leaseUntil,
        claimedAt: request.now,
        finishedAt: null,
        attempts: (before?.attempts ?? 0) + (mine ? 0 : 1),
        result: null,
        expiresAt: request.expiresAt,
        lastError: null,
      };
      this.#ledger.run(
        `INSERT INTO claims (job_id, state, owner, lease_until, claimed_at, attempts, expires_at)
         VALUES (?, 'CLAIMED', ?, ?, ?, ?, ?)
         ON CONFLICT (job_id) DO UPDATE SET state = 'CLAIMED', owner = excluded.owner,
           lease_until = excluded.lease_until, claimed_at = excluded.claimed_at, finished_at = NULL,
           attempts = excluded.attempts, result = NULL, expires_at = excluded.expires_at,
           last_error = NULL`,
        [row.jobId, row.owner, row.leaseUntil, row.claimedAt, row.attempts, row.expiresAt],
      );
      return { kind: 'won', row, tookOver: before !== null && !mine };
    });
  }

  async commit(request: { jobId: string; owner: string; now: number; result: string }): Promise<OwnerAnswer> {
    const changed = this.#ledger.run(
      `UPDATE claims SET state = 'COMMITTED', finished_at = ?, result = ?, expires_at = NULL, last_error = NULL
       WHERE job_id = ? AND owner = ? AND state = 'CLAIMED'`,
      [request.now, request.result, request.jobId, request.owner],
    );
    if (changed === 1) return 'done';
    const row = this.#read(request.jobId);
    return row?.state === 'COMMITTED' && row.owner === request.owner ? 'done' : 'lost';
  }

  async release(request: ReleaseRequest): Promise<OwnerAnswer> {
    // A lease that has lapsed already must not be made to end later.
    const changed = this.#ledger.run(
      `UPDATE claims SET lease_until = min(lease_until, ?), last_error = coalesce(?, last_error)
       WHERE job_id = ? AND owner = ? AND state = 'CLAIMED'`,
      [request.now, request.error ?? null, request.jobId, request.owner],
    );
    return changed === 1 ? 'done' : 'lost';
  }

  async extend(request: { jobId: string; owner: string; leaseUntil: number }): Promise<OwnerAnswer> {
    const changed = this.#ledger.run(
      `UPDATE claims SET lease_until = ? WHERE job_id = ? AND owner = ? AND state = 'CLAIMED'`,
      [request.leaseUntil, request.jobId, request.owner],
    );
    return changed === 1 ? 'done' : 'lost';
  }

  async get(jobId: string): Promise<ClaimRow | null> {
    return this.#read(jobId);
  }

  async forget(request: { jobId: string; owner: string }): Promise<OwnerAnswer> {
    const changed = this.#ledger.run(`DELETE FROM claims WHERE job_id = ? AND owner = ? AND state = 'CLAIMED'`, [
      request.jobId,
      request.owner,
    ]);
    return changed === 1 || this.#read(request.jobId) === null ? 'done' : 'lost';
  }

  #read(jobId: string): ClaimRow | null {
    const row = this.#ledger.get('SELECT * FROM claims WHERE job_id = ?', [jobId]);
    return row === undefined ? null : rowOf(row);
  }
}
