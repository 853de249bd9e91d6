import type { RuntimeTiming } from '../../lambda/environment.ts';
import type { PipelineContext } from '../../lambda/pipeline/context.ts';
import type { SourcePool } from '../../lambda/pipeline/source-pool.ts';
import type { SourceStores } from '../../lambda/pipeline/source-store.ts';
import type { Work } from './functions.ts';
import type { SharedStores, soundStores } from './stores.ts';

/** The pipeline with one rule taken out, by what it is given; its own code is untouched. */
export interface Mutant {
  /** Replaces shared stores. */
  readonly stores?: (now: () => number) => Partial<ReturnType<typeof soundStores>>;
  /** Replaces what a process's pipeline is given. */
  readonly context?: (context: PipelineContext, stores: SharedStores) => PipelineContext;
  /** Replaces the numbers that handlers run with. */
  readonly timing?: (timing: RuntimeTiming) => RuntimeTiming;
  /** Replaces what becomes of a message. */
  readonly work?: (work: Work) => Work;
  /** Replaces a worker's sources. */
  readonly pool?: (stores: SourceStores, codeVersion: number) => SourcePool;
}

/** Every rule in place. */
export const SOUND: Mutant = {};
