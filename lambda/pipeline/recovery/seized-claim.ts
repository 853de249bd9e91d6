import type { ClaimRow } from '../../gates/claim-store.ts';
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

/**
 * Runs `act` while holding a job's claim, also a COMMITTED one, never against a live lease (docs/design.md, section 7:
 * who deletes an object holds its claim). Afterwards the claim is gone, so that the job can be done anew; an act that
 * answers `keep` found nothing to delete, and the job stays done; a failing act only lapses the claim, so that whoever
 * repeats the deletion can take it.
 */
export const withSeizedClaim = async <T>(
  context: DeletionContext,
  jobId: string,
  act: () => Promise<T | typeof KEEP>,
): Promise<SeizedOutcome<T>> => {
  const { claims, clock, claimTiming } = context;
  const owner = context.newOwner();
  const now = clock.now();
  const before = await claims.get(jobId);
  const answer = await claims.seize({
    jobId,
    owner,
    now,
    leaseUntil: now + claimTiming.leaseMs,
    expiresAt: Math.floor(now / 1000) + claimTiming.claimedRowTtlSeconds,
  });
  if (answer.kind !== 'won') return { kind: 'live', claim: answer.row };
  try {
    const result = await act();
    if (result === KEEP) {
      await claims.commit({ jobId, owner, now: clock.now(), result: before?.result ?? 'null' });
      return { kind: 'kept' };
    }
    await claims.forget({ jobId, owner });
    return { kind: 'done', result };
  } catch (error) {
    await claims.release({ jobId, owner, now: clock.now() - 1 }).catch(() => undefined);
    throw error;
  }
};

/** Removes the object under `key` as it is now, and every version kept of it. @returns bytes of the object; null: there was none. */
export const removeObject = async (
  { objects }: Pick<DeletionContext, 'objects'>,
  key: string,
): Promise<number | null> => {
  let bytes: number | null = null;
  // Nobody else may write here while its claim is held; one who does all the same is met by the ETag.
  for (;;) {
    const info = await objects.head(key);
    if (info === null) break;
    if (await objects.remove(key, info.etag)) bytes = info.bytes;
  }
  await objects.eraseVersions(key);
  return bytes;
};
