import { sha256Hex } from '../../lambda/identity/sha256.ts';
import type { PlanState } from '../../lambda/gates/manifest-store.ts';
import type { NewObject } from '../../lambda/gates/object-store.ts';
import { MemoryClaimStore } from '../support/memory/claim-store.ts';
import { Faults } from '../support/memory/faults.ts';
import { MemoryManifestStore } from '../support/memory/manifest-store.ts';
import { MemoryObjectStore } from '../support/memory/object-store.ts';
import type { SimQueue } from './queue.ts';
import type { SourceObjects } from './source-objects.ts';

/** The state that outlives every process. Each method's effect is one atomic step; what goes wrong is put in front. */
export interface SharedStores {
  readonly claims: MemoryClaimStore;
  readonly objects: MemoryObjectStore;
  readonly manifest: SimManifestStore;
  readonly queue: SimQueue;
  readonly sources: SourceObjects;
}

/** The manifest, with a look at its plans that is no call. */
export class SimManifestStore extends MemoryManifestStore {
  stateOf(sceneJobId: string): PlanState | null {
    return this.plans.get(sceneJobId)?.state ?? null;
  }

  /** When the next OPEN plan may be healed, ms since the epoch; null where there is none. */
  nextHealAt(): number | null {
    const times = [...this.plans.values()].flatMap(({ state, nextHealAt }) => (state === 'OPEN' ? [nextHealAt] : []));
    return times.length === 0 ? null : Math.min(...times);
  }

  sceneIds(): string[] {
    return [...this.plans.keys()];
  }
}

/** Removes what has outlived its time, as the table's time to live does (and a day late, as that may be). */
export const expireClaims = (claims: MemoryClaimStore, nowMs: number): void => {
  for (const [jobId, { expiresAt }] of claims.rows) {
    if (expiresAt !== null && expiresAt * 1000 < nowMs) claims.rows.delete(jobId);
  }
};

/** An object that somebody put under a key by hand. */
export const FOREIGN: Omit<NewObject, 'key'> = {
  body: new Uint8Array([1, 2, 3]),
  contentType: 'text/plain',
  sha256: sha256Hex(new Uint8Array([1, 2, 3])),
  digest: 'foreign',
};

/** Stores that keep every rule. @param now ms since the epoch. */
export const soundStores = (now: () => number) => {
  const faults = new Faults();
  return {
    claims: new MemoryClaimStore(faults),
    objects: new MemoryObjectStore(faults, { now }),
    manifest: new SimManifestStore(faults),
  };
};
