import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../sim/random.ts';
import type { Interceptor, ProxiedCall } from './recording-proxy.ts';
import {
  STORM_FAULTS,
  type Service,
  type StormFault,
  canStrike,
  hasEffect,
  labelOf,
  serviceOf,
  strike,
} from './storm-faults.ts';

export interface StormOptions {
  readonly seed: number;
  /** How many of a service's calls are struck, as a share: of those that change something, and of the others. */
  readonly rates: Readonly<Record<Service, { readonly writes: number; readonly reads: number }>>;
  /** How many of the struck calls fail at every retry too, so that their caller must do without, as a share. */
  readonly stubborn: number;
  readonly pause?: (ms: number) => Promise<void>;
}

/** A fault that was drawn for a call. */
export interface Blow {
  readonly fault: StormFault;
  /** How long a delay is. */
  readonly delayMs: number;
}

/** A delay that a caller sits out, ms, and one that it does not: clients ask again after 10 s. */
const SHORTEST_DELAY_MS = 30;
const LONGEST_DELAY_MS = 1_500;
const PAST_TIMEOUT_MS = 10_500;

/**
 * Faults at random, drawn from a seed: the same calls in the same order are struck by the same faults. Each service's
 * faults are dealt like cards from a shuffled deck, so that all of them come before any comes again.
 */
export class Storm {
  readonly #options: StormOptions;
  /** One for each service, so that none depends on how busy the others are. */
  readonly #random: Readonly<Record<Service, Random>>;
  readonly #decks: Record<Service, StormFault[]> = { S3: [], DynamoDB: [], SQS: [] };
  readonly #stubborn = new Map<string, Blow>();
  readonly #counts = new Map<string, number>();
  #isOver = false;

  constructor(options: StormOptions) {
    this.#options = options;
    const { seed } = options;
    this.#random = { S3: new Random(seed), DynamoDB: new Random(seed + 1), SQS: new Random(seed + 2) };
  }

  /** How often each fault did happen, by its label. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** How many faults happened in all. */
  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Labels of the faults that did not happen yet. */
  get missing(): string[] {
    return STORM_FAULTS.map(labelOf).filter((label) => !this.#counts.has(label));
  }

  /** Nothing goes wrong from now on. */
  end(): void {
    this.#isOver = true;
  }

  /** What happens to this call; null where nothing does. */
  blowFor(call: ProxiedCall): Blow | null {
    if (this.#isOver || call.caller === null) return null;
    const id = String(call.headers['amz-sdk-invocation-id'] ?? '');
    const again = this.#stubborn.get(id);
    if (again !== undefined) return again;
    const { rates, stubborn } = this.#options;
    const service = serviceOf(call);
    const random = this.#random[service];
    if (!random.chance(rates[service][hasEffect(call) ? 'writes' : 'reads'])) return null;
    const fault = this.#deal(service, call);
    if (fault === null) return null;
    const delayMs =
      fault.kind === 'held past its timeout'
        ? PAST_TIMEOUT_MS
        : Math.round(random.logBetween(SHORTEST_DELAY_MS, LONGEST_DELAY_MS));
    const blow = { fault, delayMs };
    if (isRefusal(fault) && random.chance(stubborn)) this.#stubborn.set(id, blow);
    return blow;
  }

  /** Stands in the proxy. */
  readonly interceptor: Interceptor = async (call, forward) => {
    const blow = this.blowFor(call);
    if (blow === null) return forward();
    const { fault, delayMs } = blow;
    let happened = true;
    try {
      return await strike(
        fault,
        delayMs,
        async () => {
          try {
            return await forward();
          } catch (error) {
            // The endpoint itself went away: that is none of ours.
            happened = false;
            throw error;
          }
        },
        this.#options.pause ?? ((ms) => sleep(ms)),
      );
    } finally {
      if (happened) this.#counts.set(labelOf(fault), (this.#counts.get(labelOf(fault)) ?? 0) + 1);
    }
  };

  /** The first card that fits; where none does, of one more deck, put under what is left. */
  #deal(service: Service, call: ProxiedCall): StormFault | null {
    const deck = this.#decks[service];
    if (!deck.some((fault) => canStrike(fault, call))) deck.push(...this.#shuffled(service));
    const at = deck.findIndex((fault) => canStrike(fault, call));
    const [fault = null] = at === -1 ? [] : deck.splice(at, 1);
    return fault;
  }

  #shuffled(service: Service): StormFault[] {
    return STORM_FAULTS.filter((fault) => fault.service === service)
      .map((fault) => ({ fault, at: this.#random[service].next() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ fault }) => fault);
  }
}

/** A fault that makes a caller try again. */
const isRefusal = ({ kind }: StormFault): boolean => kind === 'cut' || kind === 'error' || kind === 'cut in the middle';
