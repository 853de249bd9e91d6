import type { Clock } from '../clock.ts';
import type { ClaimAttempt, ClaimTiming } from '../gates/claim-layer.ts';
import type { ClaimStore } from '../gates/claim-store.ts';
import type { ManifestStore } from '../gates/manifest-store.ts';
import type { ObjectStore } from '../gates/object-store.ts';
import type { Queue } from '../gates/queue.ts';
import type { Telemetry } from '../telemetry.ts';
import type { SourceStores } from './source-store.ts';

/** What a use case may touch: the ports, and the clock. Handlers and commands fill it with one engine's. */
export interface PipelineContext {
  readonly claims: ClaimStore;
  readonly objects: ObjectStore;
  readonly manifest: ManifestStore;
  readonly queue: Queue;
  readonly sources: SourceStores;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly claimTiming: ClaimTiming;
  /** A new random owner, one per attempt. */
  readonly newOwner: () => string;
  /** The running code's pixel version. */
  readonly pixelVersion: number;
  /** The running code's release. */
  readonly softwareVersion: string;
}

/** A new attempt at a job: a new owner, so a new fence. */
export const claimAttempt = (context: PipelineContext, jobId: string): ClaimAttempt => ({
  jobId,
  owner: context.newOwner(),
  store: context.claims,
  clock: context.clock,
  timing: context.claimTiming,
});
