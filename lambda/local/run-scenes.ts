import { join } from 'node:path';
import { SourceError, StoreUnavailableError, TileonceError } from '../errors.ts';
import { ClaimGateDisabledError } from '../gates/claim-errors.ts';
import type { SceneJobId } from '../identity/job-key.ts';
import { windowCount } from '../identity/grid.ts';
import { itemKey, mosaicKey } from '../identity/output-keys.ts';
import type { ScenePlan } from '../identity/plan.ts';
import { type FanOutOutcome, fanOut } from '../pipeline/fan-out.ts';
import { deadOfScene, isDoorbellOf } from './dead-windows.ts';
import type { SceneRequest } from './scene-request.ts';
import type { LocalEngine } from './local-engine.ts';
import { saysMissing } from './missing-bands.ts';
import { missingOutputs } from './missing-outputs.ts';
import { ringAgain } from './ring-again.ts';
import { Tallies } from './scene-tally.ts';
import { SWEEP_MS, WATCH_MS } from './timing.ts';
import type { WorkerPool } from './worker-pool.ts';
import type { WorkerEvent } from './worker-events.ts';

/** What became of one scene; the windows' numbers add up: written + alreadyPresent + empty = windows. */
export interface SceneReport {
  readonly scene: SceneJobId;
  readonly windows: number;
  readonly written: number;
  readonly alreadyPresent: number;
  readonly empty: number;
  readonly claimsRefused: number;
  /** Paths; null where every window is empty. */
  readonly mosaic: string | null;
  readonly item: string;
  readonly seconds: number;
}

export type SceneEnd =
  | { readonly kind: 'done'; readonly request: SceneRequest; readonly report: SceneReport }
  | { readonly kind: 'failed'; readonly request: SceneRequest; readonly message: string };

/** What the run tells whoever watches it. */
export interface RunObserver {
  planned(request: SceneRequest, plan: ScenePlan): void;
  progress(state: { windows: number; done: number; bytesRead: number }): void;
  note(message: string): void;
}

export interface RunOptions {
  readonly out: string;
  /** Begun with the first scene that is planned, stopped at the end. */
  readonly pool: WorkerPool;
  readonly observer: RunObserver;
}

interface Scene {
  readonly request: SceneRequest;
  readonly started: number;
  plan: ScenePlan | null;
  rows: number;
  refusedFanOuts: number;
  /** Not before this time (ms since the epoch) is it fanned out again; null: fanned out. */
  fanOutAt: number | null;
  end: SceneEnd | null;
}

/**
 * Runs scenes to their end on one machine: fan-out here, windows and assemblies in worker threads that take their
 * messages from the ledger themselves. Another process may do the same on the same folder at the same time.
 *
 * @returns an end per scene, in the order asked; a scene that was asked for from two places ends once.
 * @throws StoreUnavailableError where a store does not answer, ClaimGateDisabledError where there are no claims; the
 * signal's reason when it fires. Leases are released.
 */
export const runScenes = async (
  local: LocalEngine,
  requests: readonly SceneRequest[],
  options: RunOptions,
  signal: AbortSignal,
): Promise<SceneEnd[]> => new SceneRun(local, requests, options, signal).run();

class SceneRun {
  readonly #local: LocalEngine;
  readonly #options: RunOptions;
  readonly #signal: AbortSignal;
  readonly #scenes: Scene[];
  readonly #tallies = new Tallies();
  #fatal: string | null = null;

