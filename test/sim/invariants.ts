import type { ClaimAnswer, ClaimRequest, ClaimRow, OwnerAnswer } from '../../lambda/gates/claim-store.ts';
import type { ManifestRow, PlanState, WrittenRow } from '../../lambda/gates/manifest-store.ts';
import type { QueueName } from '../../lambda/gates/queue.ts';
import { type SceneJobId, assemblyJobId, windowJobId } from '../../lambda/identity/job-key.ts';
import { parseAssemblyMessage } from '../../lambda/pipeline/messages.ts';
import type { Chaos } from './chaos.ts';
import type { ExpectedScene } from './expected.ts';
import { windowMessage } from './functions.ts';
import type { Observer } from './observer.ts';
import { type Process, EPOCH } from './process.ts';
import { CODE_VERSIONS, KEYS, WINDOWS, sceneIdOf } from './scene.ts';
import type { QueuedMessage } from './queue.ts';
import type { SharedStores } from './stores.ts';
import type { Timeline } from './timeline.ts';
import { TIMING } from './timing.ts';

/** What must hold at every step, in the words of the report. */
export const INVARIANTS = {
  oneVersion: 'there is at most one version of any tile, mosaic, preview and item',
  staleOwner: 'a stale owner never commits',
  committedAgain: 'a COMMITTED job never runs again',
  liveLease: 'a live lease is not taken',
  twoAtWork: 'while clocks agree within what the numbers absorb, one process works on a job at a time',
  unclaimed: 'nothing is written without a claim that was won',
  rowIsObject: "every row's bytes, ETag, checksum and digest are its object's",
  pixels: 'every output is what an undisturbed run of the planned sources and the planned code makes',
  rowStays: 'no row is deleted of a scene that nobody purged',
  fullSet: 'assembly happens on the full set of rows alone',
  acknowledged: 'nothing is acknowledged that is not done',
  waiting: 'a message that goes to the dead letters failed; it did not wait until it was dead',
  swollen: 'the reaper sends a scene again no oftener than its plan allows',
  inspected: 'an overwrite replaces the object that it inspected and no other',
  purged: 'of a purged scene nothing is left',
  ends: 'every scene ends assembled, or in a dead-letter queue with its whole context',
  replayed: 'replays of the dead letters finish every scene',
} as const;
export type Invariant = keyof typeof INVARIANTS;

export interface Violation {
  readonly invariant: Invariant;
  readonly detail: string;
}

const TILE = /^tiles\/([0-9a-f]{64})\/(\d{4}_\d{4})/;
const DOCUMENT = /^scenes\/([0-9a-f]{64})\/([a-z.]+)/;

/** Watches every effect and remembers the first that breaks an invariant. */
export class Invariants implements Observer {
  violation: Violation | null = null;
  /** Called when a plan is opened or closed. */
  onPlan: () => void = () => undefined;
  /** Called when a lapsed lease is taken over. */
  onTakeover: () => void = () => undefined;
  /** Called with the scene of each new row, as the manifest's stream is. */
  onNewRow: (sceneJobId: string) => void = () => undefined;
  readonly rows = new Map<string, Map<string, ManifestRow>>();
  /** ETags of objects that somebody put over a tile: no row describes these. */
  readonly spoilt = new Set<string>();
  /** Scenes whose overwrite could not be ended: their sources are others by now. */
  readonly abandoned = new Set<string>();
  readonly #stores: SharedStores;
  readonly #timeline: Timeline;
  readonly #chaos: Chaos;
  readonly #expected: ReadonlyMap<string, ExpectedScene>;
  readonly #committed = new Set<string>();
  /** Jobs that were done at some time; a deletion may have undone them since. */
  readonly #done = new Set<string>();
  readonly #atWork = new Map<string, Process>();
  readonly #outputs = new Map<string, number>();
  readonly #opened = new Map<string, { readonly first: number; last: number }>();
  readonly #healed = new Map<string, number>();
  /** When each scene had its last row. */
  readonly #complete = new Map<string, number>();
  /** When each process sent a message last, by queue and body. */
  readonly #sent = new WeakMap<Process, Map<string, number>>();

