import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import type { JSONValue } from '@aws-lambda-powertools/commons/types';
import type { Telemetry } from '../telemetry.ts';
import { ClaimGateDisabledError, LeaseLostError } from './claim-errors.ts';
import { type ClaimAttempt, ClaimLayer } from './claim-layer.ts';
import { startHeartbeat } from './heartbeat.ts';

/** Another's live lease stands in the way of a job. */
export interface LiveClaim {
  readonly kind: 'live';
  /** When its lease ends, ms since the epoch on the clock of whoever holds it. */
  readonly leaseUntil: number;
  /** How many attempts ever won the job, the one at work included. */
  readonly attempts: number;
}

/**
 * What became of one attempt (docs/design.md, section 4).
 * `worked` and `committed`: acknowledge. `live`: do not acknowledge, hide the message until the lease has run out.
 */
export type ClaimOutcome =
  | { readonly kind: 'worked'; readonly result: JSONValue }
  | {
      readonly kind: 'committed';
      readonly result: JSONValue;
      /** When it was committed, ms since the epoch on the clock of whoever did. */
      readonly finishedAt: number | null;
    }
  | LiveClaim;

/**
 * Runs `work` under the claim of its job, through Powertools' makeIdempotent: claim → work → commit.
 * The work's own signal fires when the caller's does, or when the heartbeat loses the lease. A failing work's lease is
 * released and its error rethrown.
 *
 * @throws LeaseLostError where the commit or the heartbeat found another owner.
 * @throws StoreUnavailableError where the claim store gives no answer: nothing was done, acknowledge nothing.
 * @throws ClaimGateDisabledError where the environment asks for unclaimed work.
 */
export const withClaim = async (
  attempt: ClaimAttempt,
  telemetry: Telemetry,
  work: (signal: AbortSignal) => Promise<JSONValue>,
  signal?: AbortSignal,
): Promise<ClaimOutcome> => {
  const config = new IdempotencyConfig({ throwOnNoIdempotencyKey: true });
  if (!config.isEnabled()) throw new ClaimGateDisabledError();
  const layer = new ClaimLayer(attempt);
  const lease = new AbortController();
  const workSignal = signal === undefined ? lease.signal : AbortSignal.any([signal, lease.signal]);
  const { jobId, timing } = attempt;

  const claimedWork = makeIdempotent(
    async (_jobId: string): Promise<JSONValue> => {
      countWin(layer, telemetry, jobId);
      const heartbeat =
        timing.heartbeatMs === null
          ? null
          : startHeartbeat(attempt, timing.heartbeatMs, (error) => lease.abort(error), layer.askedAt);
      try {
        return await work(workSignal);
      } catch (error) {
        // An aborted work may fail in any way; what matters is why it was aborted.
        const cause = workSignal.aborted ? workSignal.reason : error;
        layer.failed(cause);
        throw lease.signal.aborted ? lease.signal.reason : error;
      } finally {
        await heartbeat?.stop();
      }
    },
    { persistenceStore: layer, config },
  );

  try {
    const result = await claimedWork(jobId);
    if (layer.answer?.kind === 'committed') {
      telemetry.count('ClaimsRefusedCommitted', 1);
      telemetry.event('info', 'Claim:Refused:Committed', { jobId });
      return { kind: 'committed', result, finishedAt: layer.answer.row.finishedAt };
    }
    return { kind: 'worked', result };
  } catch (error) {
    if (layer.answer?.kind === 'live') {
      telemetry.count('ClaimsRefusedLive', 1);
      const { leaseUntil, attempts } = layer.answer.row;
      telemetry.event('info', 'Claim:Refused:Live', { jobId, leaseUntil });
      return { kind: 'live', leaseUntil, attempts };
    }
    const cause = unwrapped(error);
    if (cause instanceof LeaseLostError) {
      telemetry.count('LeaseLost', 1);
      telemetry.event('error', 'Claim:Commit:LeaseLost', { jobId, message: cause.message });
    }
    throw cause;
  }
};

const countWin = (layer: ClaimLayer, telemetry: Telemetry, jobId: string): void => {
  if (layer.answer?.kind !== 'won') return;
  const { row, tookOver } = layer.answer;
  telemetry.count('ClaimsWon', 1);
  if (tookOver) telemetry.count('LeasesTaken', 1);
  telemetry.event(tookOver ? 'warn' : 'debug', tookOver ? 'Claim:Takeover:Done' : 'Claim:Won', {
    jobId,
    attempts: row.attempts,
  });
};

/** Powertools wraps what a persistence layer throws; the layer's own error is what callers handle. */
const unwrapped = (error: unknown): unknown =>
  error instanceof Error && error.name === 'IdempotencyPersistenceLayerError' && error.cause !== undefined
    ? error.cause
    : error;
