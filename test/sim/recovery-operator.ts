import { fanOut } from '../../lambda/pipeline/fan-out.ts';
import { type SceneJobId, assemblyJobId, parseSceneJobId } from '../../lambda/identity/job-key.ts';
import type { Chaos } from './chaos.ts';
import type { Deployment } from './deployment.ts';
import { sceneRequest } from './functions.ts';
import type { Invariants } from './invariants.ts';
import type { Random } from './random.ts';
import { type BandName, KEYS, WINDOWS } from './scene.ts';
import { FOREIGN, type SharedStores } from './stores.ts';
import type { Timeline } from './timeline.ts';
import { overwrite, purge } from './verbs.ts';

const MINUTE = 60_000;

export interface OperatorParts {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly chaos: Chaos;
  readonly stores: SharedStores;
  readonly deployment: Deployment;
  readonly invariants: Invariants;
  readonly trace: (line: () => string) => void;
}

/** What a person does to scenes that were made: purges, overwriting backfills, and asking for what was purged. */
export class RecoveryOperator {
  readonly #parts: OperatorParts;
  /** Scenes that somebody spoilt or overwrote. */
  readonly #overwritten = new Set<string>();
  #backfills = 0;

  constructor(parts: OperatorParts) {
    this.#parts = parts;
  }

  /** Schedules everything that will be done. */
  begin(): void {
    const { timeline, random, chaos } = this.#parts;
    const twice = (act: () => void): void => {
      for (const _ of [1, 2]) timeline.schedule(random.logBetween(MINUTE, chaos.calmAt), act);
    };
    if (chaos.includes('purge')) twice(() => this.#purgeAny());
    if (chaos.includes('tile spoilt')) twice(() => void this.#spoil());
    if (chaos.includes('overwrite')) twice(() => this.#overwriteAny());
  }

  /** Purges a scene, or is told that it is in flight. */
  #purgeAny(): void {
    const { stores, random } = this.#parts;
    const scenes = stores.manifest.sceneIds();
    if (scenes.length > 0) void this.#purge(random.pick(scenes));
  }

  async #purge(id: string): Promise<void> {
    const { deployment, stores, chaos, trace } = this.#parts;
    trace(() => `operator purges ${id.slice(0, 12)}`);
    const { context } = deployment.person('purge');
    try {
      await purge(context, id, stores.queue.deadLetters);
      chaos.struck('purge');
    } catch (error) {
      trace(() => `operator's purge ended: ${String(error)}`);
    }
  }

  #finishedScenes(): string[] {
    const { manifest } = this.#parts.stores;
    return manifest.sceneIds().filter((id) => manifest.stateOf(id) === 'ASSEMBLED');
  }

  /** Somebody puts an object of theirs over a finished scene's tile; one who notices overwrites the scene. */
  async #spoil(): Promise<void> {
    const { stores, random, chaos, timeline, invariants, trace } = this.#parts;
    // One whose assembly is still to be settled would be assembled from the spoilt tile, which is refused until it is mended.
    const settled = (id: SceneJobId): boolean => stores.claims.rows.get(assemblyJobId(id))?.state === 'COMMITTED';
    const scenes = this.#finishedScenes()
      .flatMap((id) => parseSceneJobId(id) ?? [])
      .filter(settled);
    if (scenes.length === 0) return;
    const id = random.pick(scenes);
    const key = `tiles/${id}/${random.pick(WINDOWS)}.tif`;
    const found = await stores.objects.head(key);
    if (found === null) return;
    const answer = await stores.objects.replace({ ...FOREIGN, key }, found.etag);
    if (answer.kind !== 'replaced') return;
    invariants.spoilt.add(answer.etag);
    this.#overwritten.add(id);
    chaos.struck('tile spoilt');
    trace(() => `operator's colleague spoils ${key}`);
    for (const _ of [1, 2]) timeline.schedule(random.logBetween(10, 5 * MINUTE), () => void this.#overwrite(id));
  }

  #overwriteAny(): void {
    const { random } = this.#parts;
    const scenes = this.#finishedScenes();
    if (scenes.length > 0) void this.#overwrite(random.pick(scenes));
  }

  /** @returns what it failed of; null where it was done. */
  async #overwrite(id: string): Promise<unknown> {
    const { deployment, chaos, trace } = this.#parts;
    const { context, pool } = deployment.person('overwrite');
    this.#overwritten.add(id);
    const name = `backfill ${++this.#backfills}`;
    trace(() => `operator overwrites ${id.slice(0, 12)}: ${name}`);
    try {
      await overwrite(context, pool, id, name);
      chaos.struck('overwrite');
      return null;
    } catch (error) {
      trace(() => `operator's ${name} ended: ${String(error)}`);
      return error;
    }
  }

  /** When all is calm, what was begun is done to its end: purges, then overwrites. */
  async tidy(): Promise<void> {
    const { stores, invariants } = this.#parts;
    for (const id of stores.manifest.sceneIds()) {
      if (stores.manifest.stateOf(id) === 'PURGED') await this.#purge(id);
      else if (this.#overwritten.has(id)) {
        const refusal = await this.#overwrite(id);
        if (refusal instanceof Error && refusal.message.includes('is not overwritten')) invariants.abandoned.add(id);
      }
    }
  }

  /** A person asks for the scene of these objects: one that was purged is made again. */
  async askFor(band: BandName): Promise<void> {
    const { context } = this.#parts.deployment.person('run');
    await fanOut(context, { ...sceneRequest(KEYS[band]), revive: true });
  }
}
