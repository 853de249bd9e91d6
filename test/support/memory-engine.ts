import { ManualClock } from './manual-clock.ts';
import { MemoryClaimStore } from './memory/claim-store.ts';
import { Faults, type Hook } from './memory/faults.ts';
import { MemoryManifestStore } from './memory/manifest-store.ts';
import { MemoryObjectStore } from './memory/object-store.ts';
import { MemoryQueue } from './memory/queue.ts';

export interface MemoryEngineOptions {
  readonly clock?: ManualClock;
  /** Called before and after each call's effect; may throw or wait. */
  readonly hook?: Hook;
  readonly maxReceives?: number;
  /** False: a store without metadata, like files. */
  readonly keepsDigest?: boolean;
}

/** The four ports in memory, on a clock that the test moves, with whatever goes wrong scripted in `faults`. */
export class MemoryEngine {
  readonly clock: ManualClock;
  readonly faults: Faults;
  readonly claims: MemoryClaimStore;
  readonly objects: MemoryObjectStore;
  readonly manifest: MemoryManifestStore;
  readonly queue: MemoryQueue;

  constructor(options: MemoryEngineOptions = {}) {
    this.clock = options.clock ?? new ManualClock();
    this.faults = new Faults(options.hook);
    this.claims = new MemoryClaimStore(this.faults);
    this.objects = new MemoryObjectStore(this.faults, {
      keepsDigest: options.keepsDigest ?? true,
      now: this.clock.now,
    });
    this.manifest = new MemoryManifestStore(this.faults);
    this.queue = new MemoryQueue(this.faults, { now: this.clock.now, maxReceives: options.maxReceives ?? 3 });
  }
}
