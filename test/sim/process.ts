import type { Clock } from '../../lambda/clock.ts';
import { StoreUnavailableError } from '../../lambda/errors.ts';
import type { CallPoint, Chaos, Fault } from './chaos.ts';
import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';

/** The process is dead: nothing that it still does has an effect. */
export class Died extends Error {}

/** The simulation's wall clock at virtual time 0, ms since the epoch. */
export const EPOCH = Date.UTC(2026, 0, 1);

export interface Surroundings {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly chaos: Chaos;
  readonly trace: (line: () => string) => void;
}

/** Answers that a fault gives in the store's stead. */
export interface FaultAnswers<T> {
  readonly conflict?: T;
  readonly gone?: T;
  /** Has a part of the effect. */
  readonly inPart?: () => Promise<unknown>;
}

/**
 * One process: a clock of its own, and every call to a store is a step of the simulation, at which it may be slow, fail
 * on either side of its effect, or be the process's last.
 */
export class Process {
  readonly name: string;
  /** Which code it runs; what the code computes differs from one version to the next. */
  readonly codeVersion: number;
  readonly clock: Clock;
  /** Jobs that it won since it began the message at hand. */
  readonly won = new Set<string>();
  dead = false;
  /** Stopped for longer than a function may run, and then went on. */
  frozen = false;
  /** Called once when the process dies or freezes: its place is free. */
  onGone: () => void = () => undefined;
  readonly #around: Surroundings;
  readonly #waiting = new Set<(error: Died) => void>();

  constructor(name: string, codeVersion: number, around: Surroundings) {
    this.name = name;
    this.codeVersion = codeVersion;
    this.#around = around;
    const { timeline, random, chaos } = around;
    const skew = chaos.skew * random.between(-1, 1);
    const drift = chaos.drift * random.between(-1, 1);
    if (skew !== 0) chaos.struck(chaos.skew > 60_000 ? 'clock off by minutes' : 'clock off by seconds');
    if (drift !== 0) chaos.struck('clock drifts');
    const born = timeline.now;
    const drawn = () => random.next();
    this.clock = {
      now: () => Math.round(EPOCH + timeline.now + skew + (timeline.now - born) * drift),
      monotonic: () => timeline.now - born,
      sleep: (ms) => this.wait(ms),
      random: drawn,
    };
  }

  /** Kills the process: whatever it waits for never comes. */
  die(): Died {
    if (!this.dead) {
      this.dead = true;
      for (const reject of this.#waiting) reject(new Died());
      this.#waiting.clear();
      if (!this.frozen) this.onGone();
    }
    return new Died();
  }

  /** Waits in virtual time. @throws Died where the process dies meanwhile. */
  wait(ms: number): Promise<void> {
    if (this.dead) return Promise.reject(new Died());
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      this.#around.timeline.schedule(ms, () => {
        if (this.#waiting.delete(reject)) resolve();
      });
    });
  }

  /** Makes one call to a store, with whatever goes wrong. @throws Died, StoreUnavailableError. */
  async call<T>(point: CallPoint, effect: () => Promise<T>, answers: FaultAnswers<T> = {}): Promise<T> {
    const { chaos, timeline, trace } = this.#around;
    if (this.dead) throw new Died();
    const fate = chaos.fateOf(point, timeline.now);
    const told = (): string => `${this.name} ${point.store}.${point.method} ${point.key.slice(0, 24)}`;
    if (fate.fault === 'frozen process') this.#freeze();
    await this.wait(fate.delay);
    if (chaos.downUntil(point.store, timeline.now) !== null) {
      this.#strike('store down', told);
      throw unreachable(point);
    }
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- only faults that strike before the effect
    switch (fate.fault) {
      case 'crash before the call':
        this.#strike(fate.fault, told);
        throw this.die();
      case 'throttled':
        this.#strike(fate.fault, told);
        throw unreachable(point);
      case '409 conflict':
        if (answers.conflict === undefined) break;
        this.#strike(fate.fault, told);
        return answers.conflict;
      case 'upload gone':
        if (answers.gone === undefined) break;
        this.#strike(fate.fault, told);
        return answers.gone;
      case 'send confirmed in part':
        if (answers.inPart === undefined) break;
        this.#strike(fate.fault, told);
        await answers.inPart();
        throw unreachable(point);
      default:
      // The others strike elsewhere, or after the effect.
    }
    let reply = await effect();
    trace(() => `${told()} → ${brief(reply)}`);
    if (fate.fault === 'crash after the call') {
      this.#strike(fate.fault, told);
      throw this.die();
    }
    if (fate.fault === 'reply lost') {
      this.#strike(fate.fault, told);
      throw unreachable(point);
    }
    if (fate.fault === 'reply lost, call retried') {
      this.#strike(fate.fault, told);
      await this.wait(200);
      reply = await effect();
      trace(() => `${told()} again → ${brief(reply)}`);
    }
    if (fate.fault === 'slow call') this.#strike(fate.fault, told);
    if (fate.replyDelay > 0) await this.wait(fate.replyDelay);
    return reply;
  }

  #freeze(): void {
    if (this.frozen) return;
    this.frozen = true;
    this.#strike('frozen process', () => this.name);
    this.onGone();
  }

  #strike(fault: Fault, told: () => string): void {
    this.#around.chaos.struck(fault);
    this.#around.trace(() => `${told()}: ${fault}`);
  }
}

const unreachable = ({ store, method, key }: CallPoint): StoreUnavailableError =>
  new StoreUnavailableError(`${store}.${method} ${key} gave no answer`);

const brief = (reply: unknown): string => {
  if (typeof reply !== 'object' || reply === null) return String(reply);
  if ('kind' in reply) return String(reply.kind);
  if ('state' in reply) return String(reply.state);
  return Array.isArray(reply) ? `${reply.length}` : '…';
};
