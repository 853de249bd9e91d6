import { StoreUnavailableError, TileonceError } from '../errors.ts';
import { sha256Hex } from '../identity/sha256.ts';
import { CONFLICT_PAUSE_MS, CONFLICT_RETRIES, type WriteContext } from './conditional-write.ts';
import type { NewObject, ObjectInfo } from './object-store.ts';

/** `superseded`: another's object stands there since the inspection, and was left alone. */
export type OverwriteOutcome =
  | { readonly kind: 'written' | 'already-present'; readonly object: ObjectInfo & { readonly sha256: string } }
  | { readonly kind: 'superseded' };

/** Something else was written since the object was inspected: it is newer than what we had to write. */
export class SupersededWriteError extends TileonceError {
  constructor(key: string) {
    super(`${key} was replaced by another since it was inspected; it was left as it is`, {
      remedy: 'run the backfill again if it is not the one you want',
    });
  }
}

/**
 * The write gate of a backfill (docs/design.md, section 7): replaces exactly the inspected object, or creates one where
 * the inspection found none. An unconditional overwrite does not exist.
 *
 *     inspected is ours already ─────────────────────────────▶ already-present, nothing is sent
 *     PUT If-Match: inspected | If-None-Match: * ─▶ done ────▶ written
 *                                                ─▶ 412 ────▶ look: ours → written (a lost reply, a twin)
 *                                                                   another's, or none → superseded
 *                                                ─▶ 409 ────▶ pause, once more; then fail the item
 *
 * @throws StoreUnavailableError, also after the last 409.
 */
export const writeOver = async (
  context: WriteContext,
  object: NewObject,
  inspected: ObjectInfo | null,
): Promise<OverwriteOutcome> => {
  const { objects, clock, telemetry } = context;
  const { key, sha256, digest } = object;
  if (inspected !== null && inspected.sha256 === sha256) {
    return { kind: 'already-present', object: { ...inspected, sha256, digest } };
  }
  for (let attempt = 0; attempt <= CONFLICT_RETRIES; attempt++) {
    const answer = inspected === null ? await objects.create(object) : await objects.replace(object, inspected.etag);
    if (answer.kind === 'created' || answer.kind === 'replaced') {
      telemetry.count('BytesWritten', object.body.byteLength);
      return { kind: 'written', object: { key, bytes: object.body.byteLength, etag: answer.etag, sha256, digest } };
    }
    if (answer.kind !== 'conflict') {
      telemetry.count('ConditionalWritePreconditionFailed', 1);
      return lookAgain(context, object);
    }
    telemetry.count('Conflict409Retried', 1);
    await clock.sleep(CONFLICT_PAUSE_MS * 2 ** attempt * (0.5 + clock.random()));
  }
  throw new StoreUnavailableError(`${key} could not be replaced: the store kept answering 409`, {
    remedy: 'run the backfill again',
  });
};

const lookAgain = async (context: WriteContext, object: NewObject): Promise<OverwriteOutcome> => {
  const info = await context.objects.head(object.key);
  if (info === null) return { kind: 'superseded' };
  const digest = info.digest ?? (await context.digestOf(object.key));
  if (digest !== object.digest) return { kind: 'superseded' };
  if (info.sha256 !== null) return { kind: 'written', object: { ...info, sha256: info.sha256 } };
  const body = await context.objects.get(object.key);
  return body === null ? { kind: 'superseded' } : { kind: 'written', object: { ...info, sha256: sha256Hex(body) } };
};
