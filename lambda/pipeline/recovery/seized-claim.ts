import { LeaseLostError } from '../../gates/claim-errors.ts';
import type { ClaimAttempt } from '../../gates/claim-layer.ts';
import type { ClaimRow, OwnerAnswer } from '../../gates/claim-store.ts';
import { startHeartbeat } from '../../gates/heartbeat.ts';
import type { PipelineContext } from '../context.ts';

/** What a deletion may touch. */
export type DeletionContext = Pick<
  PipelineContext,
  'claims' | 'objects' | 'manifest' | 'clock' | 'telemetry' | 'claimTiming' | 'newOwner'
>;

/** What an act answers that found the job's output to be in order after all. */
export const KEEP: unique symbol = Symbol('keep');

export type SeizedOutcome<T> =
  | { readonly kind: 'done'; readonly result: T }
  | { readonly kind: 'kept' }
  | { readonly kind: 'live'; readonly claim: ClaimRow };

/** @throws LeaseLostError once the claim may be another's: asked before each step of a deletion. */
export type AssertHeld = () => void;

/**
 * Runs `act` while holding a job's claim, also a COMMITTED one, never against a live lease (docs/design.md, section 7:
 * who deletes an object holds its claim). Afterwards the claim is gone, so that the job can be done anew; an act that
 * answers `keep` found nothing to delete, and the job stays done; a failing act only lapses the claim, so that whoever
 * repeats the deletion can take it.
 *
 * The lease is kept by a heartbeat where there is one, and `act` asks `held` before each step: a deletion that stood still
 * until its lease ended by the monotonic clock goes no further, for somebody may have made its object anew.
 *
 * @throws LeaseLostError where the lease ended, or another has the job, before the deletion was done.
 */
export const withSeizedClaim = async <T>(
  context: DeletionContext,
  jobId: string,
  act: (held: AssertHeld) => Promise<T | typeof KEEP>,
): Promise<SeizedOutcome<T>> => {
  const { claims, clock, claimTiming } = context;
  const owner = context.newOwner();
  const before = await claims.get(jobId);
  const now = clock.now();
  const asked = clock.monotonic();
  const answer = await claims.seize({
    jobId,
    owner,
    now,
    leaseUntil: now + claimTiming.leaseMs,
    expiresAt: Math.floor(now / 1000) + claimTiming.claimedRowTtlSeconds,
  });
  if (answer.kind !== 'won') return { kind: 'live', claim: answer.row };
  const lease = holdLease({ jobId, owner, store: claims, clock, timing: claimTiming }, asked);
  const ended = (how: OwnerAnswer): void => {
    if (how === 'lost') throw new LeaseLostError(jobId, 'deletion');
  };
  try {
    const result = await act(lease.assertHeld);
    lease.assertHeld();
    if (result === KEEP) {
      ended(await claims.commit({ jobId, owner, now: clock.now(), result: before?.result ?? 'null' }));
      return { kind: 'kept' };
    }
    ended(await claims.forget({ jobId, owner }));
    return { kind: 'done', result };
  } catch (error) {
    await claims.release({ jobId, owner, now: clock.now() - 1 }).catch(() => undefined);
    throw error;
  } finally {
    await lease.stop();
  }
};

const holdLease = (attempt: ClaimAttempt, asked: number): { assertHeld: AssertHeld; stop: () => Promise<void> } => {
  const { jobId, clock, timing } = attempt;
  let lost: LeaseLostError | null = null;
  const heartbeat =
    timing.heartbeatMs === null
      ? null
      : startHeartbeat(attempt, timing.heartbeatMs, (error) => void (lost = error), asked);
  const held = heartbeat?.held ?? (() => clock.monotonic() < asked + timing.leaseMs);
  return {
    assertHeld: () => {
      if (lost !== null || !held()) throw lost ?? new LeaseLostError(jobId, 'deletion');
    },
    stop: async () => heartbeat?.stop(),
  };
};

/** Removes the object under `key` as it is now, and every version kept of it. @returns bytes of the object; null: there was none. */
export const removeObject = async (
  { objects }: Pick<DeletionContext, 'objects'>,
  key: string,
  assertHeld: AssertHeld,
): Promise<number | null> => {
  let bytes: number | null = null;
  // Nobody else may write here while its claim is held; one who does all the same is met by the ETag.
  for (;;) {
    const info = await objects.head(key);
    if (info === null) break;
    assertHeld();
    if (await objects.remove(key, info.etag)) bytes = info.bytes;
  }
  assertHeld();
  await objects.eraseVersions(key);
  return bytes;
};
