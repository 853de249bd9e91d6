import { type OperatorParts, RecoveryOperator } from './recovery-operator.ts';
import { BUCKET, CONTENTS, type BandName, KEYS, BANDS, WINDOWS } from './scene.ts';
import { EPOCH } from './process.ts';
import { FOREIGN, expireClaims } from './stores.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What people and their systems do to the pipeline in one simulation: upload, replace, deploy, replay, ring again. */
export class Operator {
  /** What is done to scenes that were made. */
  readonly verbs: RecoveryOperator;
  readonly #parts: OperatorParts;
  /** Keys that hold an object of somebody else's. */
  readonly #foreign: string[] = [];
  /** What is done when the next plan is opened or closed, in random order. */
  readonly #waiting: (() => void)[] = [];

  constructor(parts: OperatorParts) {
    this.#parts = parts;
    this.verbs = new RecoveryOperator(parts);
  }

  /** Schedules everything that will be done. */
  begin(): void {
    const { timeline, random, chaos } = this.#parts;
    this.#upload('B04', 0);
    timeline.schedule(random.between(0, 2 * MINUTE), () => this.#upload('B08', 0));
    if (chaos.includes('source replaced')) this.#replaceInTurns(random.pick(BANDS));
    if (chaos.includes('source encrypted again')) {
      this.#sometime(() => this.#uploadSame('source encrypted again', false));
    }
    if (chaos.includes('source uploaded again')) this.#sometime(() => this.#uploadSame('source uploaded again', true));
    if (chaos.includes('deploy of other pixels')) this.#sometime(() => this.#deploy());
    if (chaos.includes('backfill')) for (const _ of [1, 2]) this.#sometime(() => this.#backfill('backfill'));
    if (chaos.includes('redrive')) {
      for (const _ of [1, 2, 3]) timeline.schedule(random.logBetween(MINUTE, chaos.calmAt), () => this.redrive());
    }
    if (chaos.includes('garbage collection')) {
      for (let at = 20 * MINUTE; at < chaos.calmAt + HOUR; at += random.between(MINUTE, 30 * MINUTE)) {
        timeline.schedule(at, () => this.#collectGarbage());
      }
    }
    this.verbs.begin();
    if (chaos.includes('foreign object under a tile key')) this.#sometime(() => void this.#putForeign());
    timeline.schedule(chaos.calmAt, () => void this.#removeForeign());
    if (chaos.includes('late backfill')) {
      // Later than any claimed row lives; the rows' removal may be late too.
      const day = random.between(22, 30);
      for (let expiry = 21; expiry <= day; expiry++) timeline.schedule(expiry * DAY, () => this.#expire());
      timeline.schedule(day * DAY, () => this.#backfill('late backfill'));
    }
  }

  /** A plan was opened or closed: what waits for that is done soon after, while windows are under way. */
  onPlan(): void {
    const { timeline, random } = this.#parts;
    for (const act of this.#waiting.splice(0, 1 + random.below(2))) {
      timeline.schedule(random.chance(0.7) ? random.logBetween(20, 10_000) : random.between(0, 4 * MINUTE), act);
    }
  }

  /** Soon after some plan was opened or closed, or at any time of the run. */
  #sometime(act: () => void): void {
    const { timeline, random, chaos } = this.#parts;
    if (random.chance(0.7)) this.#waiting.push(act);
    else timeline.schedule(random.logBetween(MINUTE, chaos.calmAt), act);
  }

  /** Another upload under the key, and maybe the first again, and so on. */
  #replaceInTurns(band: BandName): void {
    const { random, chaos } = this.#parts;
    this.#sometime(() => this.#replace(band, 1));
    if (!chaos.includes('source put back')) return;
    this.#sometime(() => this.#replace(band, 0));
    if (random.chance(0.3)) this.#sometime(() => this.#replace(band, 1));
    if (random.chance(0.3)) this.#sometime(() => this.#replace(band, 0));
  }

  /** Somebody does a dead worker's job again: just then its stray may be collected. */
  onTakeover(): void {
    const { timeline, random, chaos } = this.#parts;
    if (!chaos.includes('garbage collection') || timeline.now > chaos.calmAt + HOUR) return;
    for (const _ of [1, 2, 3]) timeline.schedule(random.between(0, 800), () => this.#collectGarbage());
  }

  /** Removes strays of any age, on the strength of the claim alone; where processes may outlive theirs, old ones. */
  #collectGarbage(): void {
    const { chaos, deployment } = this.#parts;
    deployment.collectGarbage(chaos.withinNumbers ? -1 : 4 * HOUR + 2 * chaos.skew);
  }

  /** Replays every dead letter. */
  redrive(): void {
    const { stores, chaos, trace } = this.#parts;
    const letters = stores.queue.redrive();
    if (letters > 0) chaos.struck('redrive');
    trace(() => `operator redrives ${letters}`);
  }

  #upload(band: BandName, version: number): void {
    const content = CONTENTS[band][version];
    if (content === undefined) throw new RangeError(`no content ${version} of ${band}`);
    this.#parts.trace(() => `operator uploads ${band} ${version}`);
    this.#parts.stores.sources.upload(KEYS[band], content);
    this.#announce(KEYS[band]);
  }

  #replace(band: BandName, version: number): void {
    this.#parts.chaos.struck(version === 0 ? 'source put back' : 'source replaced');
    this.#upload(band, version);
  }

  /** The same bytes under a new ETag; an upload is announced, a change of its encryption in place may not be. */
  #uploadSame(fault: 'source encrypted again' | 'source uploaded again', announced: boolean): void {
    const { stores, chaos, random } = this.#parts;
    const key = KEYS[random.pick(BANDS)];
    const current = stores.sources.current(key);
    if (current === null) return;
    chaos.struck(fault);
    stores.sources.upload(key, current);
    if (announced) this.#announce(key);
  }