  constructor(stores: SharedStores, timeline: Timeline, chaos: Chaos, expected: ReadonlyMap<string, ExpectedScene>) {
    this.#stores = stores;
    this.#timeline = timeline;
    this.#chaos = chaos;
    this.#expected = expected;
  }

  claimed(process: Process, { jobId, now }: ClaimRequest, before: ClaimRow | undefined, answer: ClaimAnswer): void {
    if (answer.kind !== 'won') return;
    this.check('committedAgain', !this.#committed.has(jobId), () => `job ${jobId} was won by ${process.name}`);
    const theirs = before !== undefined && before.owner !== answer.row.owner ? before : null;
    this.check(
      'liveLease',
      theirs === null || theirs.leaseUntil < now,
      () => `job ${jobId} was won by ${process.name}`,
    );
    const other = this.#atWork.get(jobId);
    const busy =
      other !== undefined && !other.name.startsWith('gc') && other !== process && !other.dead && other.won.has(jobId);
    this.check('twoAtWork', !busy || !this.#chaos.withinNumbers, () => `${other?.name} and ${process.name}: ${jobId}`);
    this.#atWork.set(jobId, process);
    process.won.add(jobId);
    if (theirs !== null) this.onTakeover();
  }

  committed(
    { jobId, owner }: { jobId: string; owner: string },
    before: ClaimRow | undefined,
    answer: OwnerAnswer,
  ): void {
    if (answer !== 'done') return;
    this.check(
      'staleOwner',
      before?.owner === owner,
      () => `job ${jobId}: ${owner} committed ${before?.owner}'s claim`,
    );
    this.#committed.add(jobId);
    this.#done.add(jobId);
  }

  released(process: Process, jobId: string): void {
    process.won.delete(jobId);
  }

  seized(process: Process, jobId: string): void {
    this.#committed.delete(jobId);
    this.#atWork.set(jobId, process);
    process.won.add(jobId);
  }

  objectRemoved(key: string): void {
    const [, scene = '', name = ''] = TILE.exec(key) ?? DOCUMENT.exec(key) ?? [];
    this.#outputs.delete(`${scene}/${name}`);
    const row = this.rows.get(scene)?.get(name);
    if (row !== undefined) this.checkRow(row);
  }

  objectPut(process: Process, key: string, answer: string): void {
    if (answer !== 'created') return;
    const tile = TILE.exec(key);
    const [, scene = '', name = ''] = tile ?? DOCUMENT.exec(key) ?? [];
    const expected = this.#expected.get(scene);
    this.check('pixels', expected !== undefined, () => `${key} belongs to no scene that could be planned`);
    if (expected === undefined) return;
    const output = `${scene}/${name}`;
    const versions = (this.#outputs.get(output) ?? 0) + 1;
    this.#outputs.set(output, versions);
    this.check('oneVersion', versions === 1, () => `${key} has ${versions}`);
    this.check('unclaimed', process.won.has(jobOf(expected.id, tile === null ? null : name)), () => key);
    const version = this.#stores.objects.versions(key).at(-1);
    if (tile !== null) {
      this.check('pixels', version?.digest === expected.digests.get(name), () => `${key} by ${process.name}`);
      return;
    }
    const rows = this.rows.get(scene)?.size ?? 0;
    this.check('fullSet', rows === WINDOWS.length, () => `${key} was written with ${rows} rows`);
    this.check(
      'pixels',
      version?.sha256 === expected.outputs.get(`scenes/${output}`),
      () => `${key} by ${process.name}`,
    );
  }

  objectReplaced(process: Process, key: string, answer: string, inspected: string): void {
    if (answer !== 'replaced') return;
    const tile = TILE.exec(key);
    const [, scene = '', name = ''] = tile ?? DOCUMENT.exec(key) ?? [];
    const expected = this.#expected.get(scene);
    const [before, version] = this.#stores.objects.versions(key).slice(-2);
    const known = before?.etag === inspected;
    this.check('inspected', known, () => `${process.name} replaced ${before?.etag} under ${key} for ${inspected}`);
    const right =
      tile === null
        ? version?.sha256 === expected?.outputs.get(`scenes/${scene}/${name}`)
        : version?.digest === expected?.digests.get(name);
    this.check('pixels', right, () => `${key} was replaced by ${process.name}`);
  }

  rowReplaced(row: ManifestRow): void {
    this.rows.get(row.sceneJobId)?.set(row.window, row);
  }

  rowCreated(process: Process, row: ManifestRow): void {
    const { sceneJobId: scene, window } = row;
    this.onNewRow(scene);
    const expected = this.#expected.get(scene);
    if (expected === undefined) return;
    const known = this.rows.get(scene) ?? new Map<string, ManifestRow>();
    this.rows.set(scene, known.set(window, row));
    if (known.size === WINDOWS.length) this.#complete.set(scene, this.#timeline.now);
    this.check('unclaimed', process.won.has(jobOf(expected.id, window)), () => `row ${window} by ${process.name}`);
    this.checkRow(row);
    const digest = row.state === 'EMPTY' ? null : row.digest;
    this.check('pixels', digest === expected.digests.get(window), () => `row ${window} by ${process.name}`);
  }

  rowDeleted({ sceneJobId, window }: Pick<ManifestRow, 'sceneJobId' | 'window'>): void {
    this.check('rowStays', this.#stores.manifest.stateOf(sceneJobId) === 'PURGED', () => `row ${window}`);
    this.rows.get(sceneJobId)?.delete(window);
    this.#complete.delete(sceneJobId);
  }

  planOpened(sceneJobId: string): void {
    const { now } = this.#timeline;
    this.#opened.set(sceneJobId, { first: this.#opened.get(sceneJobId)?.first ?? now, last: now });
    this.onPlan();
  }

  planClosed(sceneJobId: string, to: PlanState): void {
    this.onPlan();
    if (to !== 'ASSEMBLED') return;
    const rows = this.rows.get(sceneJobId)?.size ?? 0;
    const item = this.hasItem(sceneJobId);
    this.check(
      'fullSet',
      rows === WINDOWS.length && item,
      () => `closed with ${rows} rows, ${item ? 'an' : 'no'} item`,
    );
  }

  sent(process: Process, queue: QueueName, bodies: readonly string[]): void {
    const times = this.#sent.get(process) ?? new Map<string, number>();
    this.#sent.set(process, times);
    for (const body of bodies) times.set(`${queue}\n${body}`, this.#timeline.now);
    if (queue !== 'tiles' || !process.name.startsWith('reaper')) return;
    for (const body of bodies) {
      const { plan, row, column } = windowMessage(body);
      const window = `${plan.sceneJobId}/${row},${column}`;
      const sent = (this.#healed.get(window) ?? 0) + 1;
      this.#healed.set(window, sent);
      // Two reapers' clocks may be this far apart; each moves the plan by its own.
      const interval = TIMING.healAfterMs - 2 * this.#chaos.skew - 60_000;
      const age = this.#timeline.now - (this.#opened.get(plan.sceneJobId)?.first ?? 0);
      const most = 1 + Math.ceil(age / interval);
      this.check('swollen', sent <= most, () => `${sent} times one window in ${Math.round(age / 60_000)} min`);
    }
  }

  /** One receive may have waited, and its last may not. */
  deadLettered({ queue, id, waits }: QueuedMessage): void {
    this.check('waiting', waits < TIMING.maxReceives - 1, () => `message ${id} to ${queue} waited ${waits} times`);
  }

  /** A message is deleted: what it asked for must be done, or a closed plan no longer wants it; or a copy was sent. */
  acknowledged(process: Process, queue: QueueName, body: string, since: number): void {
    const copiedAt = this.#sent.get(process)?.get(`${queue}\n${body}`);
    if (copiedAt !== undefined && copiedAt >= since) return;
    const done = (scene: SceneJobId, window: string | null): boolean =>
      this.#done.has(jobOf(scene, window)) || this.#wasClosed(scene, since);
    if (queue === 'tiles') {
      const { plan, row, column } = windowMessage(body);
      const window = `000${row}_000${column}`;
      this.check('acknowledged', done(plan.sceneJobId, window), () => `window ${window} by ${process.name}`);
    } else if (queue === 'assemblies') {
      const { sceneJobId } = parseAssemblyMessage(body);
      // Rung for too soon: the last row rings again.
      const early = (this.#complete.get(sceneJobId) ?? Number.POSITIVE_INFINITY) >= since;
      this.check('acknowledged', early || done(sceneJobId, null), () => `assembly by ${process.name}`);
    } else {
      this.check('acknowledged', this.#isPlanned(since), () => `a ring by ${process.name}`);
    }
  }

  hasItem(sceneJobId: string): boolean {
    return this.#outputs.has(`${sceneJobId}/item.json`);
  }

  /** Every row against its object, and rows against the ledger. */
  checkRow(row: ManifestRow): void {
    if (row.state === 'EMPTY' || this.abandoned.has(row.sceneJobId)) return;
    const object = this.#stores.objects.versions(row.key).at(-1);
    if (object !== undefined && object.how !== 'removed' && this.spoilt.has(object.etag)) return;
    this.check('rowIsObject', this.#describes(row), () => `row ${row.window} of ${row.sceneJobId}`);
  }

  /** Of a scene whose purge is done no row, object or claim of a job is left; its plan stays, and its fan-out's claim. */
  checkPurged(sceneJobId: SceneJobId): void {
    const { objects, claims } = this.#stores;
    const rows = this.rows.get(sceneJobId)?.size ?? 0;
    const keys = objects.keys().filter((key) => key.split('/')[1] === sceneJobId);
    const jobs = [null, ...WINDOWS].filter((window) => claims.rows.has(jobOf(sceneJobId, window)));
    this.check('purged', rows + keys.length + jobs.length === 0, () =>
      [`${rows} rows`, ...keys, ...jobs.map((window) => `the claim of ${window ?? 'the assembly'}`)].join(', '),
    );
  }

  check(invariant: Invariant, holds: boolean, detail: () => string): void {
    if (holds || this.violation !== null) return;
    this.violation = { invariant, detail: `${detail()} (at ${new Date(EPOCH + this.#timeline.now).toISOString()})` };
  }

  #describes(row: WrittenRow): boolean {
    const object = this.#stores.objects.versions(row.key).at(-1);
    return (
      object !== undefined &&
      object.how !== 'removed' &&
      object.bytes === row.bytes &&
      object.etag === row.etag &&
      object.sha256 === row.sha256 &&
      object.digest === row.digest
    );
  }

  #wasClosed(scene: string, since: number): boolean {
    const opened = this.#opened.get(scene);
    return this.#closed(scene) || (opened !== undefined && opened.last >= since && opened.last !== opened.first);
  }

  #closed(scene: string): boolean {
    return this.#stores.manifest.stateOf(scene) !== 'OPEN';
  }

  /** True where the scene of any objects that stood there meanwhile is fanned out, or one of them was missing. */
  #isPlanned(since: number): boolean {
    const { sources } = this.#stores;
    for (const b04 of sources.tokensSince(KEYS.B04, since)) {
      for (const b08 of sources.tokensSince(KEYS.B08, since)) {
        if (b04 === null || b08 === null) return true;
        const ids = CODE_VERSIONS.map((version) => sceneIdOf({ B04: b04, B08: b08 }, version));
        if (ids.some((id) => this.#done.has(id))) return true;
      }
    }
    return false;
  }
}

const jobOf = (scene: SceneJobId, window: string | null): string => {
  if (window === null) return assemblyJobId(scene);
  const [row = '', column = ''] = window.split('_');
  return windowJobId(scene, { row: Number(row), column: Number(column) });
};
