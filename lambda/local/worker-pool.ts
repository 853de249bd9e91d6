import { Worker } from 'node:worker_threads';
import type { WorkerCommand, WorkerEvent, WorkerSetup } from './worker-events.ts';

/** Heap of one worker thread, MB: pixels live outside of it, so this only catches a leak. */
const WORKER_HEAP_MB = 512;
/** Of it for new objects, MB: left alone it grows to a hundred, while what a worker makes is forgotten at once. */
export const WORKER_YOUNG_MB = 12;

/** How long workers get to release their leases before they are ended, ms. */
const STOP_MS = 10_000;

interface Thread {
  readonly worker: Worker;
  readonly exited: Promise<void>;
}

/** Worker threads on one output folder; they take their messages themselves, so the pool hands out nothing. */
export class WorkerPool {
  readonly #most: number;
  readonly #setup: WorkerSetup;
  #threads: readonly Thread[] = [];
  #begun = false;
  /** Until the pool has begun there is nobody to tell: a thread that dies while it loads is told of then. */
  #early: WorkerEvent[] = [];
  #tellEvent = (event: WorkerEvent): void => void this.#early.push(event);

  constructor(mostThreads: number, setup: WorkerSetup) {
    this.#most = mostThreads;
    this.#setup = setup;
  }

  /**
   * Has threads load their code, which takes them a third of a second, and wait: for whoever still prepares their work.
   * Nothing where there are threads.
   */
  load(wanted = this.#most): void {
    if (this.#threads.length > 0) return;
    this.#threads = Array.from({ length: Math.min(wanted, this.#most) }, () =>
      startThread(this.#setup, (event) => this.#tellEvent(event)),
    );
  }

  /**
   * Has threads take messages until they are stopped. Nothing where it was called before.
   *
   * @param wanted no more threads than this; those loaded beyond them end
   * @param onEvent called in the main thread, in the order that each worker reports.
   */
  begin(wanted: number, onEvent: (event: WorkerEvent) => void): void {
    if (this.#begun) return;
    this.#begun = true;
    this.load(wanted);
    this.#tellEvent = onEvent;
    for (const event of this.#early.splice(0)) onEvent(event);
    for (const [index, { worker }] of this.#threads.entries()) {
      if (index < wanted) tell(worker, { kind: 'begin' });
      else void worker.terminate();
    }
  }

  /** Lets every worker give back what it has at hand, then ends it. */
  async stop(): Promise<void> {
    const end = (): void => {
      for (const { worker } of this.#threads) void worker.terminate();
    };
    if (this.#begun) for (const { worker } of this.#threads) tell(worker, { kind: 'stop' });
    else end();
    const late = setTimeout(end, STOP_MS);
    await Promise.all(this.#threads.map(({ exited }) => exited));
    clearTimeout(late);
  }
}

const startThread = (setup: WorkerSetup, onEvent: (event: WorkerEvent) => void): Thread => {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: setup,
    resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB, maxYoungGenerationSizeMb: WORKER_YOUNG_MB },
  });
  worker.on('message', onEvent);
  worker.on('error', (error: Error) => onEvent({ kind: 'fatal', message: `a worker died: ${error.message}` }));
  return { worker, exited: new Promise((resolve) => worker.once('exit', () => resolve())) };
};

const tell = (worker: Worker, command: WorkerCommand): void => worker.postMessage(command);
