import type {
  ClaimAnswer,
  ClaimRequest,
  ClaimRow,
  ClaimStore,
  OwnerAnswer,
  ReleaseRequest,
} from '../../../lambda/gates/claim-store.ts';
import type { Faults } from './faults.ts';

/** The claim rules in memory, each method one atomic step. Subclasses break one rule each, for negative controls. */
export class MemoryClaimStore implements ClaimStore {
  readonly rows = new Map<string, ClaimRow>();
  readonly #faults: Faults;

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  claim(request: ClaimRequest): Promise<ClaimAnswer> {
    return this.carry('claim', request.jobId, () => {
      const before = this.rows.get(request.jobId);
      if (before !== undefined && !this.mayClaim(before, request)) {
        return { kind: before.state === 'COMMITTED' ? 'committed' : 'live', row: before };
      }
      return this.win(before, request);
    });
  }

  commit(request: { jobId: string; owner: string; now: number; result: string }): Promise<OwnerAnswer> {
    const { jobId, owner, now, result } = request;
    return this.carry('commit', jobId, () => {
      const row = this.rows.get(jobId);
      if (row?.state === 'COMMITTED' && row.owner === owner) return 'done';
      return this.change(jobId, owner, {
        state: 'COMMITTED',
        finishedAt: now,
        result,
        expiresAt: null,
        lastError: null,
      });
    });
  }

  release({ jobId, owner, now, error }: ReleaseRequest): Promise<OwnerAnswer> {
    const told = error === undefined ? {} : { lastError: error };
    return this.carry('release', jobId, () => {
      const leaseUntil = Math.min(now, this.rows.get(jobId)?.leaseUntil ?? now);
      return this.change(jobId, owner, { leaseUntil, ...told });
    });
  }

  extend(request: { jobId: string; owner: string; leaseUntil: number }): Promise<OwnerAnswer> {
    const { jobId, owner, leaseUntil } = request;
    return this.carry('extend', jobId, () => this.change(jobId, owner, { leaseUntil }));
  }

  get(jobId: string): Promise<ClaimRow | null> {
    return this.carry('get', jobId, () => this.rows.get(jobId) ?? null);
  }

  seize(request: ClaimRequest): Promise<ClaimAnswer> {
    return this.carry('seize', request.jobId, () => {
      const before = this.rows.get(request.jobId);
      if (before !== undefined && !this.maySeize(before, request)) return { kind: 'live', row: before };
      return this.win(before, request);
    });
  }

  forget({ jobId, owner }: { jobId: string; owner: string }): Promise<OwnerAnswer> {
    return this.carry('forget', jobId, () => {
      const row = this.rows.get(jobId);
      if (row !== undefined && !this.mayChange(row, owner)) return 'lost';
      this.rows.delete(jobId);
      return 'done';
    });
  }

  protected maySeize(row: ClaimRow, request: ClaimRequest): boolean {
    return row.state === 'COMMITTED' || row.leaseUntil < request.now || row.owner === request.owner;
  }

  protected win(before: ClaimRow | undefined, request: ClaimRequest): ClaimAnswer {
    const mine = before?.owner === request.owner;
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
    this.rows.set(row.jobId, row);
    return { kind: 'won', row, tookOver: before !== undefined && !mine };
  }

  protected mayClaim(row: ClaimRow, request: ClaimRequest): boolean {
    return row.state === 'CLAIMED' && (row.leaseUntil < request.now || row.owner === request.owner);
  }

  protected mayChange(row: ClaimRow, owner: string): boolean {
    return row.state === 'CLAIMED' && row.owner === owner;
  }

  protected carry<T>(method: string, key: string, effect: () => T): Promise<T> {
    return this.#faults.carry({ store: 'claims', method, key }, effect);
  }

  protected change(jobId: string, owner: string, change: Partial<ClaimRow>): OwnerAnswer {
    const row = this.rows.get(jobId);
    if (row === undefined || !this.mayChange(row, owner)) return 'lost';
    this.rows.set(jobId, { ...row, ...change });
    return 'done';
  }
}
