import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TileonceError } from '../../lambda/errors.ts';
import type { DeadLetterStore } from '../../lambda/gates/dead-letters.ts';
import { openLocalEngine } from '../../lambda/local/local-engine.ts';
import { workOff } from '../../lambda/local/work-off.ts';
import type { PipelineContext } from '../../lambda/pipeline/context.ts';
import type { WorkTools } from '../../lambda/pipeline/recovery/replay-delivery.ts';
import { SourcePool } from '../../lambda/pipeline/source-pool.ts';
import { silentTelemetry } from '../../lambda/telemetry.ts';
import { type EngineFlags, chosenEngine } from './engine-options.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Sources kept open, and decoded blocks kept of each, bytes. */
const OPEN_SOURCES = 8;
const CACHE_BYTES = 64 * 1024 * 1024;

/** One engine, as an operator's verb sees it. */
export interface OperatorEngine extends AsyncDisposable {
  readonly context: PipelineContext;
  readonly deadLetters: DeadLetterStore;
  readonly tools: WorkTools;
  /** An OPEN scene that nobody works on is stalled after so long, ms. */
  readonly stalledAfterMs: number;
  /** True where the worker that owns a claim is known to have died; on AWS nobody can tell. */
  readonly isDead: (owner: string) => boolean;
  /** Strays younger than this are left alone, ms. */
  readonly strayAgeMs: number;
  /** Where an output is found: a path or a URI. */
  readonly placeOf: (key: string) => string;
  /** Runs `act` and sees to it that what it sends is worked off (AWS: the deployed functions do, in their time). */
  readonly working: <T>(threads: number, signal: AbortSignal, act: () => Promise<T>) => Promise<T>;
}

/**
 * @param use `look`: an output folder is not written to, and need not be writable.
 * @throws UsageError, StageError, TileonceError where there is no such folder, StoreUnavailableError.
 */
export const openOperatorEngine = async (flags: EngineFlags, use: 'look' | 'change'): Promise<OperatorEngine> => {
  const chosen = chosenEngine(flags);
  if ('out' in chosen) return embedded(chosen.out, use === 'look');
  // The clients of AWS take longer to load than most verbs take on a folder.
  const { deployedEngine } = await import('./deployed-engine.ts');
  return deployedEngine(chosen.stage, flags);
};

/** What a verb that works itself needs beside the stores. */
export const toolsOf = (context: PipelineContext, makeScratch: WorkTools['makeScratch']): WorkTools => {
  const pool = new SourcePool(context.sources, { capacity: OPEN_SOURCES, cacheBytes: CACHE_BYTES });
  return { pool, makeScratch };
};

const embedded = (out: string, readOnly: boolean): OperatorEngine => {
  if (!existsSync(join(out, '.tileonce', 'ledger.sqlite'))) {
    throw new TileonceError(`${out} holds no ledger`, { remedy: 'name the --out folder of an earlier tileonce run' });
  }
  const local = openLocalEngine(out, silentTelemetry, { readOnly });
  const { context, engine } = local;
  const tools = toolsOf(context, () => engine.openScratch());
  return {
    context,
    deadLetters: engine.deadLetters,
    tools,
    stalledAfterMs: 10 * MINUTE,
    isDead: (owner) => engine.processes.isDead(owner),
    strayAgeMs: DAY,
    placeOf: (key) => join(out, key),
    working: (threads, signal, act) => workOff(local, { out, threads }, signal, act),
    [Symbol.asyncDispose]: async () => {
      await tools.pool[Symbol.asyncDispose]();
      local[Symbol.dispose]();
    },
  };
};
