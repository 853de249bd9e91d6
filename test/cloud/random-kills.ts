import { FUNCTIONS, type FunctionName } from '../../lambda/environment.ts';
import { Random } from '../sim/random.ts';
import { ConnectionCut, type Interceptor, type ProxiedCall } from './recording-proxy.ts';

export interface RandomKillsOptions {
  readonly seed: number;
  /** A function's invocations between two kills, the killed one included: 1 to so many, each as likely. */
  readonly mostBetween: Readonly<Record<FunctionName, number>>;
  /** How long after its first call an invocation is killed, ms: up to this, every order of magnitude as likely. */
  readonly mostMs: number;
  /** Kills the function's process that calls from this port. */
  readonly kill: (caller: FunctionName, port: number) => void;
  /** Milliseconds on any monotonic clock. */
  readonly now?: () => number;
}

/** A kill that did happen. */
export interface Kill {
  readonly caller: FunctionName;
  /** Which of the function's invocations, from 1. */
  readonly invocation: number;
  /** How long after its first call, ms. */
  readonly afterMs: number;
  /** The call that was under way: the service saw it, or never did. */
  readonly side: 'before' | 'after';
}

/** An invocation that is to die: at its first call, or first reply, at this time or later. */
interface Doom {
  readonly invocation: number;
  readonly traceId: string;
  readonly first: number;
  readonly at: number;
}

const SHORTEST_MS = 1;

/**
 * Kills the processes of functions in the middle of their work, at random and from a seed: which invocations, and how
 * long after their start. An invocation is told by the trace id in its calls. One that ends before its time escapes,
 * and the next one dies in its place, after half the time.
 */
export class RandomKills {
  readonly kills: Kill[] = [];
  readonly #options: RandomKillsOptions;
  /** One for each function, so that none depends on how quick the others are. */
  readonly #random: ReadonlyMap<FunctionName, Random>;
  readonly #seen = new Map<FunctionName, Set<string>>(FUNCTIONS.map((name) => [name, new Set()]));
  readonly #next = new Map<FunctionName, { invocation: number; ms: number }>();
  readonly #dooms = new Map<FunctionName, Doom>();
  #isOver = false;

  constructor(options: RandomKillsOptions) {
    this.#options = options;
    this.#random = new Map(FUNCTIONS.map((name, at) => [name, new Random(options.seed + at)]));
    for (const name of FUNCTIONS) this.#plan(name, 0);
  }

  /** Functions that were not killed yet. */
  get missing(): FunctionName[] {
    return FUNCTIONS.filter((name) => !this.kills.some(({ caller }) => caller === name));
  }

  end(): void {
    this.#isOver = true;
  }

  /** Stands in the proxy. */
  readonly interceptor: Interceptor = async (call, forward) => {
    const doom = this.#doomOf(call);
    if (doom === null) return forward();
    if (this.#isTime(doom)) {
      this.#kill(doom, call.port, 'before');
      throw new ConnectionCut('its caller is dead');
    }
    const reply = await forward();
    if (this.#isTime(doom)) this.#kill(doom, call.port, 'after');
    return reply;
  };

  /** Notes whose call it is. @returns what its invocation is to die of, if it is. */
  #doomOf({ caller, headers }: ProxiedCall): (Doom & { readonly caller: FunctionName }) | null {
    const traceId = headers['x-amzn-trace-id'];
    if (this.#isOver || caller === null || typeof traceId !== 'string') return null;
    const seen = this.#seen.get(caller) ?? new Set();
    const next = this.#next.get(caller);
    if (!seen.has(traceId)) {
      seen.add(traceId);
      const first = this.#now();
      const escaped = this.#dooms.get(caller);
      if (escaped !== undefined && first > escaped.at) {
        const ms = Math.max(SHORTEST_MS, (escaped.at - escaped.first) / 2);
        this.#dooms.set(caller, { invocation: seen.size, traceId, first, at: first + ms });
      } else if (next?.invocation === seen.size) {
        this.#dooms.set(caller, { invocation: seen.size, traceId, first, at: first + next.ms });
      }
    }
    const doom = this.#dooms.get(caller);
    return doom?.traceId === traceId ? { ...doom, caller } : null;
  }

  #isTime({ at, traceId, caller }: Doom & { readonly caller: FunctionName }): boolean {
    return !this.#isOver && this.#dooms.get(caller)?.traceId === traceId && this.#now() >= at;
  }

  #kill(
    { caller, invocation, first }: Doom & { readonly caller: FunctionName },
    port: number,
    side: Kill['side'],
  ): void {
    this.#options.kill(caller, port);
    this.kills.push({ caller, invocation, afterMs: Math.round(this.#now() - first), side });
    this.#dooms.delete(caller);
    this.#plan(caller, this.#seen.get(caller)?.size ?? 0);
  }

  #plan(caller: FunctionName, seen: number): void {
    const { mostBetween, mostMs, seed } = this.#options;
    const random = this.#random.get(caller) ?? new Random(seed);
    const invocation = seen + 1 + random.below(mostBetween[caller]);
    this.#next.set(caller, { invocation, ms: random.logBetween(SHORTEST_MS, mostMs) });
  }

  #now(): number {
    return (this.#options.now ?? (() => performance.now()))();
  }
}
