import { windowCount, type WindowIndex, windowsOf } from '../../identity/grid.ts';
import type { ScenePlan } from '../../identity/plan.ts';
import { encodeCog } from '../../raster/cog/encode-cog.ts';
import { computeWindow } from '../compute-window.ts';
import { SourcePool } from '../source-pool.ts';
import type { SourceStores } from '../source-store.ts';

/** What windows took that were computed for this, and thrown away. */
export interface WindowSample {
  readonly windows: number;
  /** Of them without a valid pixel. */
  readonly empty: number;
  /** Reading, computing and compressing, mean, ms of processor time on this machine: waiting is not in it. */
  readonly milliseconds: number;
  /** GETs and bytes of source blocks, mean. */
  readonly gets: number;
  readonly bytesRead: number;
  /** A tile's size, mean over those that are not empty, bytes. */
  readonly tileBytes: number;
}

export interface SampleParts {
  readonly sources: SourceStores;
  readonly location: string;
  /** What was read since the last call: bytes, and requests. */
  readonly takeReads: () => { bytes: number; requests: number };
  /** Processor time of this process so far, all threads, ms. */
  readonly processorMs: () => number;
}

/** Kept of decoded blocks: nothing, as a worker whose windows lie far apart finds none of its own again. */
const CACHE_BYTES = 0;

/** `count` windows spread over the scene, row by row. */
export const spreadWindows = (plan: ScenePlan, count: number): WindowIndex[] => {
  const all = [...windowsOf(plan.windows)];
  const chosen = Math.min(count, windowCount(plan.windows));
  return Array.from({ length: chosen }, (_, i) => all[Math.floor(((i + 0.5) * all.length) / chosen)]).filter(
    (window) => window !== undefined,
  );
};

/**
 * Computes a few windows as a deployed worker would, without claim, row or write. The sources' headers are read before
 * the first one, because a worker reads them once for many windows.
 *
 * @throws SourceError; the signal's reason.
 */
export const sampleWindows = async (
  plan: ScenePlan,
  parts: SampleParts,
  count: number,
  signal: AbortSignal,
): Promise<WindowSample> => {
  await using pool = new SourcePool(parts.sources, { capacity: plan.sources.length, cacheBytes: CACHE_BYTES });
  for (const source of plan.sources) await pool.get(parts.location, source, signal);
  const compute = async (window: WindowIndex): Promise<number | null> => {
    const message = { v: 1, plan, sources: plan.sources, location: parts.location, ...window } as const;
    const computed = await computeWindow(pool, message, signal);
    return computed.kind === 'empty' ? null : encodeCog(computed.image).byteLength;
  };
  const windows = spreadWindows(plan, count);
  // The first window of a process compiles the code as it goes; a worker does that once.
  for (const window of windows.slice(0, 1)) await compute(window);
  parts.takeReads();
  const sum = { empty: 0, milliseconds: 0, gets: 0, bytesRead: 0, tileBytes: 0 };
  for (const window of windows) {
    const started = parts.processorMs();
    const bytes = await compute(window);
    sum.milliseconds += parts.processorMs() - started;
    if (bytes === null) sum.empty++;
    sum.tileBytes += bytes ?? 0;
    const read = parts.takeReads();
    sum.gets += read.requests;
    sum.bytesRead += read.bytes;
  }
  const written = Math.max(1, windows.length - sum.empty);
  return {
    windows: windows.length,
    empty: sum.empty,
    milliseconds: sum.milliseconds / windows.length,
    gets: sum.gets / windows.length,
    bytesRead: sum.bytesRead / windows.length,
    tileBytes: sum.tileBytes / written,
  };
};
