import type { WorkerEvent } from './worker-events.ts';

/** What this run did for one scene. */
export interface SceneTally {
  written: number;
  /** Size of the objects written, bytes. */
  bytesWritten: number;
  claimsRefused: number;
}

/** What this run's workers report, added up by scene. */
export class Tallies {
  readonly #scenes = new Map<string, SceneTally>();
  /** Bytes read from sources, all scenes. */
  bytesRead = 0;

  of(sceneJobId: string): SceneTally {
    let tally = this.#scenes.get(sceneJobId);
    if (tally === undefined) {
      tally = { written: 0, bytesWritten: 0, claimsRefused: 0 };
      this.#scenes.set(sceneJobId, tally);
    }
    return tally;
  }

  add(event: WorkerEvent): void {
    if (event.kind === 'read') this.bytesRead += event.bytes;
    if (event.kind !== 'window') return;
    const tally = this.of(event.sceneJobId);
    if (event.outcome === 'written') tally.written++;
    if (event.outcome === 'refused') tally.claimsRefused++;
    tally.bytesWritten += event.bytes;
  }
}
