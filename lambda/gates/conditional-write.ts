import type { Clock } from '../clock.ts';
import { StoreUnavailableError, TileonceError } from '../errors.ts';
import { sha256Hex } from '../identity/sha256.ts';
import type { Telemetry } from '../telemetry.ts';
import type { NewObject, ObjectInfo, ObjectStore } from './object-store.ts';

/** The key already holds other pixels than ours. Never overwritten, never acknowledged as done. */
export class DivergentTileError extends TileonceError {
  readonly key: string;

  constructor(key: string, ours: string, theirs: string | null) {
    super(`${key} already exists with other content (digest ${theirs ?? 'unreadable'}, ours ${ours})`, {
      remedy: 'two code versions or a non-deterministic pipeline wrote one key; keep the object, find the difference',
    });
    this.key = key;
  }
}

/** Either way the object under the key is ours, and `object` describes what is there. */
export interface WriteOutcome {
  readonly kind: 'written' | 'already-present';
  readonly object: ObjectInfo & { readonly sha256: string };
}

export interface WriteContext {
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** The digest of a stored object that carries none as metadata: read from inside it, or recomputed. */
  digestOf(key: string): Promise<string | null>;
}

/** How often a 409 is retried, and the first pause, ms (doubling, with jitter). */
export const CONFLICT_RETRIES = 6;
export const CONFLICT_PAUSE_MS = 100;

/**
 * The write gate (docs/design.md, section 5): create-if-absent on a deterministic key.
 *
 *     create ─▶ created ────────────────────────────────▶ written
 *            ─▶ exists ─▶ look ─▶ digest is ours ───────▶ already-present
 *                              ─▶ another's ────────────▶ DivergentTileError
 *                              ─▶ gone again ───────────▶ create once more
 *            ─▶ conflict (409: not "present") ──────────▶ pause, create once more; then fail the item
 *
 * @throws DivergentTileError, StoreUnavailableError (also after the last 409).
 */
export const writeOnce = async (context: WriteContext, object: NewObject): Promise<WriteOutcome> => {
  const { objects, clock, telemetry } = context;
  for (let attempt = 0; attempt <= CONFLICT_RETRIES; attempt++) {
    const answer = await objects.create(object);
    if (answer.kind === 'created') {
      telemetry.count('BytesWritten', object.body.byteLength);
      const { key, sha256, digest } = object;
      return { kind: 'written', object: { key, bytes: object.body.byteLength, etag: answer.etag, sha256, digest } };
    }
    if (answer.kind === 'exists') {
      telemetry.count('ConditionalWritePreconditionFailed', 1);
      const present = await lookAtPresent(context, object);
      if (present !== null) return present;
    } else {
      telemetry.count('Conflict409Retried', 1);
      telemetry.event('warn', 'Object:Create:Conflict', { key: object.key, attempt });
    }
    await clock.sleep(CONFLICT_PAUSE_MS * 2 ** attempt * (0.5 + clock.random()));
  }
  throw new StoreUnavailableError(
    `${object.key} could not be created: the store kept answering 409 or lost the object`,
    {
      remedy: 'the message comes back by itself',
    },
  );
};

/** The row must describe the object that is there: the same pixels may stand there in other bytes (another compressor). */
const sha256OfStored = async (context: WriteContext, info: ObjectInfo): Promise<string> => {
  const body = await context.objects.get(info.key);
  if (body === null) throw new StoreUnavailableError(`${info.key} vanished while it was looked at`);
  return sha256Hex(body);
};

/** What stands under the key, if it is ours; null where it is gone again. */
const lookAtPresent = async (context: WriteContext, object: NewObject): Promise<WriteOutcome | null> => {
  const { objects, telemetry } = context;
  const info = await objects.head(object.key);
  if (info === null) return null;
  const digest = info.digest ?? (await context.digestOf(object.key));
  if (digest !== object.digest) {
    telemetry.count('DivergentTiles', 1);
    telemetry.event('error', 'Object:Create:Divergent', { key: object.key, ours: object.digest, theirs: digest });
    throw new DivergentTileError(object.key, object.digest, digest);
  }
  telemetry.event('info', 'Object:Create:AlreadyPresent', { key: object.key });
  return { kind: 'already-present', object: { ...info, sha256: info.sha256 ?? (await sha256OfStored(context, info)) } };
};
