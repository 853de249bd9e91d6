import { StoreUnavailableError } from '../../../lambda/errors.ts';

export type StoreName = 'claims' | 'objects' | 'manifest' | 'queue';

/** One call on its way to a store (`before` its effect) or its reply on the way back (`after`). */
export interface StoreCall {
  readonly store: StoreName;
  readonly method: string;
  /** The job id, object key, window, queue or scene that the call is about. */
  readonly key: string;
  readonly phase: 'before' | 'after';
}

/** May throw (before: the effect does not happen; after: it has, and its reply is lost) or wait. */
export type Hook = (call: StoreCall) => void | Promise<void>;

/** Where a fault strikes: a store (`claims`), a method (`claims.commit`) or one key (`objects.create tiles/a.tif`). */
export type FaultPlace = StoreName | `${StoreName}.${string}`;

/** A call that stands still until it is let go. */
export interface Hold {
  /** Resolves when the call has arrived. */
  readonly reached: Promise<void>;
  release(): void;
}

interface Fault {
  readonly place: FaultPlace;
  readonly phase: 'before' | 'after' | 'conflict';
  times: number;
  readonly strike: () => void | Promise<void>;
}

/** What goes wrong between a caller and its stores, scripted and deterministic: faults strike in the order they were set. */
export class Faults {
  #faults: Fault[] = [];
  readonly #hook: Hook | undefined;

  constructor(hook?: Hook) {
    this.#hook = hook;
  }

  /** The next `times` calls fail before they have an effect. */
  failBefore(place: FaultPlace, times = 1, error: Error = unreachable(place)): void {
    this.#add({ place, phase: 'before', times, strike: () => raise(error) });
  }

  /** The next `times` calls have their effect, and the caller never learns of it. */
  dropReply(place: FaultPlace, times = 1, error: Error = unreachable(place)): void {
    this.#add({ place, phase: 'after', times, strike: () => raise(error) });
  }

  /** The next `times` conditional writes are answered 409: no effect, ask again. */
  conflict(place: FaultPlace, times = 1): void {
    this.#add({ place, phase: 'conflict', times, strike: () => undefined });
  }

  /** Every call fails until the returned function is called. */
  outage(place: FaultPlace): () => void {
    const fault = this.#add({ place, phase: 'before', times: Infinity, strike: () => raise(unreachable(place)) });
    return () => {
      this.#faults = this.#faults.filter((known) => known !== fault);
    };
  }

  /** The next call stands still: before its effect, or with its reply. */
  hold(place: FaultPlace, phase: 'before' | 'after' = 'before'): Hold {
    const arrival = Promise.withResolvers<void>();
    const departure = Promise.withResolvers<void>();
    const strike = (): Promise<void> => {
      arrival.resolve();
      return departure.promise;
    };
    this.#add({ place, phase, times: 1, strike });
    return { reached: arrival.promise, release: () => departure.resolve() };
  }

  /** Carries one call to its store and its reply back. `onConflict` is the reply to a scripted 409. */
  async carry<T>(call: Omit<StoreCall, 'phase'>, effect: () => T, onConflict?: () => T): Promise<T> {
    await this.#pass({ ...call, phase: 'before' });
    const conflict = onConflict === undefined ? undefined : this.#take(call, 'conflict');
    const reply = conflict === undefined || onConflict === undefined ? effect() : onConflict();
    await this.#pass({ ...call, phase: 'after' });
    return reply;
  }

  async #pass(call: StoreCall): Promise<void> {
    await this.#hook?.(call);
    await this.#take(call, call.phase)?.strike();
  }

  #take(call: Omit<StoreCall, 'phase'>, phase: Fault['phase']): Fault | undefined {
    const { store, method, key } = call;
    const names: string[] = [store, `${store}.${method}`, `${store}.${method} ${key}`];
    const fault = this.#faults.find((known) => known.phase === phase && known.times > 0 && names.includes(known.place));
    if (fault !== undefined) fault.times -= 1;
    return fault;
  }

  #add(fault: Fault): Fault {
    this.#faults.push(fault);
    return fault;
  }
}

const unreachable = (place: FaultPlace): StoreUnavailableError => new StoreUnavailableError(`${place} is out of reach`);

const raise = (error: Error): never => {
  throw error;
};
