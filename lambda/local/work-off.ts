import { StoreUnavailableError } from '../errors.ts';
import { QUEUES } from '../gates/queue.ts';
import type { LocalEngine } from './local-engine.ts';
import { ringAgain } from './ring-again.ts';
import { SWEEP_MS, WATCH_MS } from './timing.ts';
import { WorkerPool } from './worker-pool.ts';

export interface WorkOffOptions {
  readonly out: string;
  readonly threads: number;
}

/**
 * Runs `act` while worker threads take messages from the ledger, then lets them go on until no queue holds one: what was
 * sent is done, or with the dead letters. Another process may work on the same folder.
 *
 * @throws StoreUnavailableError where a store does not answer; the signal's reason when it fires.
 */
export const workOff = async <T>(
  local: LocalEngine,
  { out, threads }: WorkOffOptions,
  signal: AbortSignal,
  act: () => Promise<T>,
): Promise<T> => {
  const { context, engine, remote } = local;
  await engine.processes.sweepDead();
  let fatal: string | null = null;
  const pool = new WorkerPool(threads, { out, remote });
  pool.begin(threads, (event) => {
    if (event.kind === 'fatal') fatal ??= event.message;
  });
  const state = { acted: false };
  const acting = act().finally(() => {
    state.acted = true;
  });
  // Its failure is thrown below; until then it must not count as unhandled.
  acting.catch(() => undefined);
  try {
    for (let sweptAt = context.clock.monotonic(); !state.acted || !(await isDrained(local));) {
      if (fatal !== null) throw new StoreUnavailableError(fatal);
      signal.throwIfAborted();
      await ringAgain(local, signal);
      if (context.clock.monotonic() - sweptAt > SWEEP_MS) {
        await engine.processes.sweepDead();
        sweptAt = context.clock.monotonic();
      }
      await context.clock.sleep(WATCH_MS, signal);
    }
    return await acting;
  } finally {
    await pool.stop();
  }
};

const isDrained = async ({ engine }: LocalEngine): Promise<boolean> => {
  for (const queue of QUEUES) {
    const { visible, hidden } = await engine.queue.depth(queue);
    if (visible + hidden > 0) return false;
  }
  return true;
};
