import { IdempotencyItemAlreadyExistsError, IdempotencyRecordStatus } from '@aws-lambda-powertools/idempotency';
import { BasePersistenceLayer, IdempotencyRecord } from '@aws-lambda-powertools/idempotency/persistence';
import type { JSONValue } from '@aws-lambda-powertools/commons/types';
import type { Clock } from '../clock.ts';
import { StoreUnavailableError } from '../errors.ts';
import { failureText } from './failure-text.ts';
import { LeaseLostError } from './claim-errors.ts';
import type { ClaimAnswer, ClaimRow, ClaimStore } from './claim-store.ts';

/** How long a claim holds. */
export interface ClaimTiming {
  readonly leaseMs: number;
  /** Lifetime of a CLAIMED row that nobody comes back to, seconds. */
  readonly claimedRowTtlSeconds: number;
  /** Time between heartbeats, or null where the work's ceiling is below the lease. */
  readonly heartbeatMs: number | null;
}

export interface ClaimAttempt {
  readonly jobId: string;
  /** Random per attempt: the fence. */
  readonly owner: string;
  readonly store: ClaimStore;
  readonly clock: Clock;
  readonly timing: ClaimTiming;
}

/**
 * The claim's rules as a Powertools persistence layer; one instance per attempt.
 *
 *     makeIdempotent        this layer               the claim store
 *     saveInProgress ─────▶ claim(job, me, lease) ─▶ won | COMMITTED | CLAIMED and live
 *     (work runs)
 *     saveSuccess    ─────▶ commit(job, me)       ─▶ done | lost → LeaseLostError
 *     deleteRecord   ─────▶ release(job, me)      ─▶ lease lapsed (a row is never deleted)
 *
 * Powertools' own layer would let a COMMITTED row run again once it expires and would let a stale owner update or
 * delete its rival's row; records here therefore never carry an expiry, and every change carries the owner.
 */
export class ClaimLayer extends BasePersistenceLayer {
  readonly #attempt: ClaimAttempt;
  #answer: ClaimAnswer | null = null;
  #askedAt = 0;
  #failure: string | null = null;

  constructor(attempt: ClaimAttempt) {
    super();
    this.#attempt = attempt;
  }

  /** What the store said to the claim; null before it was asked. */
  get answer(): ClaimAnswer | null {
    return this.#answer;
  }

  /** When the store was asked, ms of the monotonic clock: a slow reply must not make the lease look longer. */
  get askedAt(): number {
    return this.#askedAt;
  }

  /** The work failed: a release keeps the reason. Powertools deletes a failing record without saying why. */
  failed(error: unknown): void {
    this.#failure = failureText(error);
  }

  /** Claims the job. The base class would compute an expiry from the wall clock and warn of a missing Lambda context. */
  override async saveInProgress(): Promise<void> {
    const { jobId, owner, store, clock, timing } = this.#attempt;
    const now = clock.now();
    this.#askedAt = clock.monotonic();
    const answer = await store.claim({
      jobId,
      owner,
      now,
      leaseUntil: now + timing.leaseMs,
      expiresAt: Math.floor(now / 1000) + timing.claimedRowTtlSeconds,
    });
    this.#answer = answer;
    if (answer.kind === 'won') return;
    throw new IdempotencyItemAlreadyExistsError(`job ${jobId} is ${answer.row.state}`, recordOf(answer.row));
  }

  protected override async _putRecord(): Promise<void> {
    await this.saveInProgress();
  }

  protected override async _updateRecord(record: IdempotencyRecord): Promise<void> {
    const { jobId, owner, store, clock } = this.#attempt;
    const result = JSON.stringify(record.responseData ?? null);
    const answer = await store.commit({ jobId, owner, now: clock.now(), result });
    if (answer === 'lost') throw new LeaseLostError(jobId, 'commit');
  }

  /**
   * A release that finds another owner, or no store, is no error of its own: the lease lapses by itself, and the
   * work's error is what the caller must see.
   */
  protected override async _deleteRecord(): Promise<void> {
    const { jobId, owner, store, clock } = this.#attempt;
    try {
      // A lease is over once it lies before now: lapsed to a moment ago, it can be claimed at once.
      await store.release({
        jobId,
        owner,
        now: clock.now() - 1,
        ...(this.#failure === null ? {} : { error: this.#failure }),
      });
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
  }

  protected override async _getRecord(): Promise<IdempotencyRecord> {
    const { jobId, store } = this.#attempt;
    const row = await store.get(jobId);
    if (row === null) throw new LeaseLostError(jobId, 'commit');
    return recordOf(row);
  }

  /** The job id is the key; nothing is hashed again and no function name is put before it. */
  protected override getHashedIdempotencyKey(): string {
    return this.#attempt.jobId;
  }
}

const recordOf = (row: ClaimRow): IdempotencyRecord =>
  new IdempotencyRecord({
    idempotencyKey: row.jobId,
    status: row.state === 'COMMITTED' ? IdempotencyRecordStatus.COMPLETED : IdempotencyRecordStatus.INPROGRESS,
    ...(row.result === null ? {} : { responseData: parseResult(row.result) }),
  });

const parseResult = (text: string): JSONValue => JSON.parse(text);
