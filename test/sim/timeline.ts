/** Something that happens at a virtual time. */
interface Scheduled {
  readonly at: number;
  /** Ties are broken by who came first. */
  readonly order: number;
  run: (() => void) | null;
}

/** The simulation did not come to rest in the steps it was given: some part of it goes round in circles. */
export class RestlessError extends Error {}

/**
 * Virtual time: one thing happens at a time, in order of time; nothing happens by itself. Between two steps all code
 * that waits for nothing runs until it waits, so a run depends on its seed alone.
 */
export class Timeline {
  /** ms since the simulation's start. */
  now = 0;
  steps = 0;
  readonly #heap: Scheduled[] = [];
  #order = 0;

  /** Runs `run` in `delayMs`; the returned function takes it back. */
  schedule(delayMs: number, run: () => void): () => void {
    const entry: Scheduled = { at: this.now + Math.max(0, delayMs), order: this.#order++, run };
    push(this.#heap, entry);
    return () => {
      entry.run = null;
    };
  }

  /** Steps on until nothing is scheduled any more, or `stop` says so. @throws RestlessError past `mostSteps`. */
  async run(mostSteps: number, stop: () => boolean): Promise<void> {
    for (;;) {
      const entry = pop(this.#heap);
      if (entry === undefined) return;
      if (entry.run === null) continue;
      this.now = entry.at;
      this.steps++;
      if (this.steps > mostSteps) throw new RestlessError(`not at rest after ${mostSteps} steps`);
      entry.run();
      await settle();
      if (stop()) return;
    }
  }
}

/** Lets every promise chain run until it waits for a step; twice, because readers gather requests for one turn. */
const settle = async (): Promise<void> => {
  await turn();
  await turn();
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const before = (a: Scheduled, b: Scheduled): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

const push = (heap: Scheduled[], entry: Scheduled): void => {
  let i = heap.push(entry) - 1;
  while (i > 0) {
    const parent = (i - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || before(above, entry)) break;
    heap[i] = above;
    heap[parent] = entry;
    i = parent;
  }
};

const pop = (heap: Scheduled[]): Scheduled | undefined => {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let i = 0;
  for (;;) {
    const left = 2 * i + 1;
    const [l, r] = [heap[left], heap[left + 1]];
    if (l === undefined) break;
    const [child, at] = r !== undefined && before(r, l) ? [r, left + 1] : [l, left];
    if (before(last, child)) break;
    heap[i] = child;
    i = at;
  }
  heap[i] = last;
  return first;
};
