import { Worker } from 'node:worker_threads';
import type { WorkerCommand, WorkerEvent, WorkerSetup } from './worker-events.ts';

/** Heap of one worker thread, MB: pixels live outside of it, so this only catches a leak. */
const WORKER_HEAP_MB = 512;
/** Of it for new objects, MB: left alone it grows to a hundred, while what a worker makes is forgotten at once. */
export const WORKER_YOUNG_MB = 12;

/** How long workers get to release their leases before they are ended, ms. */
const STOP_MS = 10_000;

/** Worker threads on one output folder; they take their messages themselves, so the pool hands out nothing. */
export class WorkerPool {
  readonly #workers: readonly Worker[];
  readonly #exits: readonly Promise<void>[];

  /** @param onEvent called in the main thread, in the order that each worker reports. */
  constructor(threads: number, setup: WorkerSetup, onEvent: (event: WorkerEvent) => void) {
    this.#workers = Array.from({ length: threads }, () => {
      const worker = new Worker(new URL('./worker.ts', import.meta.url), {
        workerData: setup,
        resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB, maxYoungGenerationSizeMb: WORKER_YOUNG_MB },
      });
      worker.on('message', onEvent);
      worker.on('error', (error: Error) => onEvent({ kind: 'fatal', message: `a worker died: ${error.message}` }));
      return worker;
    });
    this.#exits = this.#workers.map((worker) => new Promise((resolve) => worker.once('exit', () => resolve())));
  }

  /** Lets every worker give back what it has at hand, then ends it. */
  async stop(): Promise<void> {
    const command: WorkerCommand = { kind: 'stop' };
    for (const worker of this.#workers) worker.postMessage(command);
    const late = setTimeout(() => {
      for (const worker of this.#workers) void worker.terminate();
    }, STOP_MS);
    await Promise.all(this.#exits);
    clearTimeout(late);
  }
}
