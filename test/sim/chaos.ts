import type { Random } from './random.ts';

/** Everything that goes wrong on purpose. A probe shows that each of them did happen. */
export const FAULTS = [
  // A process, at a call to a store.
  'crash before the call',
  'crash after the call',
  'reply lost',
  'reply lost, call retried',
  'throttled',
  '409 conflict',
  'upload gone',
  'send confirmed in part',
  'slow call',
  'frozen process',
  'store down',
  'killed at its ceiling',
  'no worker to be had',
  // A process's clock.
  'clock off by seconds',
  'clock off by minutes',
  'clock drifts',
  // The queues and the stream.
  'delivered twice',
  'delivered late',
  'delivered out of order',
  'acknowledgement lost',
  'event sent twice',
  'stream batch lost',
  'stream batch twice',
  // The world.
  'source replaced',
  'source put back',
  'source encrypted again',
  'source uploaded again',
  'deploy of other pixels',
  'backfill',
  'late backfill',
  'redrive',
  'garbage collection',
  'foreign object under a tile key',
  'purge',
  'tile spoilt',
  'overwrite',
] as const;
export type Fault = (typeof FAULTS)[number];

export type SimStore = 'claims' | 'objects' | 'manifest' | 'queue' | 'sources';

/** One call of a process to a store. */
export interface CallPoint {
  readonly store: SimStore;
  readonly method: string;
  /** What the call is about: a job, a key, a window, a queue. */
  readonly key: string;
}

/** What becomes of a call. Delays in ms. */
export interface Fate {
  readonly fault: Fault | null;
  readonly delay: number;
  readonly replyDelay: number;
}

interface Outage {
  readonly store: SimStore;
  readonly from: number;
  readonly until: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const AT_ANY_CALL = [
  'crash before the call',
  'crash after the call',
  'reply lost',
  'reply lost, call retried',
  'throttled',
  'slow call',
  'frozen process',
] as const satisfies readonly Fault[];

/**
 * What goes wrong in one simulation, drawn from its seed: about half of the faults, each with a rate of its own, so that
 * some runs are hit by one thing alone and some by everything. After `calmAt` nothing goes wrong any more.
 */
export class Chaos {
  readonly calmAt: number;
  /** The most that a clock is off, either way, ms. */
  readonly skew: number;
  /** The most that a clock gains or loses, as a share. */
  readonly drift: number;
  readonly counts = new Map<Fault, number>();
  readonly #random: Random;
  readonly #rates = new Map<Fault, number>();
  readonly #outages: Outage[] = [];
  #starved = { from: 0, until: 0 };

  /** @param only the faults there are; by default drawn. */
  constructor(random: Random, only?: readonly Fault[]) {
    this.#random = random;
    const has = (fault: Fault, probability: number): boolean =>
      random.chance(probability) ? only === undefined || only.includes(fault) : false;
    for (const fault of FAULTS) {
      const rate = random.logBetween(0.004, 0.1);
      if (has(fault, 0.5)) this.#rates.set(fault, fault === 'frozen process' ? rate / 8 : rate);
    }
    const busy = random.pick([20 * MINUTE, HOUR, 6 * HOUR]);
    if (this.#rates.has('store down')) {
      for (let left = 1 + random.below(2); left > 0; left--) {
        const from = random.between(0, busy);
        const store = random.pick(['claims', 'objects', 'manifest', 'queue', 'sources'] as const);
        this.#outages.push({ store, from, until: from + random.logBetween(2 * MINUTE, 5 * HOUR) });
      }
    }
    if (this.#rates.has('no worker to be had')) {
      // From about when the first scene is planned.
      this.#starved = { from: random.between(0, 5 * MINUTE), until: random.logBetween(10 * MINUTE, busy) };
    }
    this.calmAt = Math.max(busy, ...this.#outages.map(({ until }) => until));
    // Two clocks that are each off by half of what the numbers absorb are no further apart than that.
    this.skew = has('clock off by minutes', 0.25) ? 10 * MINUTE : has('clock off by seconds', 0.6) ? 14_000 : 0;
    this.drift = has('clock drifts', 0.4) ? (this.skew > MINUTE ? 1e-2 : 1e-3) : 0;
  }

  /** True where clocks keep within what the lease and the visibility absorb, and no process outlives its ceiling. */
  get withinNumbers(): boolean {
    return this.skew <= 15_000 && !this.#rates.has('frozen process');
  }

  /** Notes that a fault did happen. */
  struck(fault: Fault): void {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
  }

  /** True, and noted, where the fault strikes now. */
  strikes(fault: Fault, now: number): boolean {
    const rate = this.#rates.get(fault);
    if (rate === undefined || now >= this.calmAt || !this.#random.chance(rate)) return false;
    this.struck(fault);
    return true;
  }

  /** True where this kind of fault belongs to the run. */
  includes(fault: Fault): boolean {
    return this.#rates.has(fault);
  }

  /** When a store answers again; null where it does now. */
  downUntil(store: SimStore, now: number): number | null {
    const current = this.#outages.filter(
      (outage) => outage.store === store && now >= outage.from && now < outage.until,
    );
    return current.length === 0 ? null : Math.max(...current.map(({ until }) => until));
  }

  /** How long stores are down in all, ms. */
  get outageMs(): number {
    return this.#outages.reduce((sum, { from, until }) => sum + until - from, 0);
  }

  /** When the next window may be worked on, where all of the account's workers are taken now; else null. */
  starvedUntil(now: number): number | null {
    return now >= this.#starved.from && now < this.#starved.until ? this.#starved.until : null;
  }

  fateOf(call: CallPoint, now: number): Fate {
    const fault = now < this.calmAt ? this.#faultOf(call) : null;
    const delay = this.#latency(fault);
    return { fault, delay, replyDelay: this.#random.chance(0.3) ? this.#random.between(1, 400) : 0 };
  }

  #faultOf({ store, method }: CallPoint): Fault | null {
    for (const fault of AT_ANY_CALL) {
      // An object whose row never came is what most rules are about.
      const times = fault === 'crash after the call' && method === 'create' ? 5 : 1;
      // A part that is sent again is the same part; the store in memory would append it.
      if (this.#hits(fault, times)) return fault === 'reply lost, call retried' && method === 'write' ? null : fault;
    }
    if (
      store === 'objects' &&
      (method === 'create' || method === 'replace' || method === 'complete') &&
      this.#hits('409 conflict', 4)
    )
      return '409 conflict';
    if (store === 'objects' && method === 'complete' && this.#hits('upload gone', 4)) return 'upload gone';
    if (store === 'queue' && method === 'send' && this.#hits('send confirmed in part', 2))
      return 'send confirmed in part';
    return null;
  }

  #hits(fault: Fault, times = 1): boolean {
    const rate = this.#rates.get(fault);
    return rate !== undefined && this.#random.chance(rate * times);
  }

  #latency(fault: Fault | null): number {
    if (fault === 'slow call') return this.#random.logBetween(MINUTE, 14.9 * MINUTE);
    if (fault === 'frozen process') return this.#random.logBetween(16 * MINUTE, 3 * HOUR);
    return 2 + 800 * this.#random.next() ** 3;
  }
}
