import type { ClaimAnswer, ClaimRequest, ClaimRow, OwnerAnswer } from '../../../lambda/gates/claim-store.ts';
import { MemoryClaimStore } from './claim-store.ts';

/** Commits, releases and extends whoever owns the claim. */
export class IgnoresOwner extends MemoryClaimStore {
  protected override mayChange(row: ClaimRow): boolean {
    return row.state === 'CLAIMED';
  }
}

/** Runs committed work again after an hour. */
export class ForgetsCommits extends MemoryClaimStore {
  protected override mayClaim(row: ClaimRow, request: ClaimRequest): boolean {
    return super.mayClaim(row, request) || request.now > row.claimedAt + 3_600_000;
  }
}

/** Takes a live lease from its owner. */
export class StealsLeases extends MemoryClaimStore {
  protected override mayClaim(row: ClaimRow): boolean {
    return row.state === 'CLAIMED';
  }
}

/** Leaves the job of a dead owner locked for ever. */
export class NeverTakesOver extends MemoryClaimStore {
  protected override mayClaim(row: ClaimRow, request: ClaimRequest): boolean {
    return row.state === 'CLAIMED' && row.owner === request.owner;
  }
}

/** Refuses the retry of one's own claim whose reply was lost. */
export class RefusesOwner extends MemoryClaimStore {
  protected override mayClaim(row: ClaimRow, request: ClaimRequest): boolean {
    return row.state === 'CLAIMED' && row.leaseUntil < request.now;
  }
}

/** Lets committed rows expire. */
export class KeepsTimeToLive extends MemoryClaimStore {
  protected override change(jobId: string, owner: string, change: Partial<ClaimRow>): OwnerAnswer {
    const { expiresAt: _dropped, ...rest } = change;
    return super.change(jobId, owner, rest);
  }
}

/** Deletes the row on release. */
export class DeletesOnRelease extends MemoryClaimStore {
  override release(request: { jobId: string; owner: string; now: number }): Promise<OwnerAnswer> {
    return this.carry('release', request.jobId, () => (this.rows.delete(request.jobId) ? 'done' : 'lost'));
  }
}

/** Lets anyone say what the job failed of, and says it after the job is done, too. */
export class KeepsErrors extends MemoryClaimStore {
  protected override change(jobId: string, owner: string, change: Partial<ClaimRow>): OwnerAnswer {
    const lastError = change.lastError ?? this.rows.get(jobId)?.lastError ?? null;
    return super.change(jobId, owner, { ...change, lastError });
  }
}

/** Reads, then writes: two at once both see a free job. */
export class ReadsThenWrites extends MemoryClaimStore {
  override async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    if (this.rows.has(request.jobId)) return super.claim(request);
    await Promise.resolve();
    return this.win(undefined, request);
  }
}

/** Deletes over the head of whoever is at work. */
export class SeizesLiveLeases extends MemoryClaimStore {
  protected override maySeize(): boolean {
    return true;
  }
}

/** Leaves finished work to whoever would delete it. */
export class NeverSeizesCommits extends MemoryClaimStore {
  protected override maySeize(row: ClaimRow, request: ClaimRequest): boolean {
    return row.state === 'CLAIMED' && super.maySeize(row, request);
  }
}
