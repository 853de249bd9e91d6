import { type SceneJobId, parseSceneJobId } from '../../lambda/identity/job-key.ts';
import { sha256Hex } from '../../lambda/identity/sha256.ts';
import type { MetricName, Telemetry } from '../../lambda/telemetry.ts';
import { Chaos, type Fault } from './chaos.ts';
import { Deployment } from './deployment.ts';
import { expectedScenes } from './expected.ts';
import { INVARIANTS, Invariants, type Violation } from './invariants.ts';
import { type Mutant, SOUND } from './mutant.ts';
import { Operator } from './operator.ts';
import { SimQueue } from './queue.ts';
import { EPOCH } from './process.ts';
import { Random } from './random.ts';
import { BUCKET, KEYS, sceneIdOf } from './scene.ts';
import { SourceObjects } from './source-objects.ts';
import { type SharedStores, soundStores } from './stores.ts';
import { RestlessError, Timeline } from './timeline.ts';
import { SETTLE_MS, TIMING } from './timing.ts';

/** More steps than any run that comes to rest was ever seen to take, by far. */
const MOST_STEPS = 30_000;
/** A person comes back to what was begun after this, ms. */
const TIDY_AFTER_MS = 3_600_000;
/** Lines of the trace that a report shows. */
const SHOWN = 60;

export interface SeedResult {
  readonly seed: number;
  readonly violation: Violation | null;
  readonly faults: ReadonlyMap<Fault, number>;
  readonly metrics: ReadonlyMap<MetricName, number>;
  /** Messages that were dead-lettered before the replay. */
  readonly deadLetters: number;
  /** How long stores were down in all, ms. */
  readonly outageMs: number;
  readonly steps: number;
  /** The same for two runs of one seed. */
  readonly fingerprint: string;
  readonly trace: readonly string[];
}

export interface SeedOptions {
  readonly mutant?: Mutant;
  readonly traced?: boolean;
  /** The only faults there are; by default drawn from the seed. */
  readonly only?: readonly Fault[];
}

/** Runs the whole pipeline once, with everything that goes wrong drawn from `seed`. */
export const runSeed = async (seed: number, options: SeedOptions = {}): Promise<SeedResult> => {
  const expected = await expectedScenes();
  const { mutant = SOUND, traced = false } = options;
  const random = new Random(seed);
  const timeline = new Timeline();
  const chaos = new Chaos(random, options.only);
  const lines: string[] = [];
  const trace = (line: () => string): void => {
    if (traced) lines.push(`${(timeline.now / 1000).toFixed(1).padStart(9)} s  ${line()}`);
  };
  const stores: SharedStores = {
    ...soundStores(() => EPOCH + timeline.now),
    ...mutant.stores?.(() => EPOCH + timeline.now),
    queue: new SimQueue(
      { visibilityMs: TIMING.visibilityMs, maxReceives: TIMING.maxReceives, settleMs: SETTLE_MS },
      { timeline, random, chaos },
    ),
    sources: new SourceObjects(BUCKET, () => timeline.now),
  };
  const invariants = new Invariants(stores, timeline, chaos, expected);
  const metrics = new Map<MetricName, number>();
  const telemetry: Telemetry = {
    event: (level, name, fields) => trace(() => `    ${level} ${name} ${JSON.stringify(fields).slice(0, 160)}`),
    count: (metric, value) => metrics.set(metric, (metrics.get(metric) ?? 0) + value),
  };
  const around = { timeline, random, chaos, trace, stores, invariants };
  const deployment = new Deployment({ ...around, telemetry, mutant });
  invariants.onNewRow = (scene) => deployment.onNewRow(scene);
  const operator = new Operator({ ...around, deployment });
  invariants.onPlan = () => {
    operator.onPlan();
    deployment.startReaper();
  };

  stores.queue.onDeadLetter = (message) => invariants.deadLettered(message);
  invariants.onTakeover = () => operator.onTakeover();

  const violated = (): boolean => invariants.violation !== null;
  const rest = (): Promise<void> => timeline.run(MOST_STEPS, violated);
  let deadLetters = 0;
  operator.begin();
  try {
    await rest();
    deadLetters = stores.queue.deadLetters.length;
    if (!violated()) {
      // Once the lease of whoever died of it has run out.
      timeline.schedule(TIDY_AFTER_MS, () => void operator.verbs.tidy());
      await rest();
    }
    if (!violated()) checkEnds(stores, invariants);
    if (deadLetters > 0 && !violated()) {
      operator.redrive();
      await rest();
    }
    if (!violated() && stores.manifest.stateOf(currentScene(stores, deployment.codeVersion)) === 'PURGED') {
      void operator.verbs.askFor('B04');
      await rest();
    }
    if (!violated()) checkReplayed(stores, invariants, deployment.codeVersion);
  } catch (error) {
    if (!(error instanceof RestlessError)) throw error;
    invariants.check('ends', false, () => error.message);
  } finally {
    deployment.stop();
  }
  const told = JSON.stringify([timeline.steps, timeline.now, [...chaos.counts], [...metrics], invariants.violation]);
  return {
    seed,
    violation: invariants.violation,
    faults: chaos.counts,
    metrics,
    deadLetters,
    outageMs: chaos.outageMs,
    steps: timeline.steps,
    fingerprint: sha256Hex(told),
    trace: lines,
  };
};

