/**
 * The claim store: one row per job, changed only by conditional writes (docs/design.md, section 4).
 *
 *     absent ──claim──▶ CLAIMED(owner, lease) ──commit, owner = me──▶ COMMITTED(result)   for ever
 *                          │        ▲
 *                          │        └── claim by anyone once lease_until < now, or by the same owner (a lost reply)
 *                          └── release, owner = me: lease_until = now, last_error (never a delete)
 *
 * All times are milliseconds since the epoch on the caller's clock.
 */
export interface ClaimRow {
  readonly jobId: string;
  readonly state: 'CLAIMED' | 'COMMITTED';
  /** Random per attempt: the fence. */
  readonly owner: string;
  readonly leaseUntil: number;
  readonly claimedAt: number;
  readonly finishedAt: number | null;
  /** How many attempts ever won this job, this one included. */
  readonly attempts: number;
  /** What the committed work returned, as JSON text. */
  readonly result: string | null;
  /** Time to live, seconds since the epoch; on CLAIMED rows only. */
  readonly expiresAt: number | null;
  /** What the last attempt failed of, one line; null while one is at work, and where it was killed and could say nothing. */
  readonly lastError: string | null;
}

export interface ClaimRequest {
  readonly jobId: string;
  readonly owner: string;
  readonly now: number;
  readonly leaseUntil: number;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

export interface ReleaseRequest {
  readonly jobId: string;
  readonly owner: string;
  readonly now: number;
  /** What the work failed of, one line. */
  readonly error?: string;
}

/** Three answers, three actions: work; return the stored result and acknowledge; hide until the lease has run out. */
export type ClaimAnswer =
  | {
      readonly kind: 'won';
      readonly row: ClaimRow;
      /** True when another owner's lapsed lease was taken. */ readonly tookOver: boolean;
    }
  | { readonly kind: 'committed'; readonly row: ClaimRow }
  | { readonly kind: 'live'; readonly row: ClaimRow };

export type OwnerAnswer = 'done' | 'lost';

/** Every method throws StoreUnavailableError where the store gives no answer. */
export interface ClaimStore {
  /**
   * `attribute_not_exists(job_id) OR (state = CLAIMED AND (lease_until < now OR owner = me))`, in one round trip.
   * Taking over, or claiming again as the same owner after a lost reply, keeps one row; `attempts` grows by one only
   * when the owner changes.
   */
  claim(request: ClaimRequest): Promise<ClaimAnswer>;
  /** `state = CLAIMED AND owner = me`; COMMITTED by me is `done` too (a lost reply). Removes the time to live. */
  commit(request: { jobId: string; owner: string; now: number; result: string }): Promise<OwnerAnswer>;
  /**
   * Lapses our own lease (`lease_until = now`), so that anyone may claim at once after, and keeps what the work failed
   * of until the next claim. Never deletes.
   */
  release(request: ReleaseRequest): Promise<OwnerAnswer>;
  /** The heartbeat: a later `lease_until` under the owner's condition. */
  extend(request: { jobId: string; owner: string; leaseUntil: number }): Promise<OwnerAnswer>;
  /** A consistent read. */
  get(jobId: string): Promise<ClaimRow | null>;
  /**
   * The claim of one who deletes what the job made: like `claim`, but a COMMITTED row is taken too. A live lease of
   * another's never is. Never answers `committed`.
   */
  seize(request: ClaimRequest): Promise<ClaimAnswer>;
  /** Deletes the row: `state = CLAIMED AND owner = me`. `done` too where there is none (a lost reply). */
  forget(request: { jobId: string; owner: string }): Promise<OwnerAnswer>;
}
