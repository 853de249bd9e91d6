import { setTimeout as pause } from 'node:timers/promises';
import type { SceneJobId } from '../../lambda/identity/job-key.ts';
import { replayAll } from './dead-letter.ts';
import type { DeployedApp } from './deployed-app.ts';
import { crashAt, isObjectWrite, withoutPrecondition } from './faults.ts';
import { deadLetters } from './once-in-effect.ts';
import { type Kill, RandomKills } from './random-kills.ts';
import { Storm } from './storm.ts';
import { isFinished, ringAgain, uploadScene } from './uploaded-scene.ts';
import { say, until } from './waiting.ts';

/** A scene that went through the storm. */
export interface StormyScene {
  readonly id: SceneJobId;
  readonly name: string;
  /** Edge of its bands, px. */
  readonly size: number;
  /** Its red band's file. */
  readonly red: string;
  readonly windows: number;
}

/** What a storm left behind. */
export interface Weathered {
  readonly seed: number;
  readonly scenes: readonly StormyScene[];
  /** One more scene, whose tiles were written without a precondition. 4 windows. */
  readonly ungated: SceneJobId;
  /** Faults that never happened, and functions that were never killed. */
  readonly missing: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
  readonly kills: readonly Kill[];
  /** Dead letters that had to be replayed. */
  readonly replayed: number;
}

const RATES = {
  S3: { writes: 0.25, reads: 0.08 },
  DynamoDB: { writes: 0.08, reads: 0.08 },
  SQS: { writes: 0.5, reads: 0.5 },
};
/** Invocations between kills: there are many windows, few of the others, and one tick of the reaper a minute. */
const MOST_BETWEEN = { 'fan-out': 6, tile: 60, count: 12, assemble: 4, reap: 1 };

const LARGE = 320;
const SMALL = 64;
const FIRST_SMALL_SCENES = 4;
/** More are uploaded, one by one, until everything went wrong that can. */
const MOST_SMALL_SCENES = 12;
const LEAST_FAULTS = 120;
const MOST_STORM_SECONDS = 240;

/** The seed of `TILEONCE_STORM_SEED`, to have a storm again; else a new one. */
const seedOfRun = (): number => Number(process.env['TILEONCE_STORM_SEED'] ?? Date.now() % 1_000_000);

/**
 * Uploads scenes, lets faults of every kind strike the functions' calls at random and kills functions at random until
 * all of it happened; then lets the app come to rest by itself, with its dead letters replayed as they come.
 *
 * @throws Error where it does not come to rest in time.
 */
export const weatherStorm = async (app: DeployedApp, seed = seedOfRun()): Promise<Weathered> => {
  say(`a storm with TILEONCE_STORM_SEED=${seed}`);
  const storm = new Storm({ seed, rates: RATES, stubborn: 0.12 });
  const kills = new RandomKills({
    seed,
    mostBetween: MOST_BETWEEN,
    mostMs: 300,
    kill: (caller, port) => app.kill(caller, port),
  });
  using _kills = app.proxy.intercept(kills.interceptor);
  using _storm = app.proxy.intercept(storm.interceptor);

  const scenes: StormyScene[] = [];
  const add = async (size: number): Promise<void> => {
    const name = `storm-${scenes.length}`;
    const scene = await uploadScene(app, name, size);
    if (size === LARGE) await ringAgain(app, scene);
    scenes.push({ id: scene.id, name, red: scene.red, size, windows: (size / 32) ** 2 });
  };
  const ungated = await uploadScene(app, 'ungated', SMALL);
  using _gateless = app.proxy.intercept(withoutPrecondition((call) => isObjectWrite(call, `/tiles/${ungated.id}/`)));
  // Its first tile is written, its worker dies, and the message is delivered again.
  const crash = {
    name: 'tile written, no row',
    caller: 'tile',
    isReached: (call) => isObjectWrite(call, `/tiles/${ungated.id}/`),
  } as const satisfies Parameters<typeof crashAt>[0][number];
  using _crash = app.proxy.intercept(crashAt([crash], (caller) => app.kill(caller)).interceptor);

  for (let i = 0; i < FIRST_SMALL_SCENES; i++) await add(SMALL);
  await add(LARGE);
  const missing = (): string[] => [...storm.missing, ...kills.missing.map((name) => `${name} killed`)];
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  const isEnough = (): boolean => missing().length === 0 && storm.total >= LEAST_FAULTS;
  while (!isEnough() && seconds() < MOST_STORM_SECONDS) {
    await pause(2_000);
    if (scenes.length <= MOST_SMALL_SCENES && (await app.depth(app.deployed.queues.scenes)) === 0) await add(SMALL);
  }
  storm.end();
  kills.end();
  say(`the storm is over after ${Math.round(seconds())} s, ${scenes.length} scenes; missing: ${missing().join(', ')}`);

  let replayed = 0;
  const ids = [...scenes.map(({ id }) => id), ungated.id];
  const atRest = async (): Promise<boolean> => {
    replayed += await replayAll(app);
    if (!(await Promise.all(ids.map((id) => isFinished(app, id)))).every(Boolean)) return false;
    return (await deadLetters(app)).length === 0;
  };
  await until('the app comes to rest after the storm', atRest, 420);
  say(`${storm.total} faults, ${kills.kills.length} kills, ${replayed} dead letters replayed`);
  return { seed, scenes, ungated: ungated.id, missing: missing(), counts: storm.counts, kills: kills.kills, replayed };
};
