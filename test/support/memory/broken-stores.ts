import type { ManifestRow, PlanState } from '../../../lambda/gates/manifest-store.ts';
import type { CreateAnswer, ListedObject, NewObject, Upload } from '../../../lambda/gates/object-store.ts';
import type { Delivery, QueueName } from '../../../lambda/gates/queue.ts';
import type { RangeReader } from '../../../lambda/raster/types.ts';
import { MemoryManifestStore } from './manifest-store.ts';
import { MemoryObjectStore } from './object-store.ts';
import { type MemoryMessage, MemoryQueue } from './queue.ts';

/** A plain PUT: overwrites what is there. */
export class Overwrites extends MemoryObjectStore {
  protected override mayCreate(): boolean {
    return true;
  }
}

/** Looks, then puts: two at once both see nothing. */
export class LooksThenPuts extends MemoryObjectStore {
  override async create(object: NewObject): Promise<CreateAnswer> {
    if (this.current(object.key) !== null) return { kind: 'exists' };
    await Promise.resolve();
    return { kind: 'created', etag: this.put(object, 'created') };
  }
}

/** Replaces and removes whatever is there. */
export class IgnoresEtag extends MemoryObjectStore {
  protected override mayReplace(key: string): boolean {
    return this.current(key) !== null;
  }
}

/** Creates where there was nothing to replace. */
export class ReplacesNothing extends MemoryObjectStore {
  protected override mayReplace(key: string, etag: string): boolean {
    return this.current(key) === null || super.mayReplace(key, etag);
  }
}

/** Completes an upload over whatever is there by now. */
export class UploadsOverAnything extends MemoryObjectStore {
  protected override begin(object: Omit<NewObject, 'body' | 'sha256'>, etag?: string): Upload {
    const upload = super.begin(object, etag);
    if (etag === undefined) return upload;
    return {
      ...upload,
      complete: async () => ({
        kind: 'created',
        etag: this.put({ ...object, body: new Uint8Array(1), sha256: '' }, 'replaced'),
      }),
    };
  }
}

/** Lists every key there is. */
export class ListsEverything extends MemoryObjectStore {
  override list(): AsyncGenerator<ListedObject> {
    return super.list('');
  }
}

/** Erases what begins with the key. */
export class ErasesByPrefix extends MemoryObjectStore {
  override async eraseVersions(prefix: string): Promise<number> {
    let erased = 0;
    for (const key of this.keys().filter((name) => name.startsWith(prefix))) {
      const standing = await this.head(key);
      if (standing !== null) await this.remove(key, standing.etag);
      erased += await super.eraseVersions(key);
    }
    return erased + (await super.eraseVersions(prefix));
  }
}

/** Erases the object that stands there, too. */
export class ErasesObjects extends MemoryObjectStore {
  override async eraseVersions(key: string): Promise<number> {
    const standing = await this.head(key);
    if (standing !== null) await this.remove(key, standing.etag);
    return super.eraseVersions(key);
  }
}

/** Opens the object that is there, whichever was asked for. */
export class OpensAnything extends MemoryObjectStore {
  override open(key: string): Promise<(RangeReader & AsyncDisposable) | null> {
    return super.open(key);
  }
}

/** Shows an upload under its key from its first byte. */
export class ShowsUploads extends MemoryObjectStore {
  protected override begin(object: Omit<NewObject, 'body' | 'sha256'>): Upload {
    this.put({ ...object, body: new Uint8Array(1), sha256: '' }, 'created');
    return super.begin(object);
  }
}

/** Rows and plans are put, not created. */
export class PutsRows extends MemoryManifestStore {
  protected override createOnly<T>(into: Map<string, T>, key: string, value: T): 'created' | 'exists' {
    into.set(key, value);
    return 'created';
  }
}

/** Closes and opens plans from any state. */
export class IgnoresState extends MemoryManifestStore {
  protected override move(scene: string, _from: readonly PlanState[], to: PlanState, reason: string | null): boolean {
    return super.move(scene, ['OPEN', 'ASSEMBLED', 'SUPERSEDED', 'FAILED', 'PURGED'], to, reason);
  }
}

/** Changes rows whatever their objects are. */
export class IgnoresRowEtag extends MemoryManifestStore {
  protected override isInspected(row: ManifestRow | undefined): boolean {
    return row !== undefined;
  }
}

/** Keeps no count of healings. */
export class ForgetsHeals extends MemoryManifestStore {
  override postponeHeal(sceneJobId: string, expected: number, next: number): Promise<boolean> {
    return super.postponeHeal(sceneJobId, expected, next);
  }
}

/** Lists rows as they came, of every scene that starts alike. */
export class ListsByPrefix extends MemoryManifestStore {
  override listRows(sceneJobId: string): Promise<ManifestRow[]> {
    return Promise.resolve([...this.rows.values()].filter((row) => row.sceneJobId.startsWith(sceneJobId)));
  }
}

/** Takes any receipt of a message for its latest. */
export class TakesStaleReceipts extends MemoryQueue {
  protected override holding(queue: QueueName, receipt: string): MemoryMessage | undefined {
    return this.messages.find((message) => message.queue === queue && receipt.startsWith(`${message.id}.`));
  }
}

/** Delivers a poisoned message for ever. */
export class NeverGivesUp extends MemoryQueue {
  protected override isSpent(): boolean {
    return false;
  }
}

/** Gives up one receive too early. */
export class GivesUpEarly extends MemoryQueue {
  protected override isSpent(message: MemoryMessage): boolean {
    return message.receiveCount >= this.options.maxReceives - 1;
  }
}

/** Delivers what is being worked on. */
export class HidesNothing extends MemoryQueue {
  override receive(queue: QueueName): Promise<Delivery<string> | null> {
    return super.receive(queue, 0);
  }
}

/** Forgets a message once it was delivered. */
export class DeliversAtMostOnce extends MemoryQueue {
  override async receive(queue: QueueName, visibilityMs: number): Promise<Delivery<string> | null> {
    const delivery = await super.receive(queue, visibilityMs);
    if (delivery !== null) await super.acknowledge(queue, delivery.receipt);
    return delivery;
  }
}

/** Counts a wait like a failure. */
export class CountsWaits extends MemoryQueue {
  override postpone(queue: QueueName, receipt: string, visibilityMs: number): Promise<void> {
    return this.hide(queue, receipt, visibilityMs);
  }
}

/** Takes finished plans for unfinished ones. */
export class NeverFinishes extends MemoryManifestStore {
  protected override isUnfinished(): boolean {
    return true;
  }
}