  constructor(local: LocalEngine, requests: readonly SceneRequest[], options: RunOptions, signal: AbortSignal) {
    this.#local = local;
    this.#options = options;
    this.#signal = signal;
    const started = local.context.clock.monotonic();
    this.#scenes = requests.map((request) => ({
      request,
      started,
      plan: null,
      rows: 0,
      refusedFanOuts: 0,
      fanOutAt: 0,
      end: null,
    }));
  }

  async run(): Promise<SceneEnd[]> {
    const { clock } = this.#local.context;
    let sweptAt = clock.monotonic();
    await this.#local.engine.processes.sweepDead();
    try {
      while (this.#scenes.some(({ end }) => end === null)) {
        for (const scene of this.#scenes) {
          this.#check();
          if (scene.end === null) await this.#advance(scene);
        }
        this.#tellProgress();
        if (this.#scenes.every(({ end }) => end !== null)) break;
        await ringAgain(this.#local, this.#signal);
        if (clock.monotonic() - sweptAt > SWEEP_MS) {
          await this.#local.engine.processes.sweepDead();
          sweptAt = clock.monotonic();
        }
        await clock.sleep(WATCH_MS, this.#signal);
        this.#check();
      }
    } finally {
      await this.#options.pool.stop();
    }
    return this.#ends();
  }

  /** Copies of a scene in two folders are one scene: its windows were done once, so they are reported once. */
  #ends(): SceneEnd[] {
    const first = new Map<SceneJobId, SceneRequest>();
    return this.#scenes.flatMap(({ end }) => {
      if (end?.kind !== 'done') return end ?? [];
      const twin = first.get(end.report.scene);
      if (twin === undefined) {
        first.set(end.report.scene, end.request);
        return end;
      }
      const { label, location } = end.request;
      this.#options.observer.note(`scene ${label} in ${location} is the one in ${twin.location}: done once`);
      return [];
    });
  }

  #check(): void {
    if (this.#fatal !== null) throw new StoreUnavailableError(this.#fatal);
    this.#signal.throwIfAborted();
  }

  /** One look at one scene: fan out what is due, then see whether it has come to an end. */
  async #advance(scene: Scene): Promise<void> {
    const { clock, manifest } = this.#local.context;
    if (scene.fanOutAt !== null) {
      if (clock.now() < scene.fanOutAt) return;
      await this.#fanOut(scene);
      if (scene.end !== null || scene.fanOutAt !== null) return;
    }
    const { plan } = scene;
    if (plan === null) return;
    const record = await manifest.getPlan(plan.sceneJobId);
    scene.rows = await manifest.countRows(plan.sceneJobId);
    if (record?.state === 'ASSEMBLED') {
      await this.#finish(scene, plan);
    } else if (record?.state === 'SUPERSEDED') {
      this.#options.observer.note(`${scene.request.label}: ${record.reason ?? 'superseded'}; planned again`);
      scene.fanOutAt = 0;
    } else {
      await this.#lookForDead(scene, plan);
    }
  }

  async #fanOut(scene: Scene): Promise<void> {
    const { request } = scene;
    let outcome: FanOutOutcome;
    try {
      outcome = await fanOut(this.#local.context, { ...request, revive: true }, this.#signal);
    } catch (error) {
      if (error instanceof StoreUnavailableError || error instanceof ClaimGateDisabledError) throw error;
      if (!(error instanceof TileonceError)) throw error;
      // A source's fault names its file; anything else must say which scene it is about.
      const message = error instanceof SourceError ? error.oneLine : `${request.label}: ${error.oneLine}`;
      scene.end = { kind: 'failed', request, message };
      return;
    }
    if (outcome.kind === 'incomplete') {
      const missing = saysMissing(request.location, outcome.missing);
      const message = `${request.label}: ${missing}: put it there, or correct the pipeline's suffixes`;
      scene.end = { kind: 'failed', request, message };
      // The run may end here: the doorbell of a plan that was superseded is answered before, or nobody would know of it.
      while (await ringAgain(this.#local, this.#signal));
      return;
    }
    if (outcome.kind === 'live') {
      scene.refusedFanOuts++;
      scene.fanOutAt = this.#local.context.clock.now() + WATCH_MS;
      return;
    }
    scene.fanOutAt = null;
    scene.plan = outcome.plan;
    await this.#local.engine.deadLetters.drop((letter) => isDoorbellOf(letter, request));
    if (outcome.kind !== 'planned') {
      scene.refusedFanOuts++;
      await this.#local.engine.deadLetters.drop(
        ({ queue, body }) => deadOfScene({ queue, body }, outcome.sceneJobId) !== null,
      );
    }
    if (outcome.kind === 'complete') {
      scene.rows = windowCount(outcome.plan.windows);
      await this.#finish(scene, outcome.plan);
      return;
    }
    this.#options.observer.planned(request, outcome.plan);
    const mostWindows = windowCount(outcome.plan.windows) * this.#scenes.length;
    this.#options.pool.begin(mostWindows, (event) => this.#onEvent(event));
  }

  #onEvent(event: WorkerEvent): void {
    if (event.kind === 'fatal') this.#fatal ??= event.message;
    else this.#tallies.add(event);
  }

  /** A scene with dead letters ends once nothing of it is under way any more. */
  async #lookForDead(scene: Scene, plan: ScenePlan): Promise<void> {
    const dead = (await this.#local.engine.deadLetters.list()).flatMap(({ queue, body, reason }) => {
      const what = deadOfScene({ queue, body }, plan.sceneJobId);
      return what === null ? [] : [{ what, reason: reason ?? 'no reason was kept' }];
    });
    if (dead.length === 0) return;
    const windows = new Set(dead.flatMap(({ what }) => (what === 'assembly' ? [] : [what])));
    const planned = windowCount(plan.windows);
    if (windows.size + scene.rows < planned && !dead.some(({ what }) => what === 'assembly')) return;
    const [first] = dead;
    const where = windows.size > 0 ? `${windows.size} of ${planned} windows failed` : 'its assembly failed';
    const message = `${scene.request.label}: ${where}: ${first?.reason ?? ''}`;
    scene.end = { kind: 'failed', request: scene.request, message };
  }

  async #finish(scene: Scene, plan: ScenePlan): Promise<void> {
    const { clock, manifest } = this.#local.context;
    const rows = await manifest.listRows(plan.sceneJobId);
    const missing = await missingOutputs(this.#options.out, plan.sceneJobId, rows);
    if (missing.length > 0) {
      const [first] = missing;
      const message =
        `${scene.request.label}: the ledger has the scene as done, but ${missing.length} of its outputs are gone or cut ` +
        `(${first ?? ''}${missing.length > 1 ? ', ...' : ''}): make them again with ` +
        `tileonce verify ${plan.sceneJobId.slice(0, 12)} --repair --out ${this.#options.out}`;
      scene.end = { kind: 'failed', request: scene.request, message };
      return;
    }
    const empty = rows.filter(({ state }) => state === 'EMPTY').length;
    const tally = this.#tallies.of(plan.sceneJobId);
    scene.end = {
      kind: 'done',
      request: scene.request,
      report: {
        scene: plan.sceneJobId,
        windows: rows.length,
        written: tally.written,
        alreadyPresent: rows.length - empty - tally.written,
        empty,
        claimsRefused: tally.claimsRefused + scene.refusedFanOuts,
        mosaic: empty === rows.length ? null : join(this.#options.out, mosaicKey(plan.sceneJobId)),
        item: join(this.#options.out, itemKey(plan.sceneJobId)),
        seconds: Math.round(clock.monotonic() - scene.started) / 1000,
      },
    };
  }

  #tellProgress(): void {
    const planned = this.#scenes.filter(({ plan }) => plan !== null);
    this.#options.observer.progress({
      windows: planned.reduce((sum, { plan }) => sum + (plan === null ? 0 : windowCount(plan.windows)), 0),
      done: planned.reduce((sum, { rows }) => sum + rows, 0),
      bytesRead: this.#tallies.bytesRead,
    });
  }
}
