import type { SceneShape } from './calls.ts';

/** How a deployment is set up; docs/deploy.md has the settings. */
export interface Setup {
  /** By function, MB. */
  readonly memoryMb: Readonly<Record<'fan-out' | 'tile' | 'count' | 'assemble', number>>;
  /** /tmp of the assembly, MB. */
  readonly scratchMb: number;
  /** Windows at work at once. */
  readonly concurrency: number;
}

/** Times that are not known before a scene is run; each can be given by who has measured them. ms. */
export interface MeasuredTimes {
  /** One window without the waits below: reading, computing, compressing, on one core. */
  readonly window: number;
  /** What a request to S3 or DynamoDB is waited for. */
  readonly latency: number;
  /** The whole assembly; null: estimated. */
  readonly assembly: number | null;
}

/** What functions run for, ms, and how often rows are counted. */
export interface SceneWork {
  readonly fanOutMs: number;
  readonly windowMs: number;
  /** The part of a window's time that it only waits. */
  readonly waitMs: number;
  readonly countMs: number;
  readonly assemblyMs: number;
  readonly counts: number;
}

/** New rows are counted so many at a time, or what came in so long, s: lib/event-sources.ts has the same. */
export const COUNT_BATCH = 100;
export const COUNT_SECONDS = 10;

/** Requests that a window waits for one after the other, its block reads aside: claim, PUT, row, commit. */
const WINDOW_WAITS = 4;
/** An assembly's HEADs and headers under way at once, and its reads of blocks. */
const LOOKS_AT_ONCE = 16;
const READS_AT_ONCE = 4;
/** What goes through an assembly (read, hashed, sent), and what one block costs to make: bytes a ms, and ms. */
const ASSEMBLY_BYTES_PER_MS = 50_000;
const BLOCK_MS = 15;
/** Planning, and counting, apart from their requests. */
const PLAN_MS = 300;
const COUNT_MS = 20;

/**
 * Estimates the times of a scene's functions. A window's is measured; an assembly's is a rule of thumb: latency over what
 * is under way at once, 50 MB/s through it, 15 ms a made block.
 */
export const sceneWork = (
  shape: SceneShape,
  scene: { readonly mosaicBytes: number; readonly blocksMade: number },
  times: MeasuredTimes,
  setup: Setup,
): SceneWork => {
  const { latency } = times;
  const waitMs = latency * (shape.blockGets + WINDOW_WAITS);
  const windowMs = times.window + waitMs;
  const seconds = (shape.windows * windowMs) / 1000 / Math.min(setup.concurrency, shape.windows);
  const looks = (3 * shape.windows * latency) / LOOKS_AT_ONCE;
  const reads = (Math.max(0, shape.tileGets - shape.windows) * latency) / READS_AT_ONCE;
  return {
    fanOutMs: PLAN_MS + latency * (2 * shape.sources + shape.headerGets + 3 + Math.ceil(shape.batches / 8)),
    windowMs,
    waitMs,
    countMs: COUNT_MS + 2 * latency,
    assemblyMs:
      times.assembly ?? looks + reads + scene.mosaicBytes / ASSEMBLY_BYTES_PER_MS + BLOCK_MS * scene.blocksMade,
    counts: Math.min(
      shape.windows,
      Math.max(Math.ceil(shape.windows / COUNT_BATCH), Math.ceil(seconds / COUNT_SECONDS)),
    ),
  };
};