/** At rest, with nothing replayed: whatever is not assembled or superseded is in a dead-letter queue. */
const checkEnds = (stores: SharedStores, invariants: Invariants): void => {
  for (const id of stores.manifest.sceneIds()) {
    const state = stores.manifest.stateOf(id);
    const dead = stores.queue.deadLetters.some(({ body }) => body.includes(id));
    invariants.check(
      'ends',
      state === 'ASSEMBLED' || state === 'SUPERSEDED' || state === 'PURGED' || dead || state === 'FAILED',
      () => `scene ${id} is ${state}`,
    );
    const sceneId = parseSceneJobId(id);
    if (state === 'PURGED' && sceneId !== null) invariants.checkPurged(sceneId);
  }
  for (const rows of invariants.rows.values()) for (const row of rows.values()) invariants.checkRow(row);
};

/** The scene of the objects that stand in the bucket now. */
const currentScene = ({ sources }: SharedStores, codeVersion: number): SceneJobId => {
  const [b04, b08] = [sources.current(KEYS.B04), sources.current(KEYS.B08)];
  if (b04 === null || b08 === null) throw new Error('the scene was never uploaded');
  return sceneIdOf({ B04: b04.token, B08: b08.token }, codeVersion);
};

/** After the replay: the scene that stands in the bucket now is assembled, and no letter is left. */
const checkReplayed = (stores: SharedStores, invariants: Invariants, codeVersion: number): void => {
  const id = currentScene(stores, codeVersion);
  const letters = stores.queue.deadLetters.length;
  const current = stores.manifest.stateOf(id);
  const done = current === 'ASSEMBLED' && invariants.hasItem(id);
  invariants.check('replayed', letters === 0, () => `${letters} dead letters came back`);
  invariants.check('replayed', done, () => `scene ${id} is ${current}`);
  for (const scene of stores.manifest.sceneIds()) {
    const state = stores.manifest.stateOf(scene);
    // An older upload's plan may have been given up, its missing windows named.
    invariants.check('replayed', state !== 'OPEN', () => `scene ${scene} is left OPEN`);
  }
};

/** How a violation is told, with the steps that led to it. */
export const report = ({ seed, violation, trace }: SeedResult): string =>
  violation === null
    ? `seed ${seed} held`
    : [
        `seed ${seed} broke "${INVARIANTS[violation.invariant]}": ${violation.detail}`,
        `replay it with SIM_SEED=${seed}`,
        ...trace.slice(-SHOWN),
      ].join('\n');