  #deploy(): void {
    const { deployment, chaos, timeline, random, trace } = this.#parts;
    chaos.struck('deploy of other pixels');
    trace(() => 'operator deploys');
    deployment.deploy();
    // New code is followed by a backfill, for what old code has finished.
    timeline.schedule(random.between(11 * MINUTE, 40 * MINUTE), () => this.#announce(KEYS.B04));
  }

  #backfill(fault: 'backfill' | 'late backfill'): void {
    this.#parts.chaos.struck(fault);
    this.#announce(KEYS[this.#parts.random.pick(BANDS)]);
  }

  /** The bucket's event for an object, at least once. */
  #announce(key: string): void {
    const { timeline, random, chaos, stores, trace } = this.#parts;
    const times = chaos.strikes('event sent twice', timeline.now) ? 2 : 1;
    const body = JSON.stringify({
      source: 'aws.s3',
      'detail-type': 'Object Created',
      detail: { bucket: { name: BUCKET }, object: { key } },
    });
    trace(() => `operator's event for ${key}`);
    for (let i = 0; i < times; i++) {
      timeline.schedule(random.between(100, 20_000), () => void stores.queue.send('scenes', [body]));
    }
  }

  async #putForeign(): Promise<void> {
    const { stores, chaos, random, timeline } = this.#parts;
    const scenes = stores.manifest.sceneIds();
    if (scenes.length === 0 || timeline.now >= chaos.calmAt) return;
    const key = `tiles/${random.pick(scenes)}/${random.pick(WINDOWS)}.tif`;
    if ((await stores.objects.create({ ...FOREIGN, key })).kind !== 'created') return;
    chaos.struck('foreign object under a tile key');
    this.#foreign.push(key);
  }

  async #removeForeign(): Promise<void> {
    const { objects } = this.#parts.stores;
    for (const key of this.#foreign) {
      const found = await objects.head(key);
      if (found?.digest === FOREIGN.digest) await objects.remove(key, found.etag);
    }
  }

  #expire(): void {
    const { stores, timeline } = this.#parts;
    expireClaims(stores.claims, EPOCH + timeline.now);
  }
}
