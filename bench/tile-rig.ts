import { mkdir } from 'node:fs/promises';
import type { WindowIndex } from '../lambda/identity/grid.ts';
import type { ScenePlan } from '../lambda/identity/plan.ts';
import { findScenes } from '../lambda/local/find-scenes.ts';
import { type LocalEngine, openLocalEngine } from '../lambda/local/local-engine.ts';
import { workLoopStep } from '../lambda/local/work-loop.ts';
import type { WorkerEvent } from '../lambda/local/worker-events.ts';
import type { Pipeline } from '../lambda/pipeline/definition/pipeline.ts';
import { fanOut } from '../lambda/pipeline/fan-out.ts';
import { parseWindowMessage } from '../lambda/pipeline/messages.ts';
import { SourcePool } from '../lambda/pipeline/source-pool.ts';
import { silentTelemetry } from '../lambda/telemetry.ts';

/** As `lambda/local/worker.ts` has them. */
const OPEN_SOURCES = 8;
const CACHE_BYTES = 48 * 1024 * 1024;

/** An output folder whose messages are worked off in this thread, as a worker does. */
export interface TileRig extends AsyncDisposable {
  readonly local: LocalEngine;
  /**
   * Does windows with all gates on, until none is left or `most` are done; assemblies stay in their queue.
   *
   * @returns bytes of the tiles that were written
   * @throws Error where a window fails
   */
  workOff(most?: number): Promise<number>;
}

/** Opens the embedded engine on an output folder. */
export const openTileRig = (folder: string): TileRig => {
  const local = openLocalEngine(folder, silentTelemetry);
  const { context, engine } = local;
  const pool = new SourcePool(context.sources, { capacity: OPEN_SOURCES, cacheBytes: CACHE_BYTES });
  const { queue } = context;
  const tilesOnly: typeof queue = {
    send: queue.send.bind(queue),
    acknowledge: queue.acknowledge.bind(queue),
    postpone: queue.postpone.bind(queue),
    hide: queue.hide.bind(queue),
    receive: async (name, visibilityMs) => (name === 'tiles' ? queue.receive(name, visibilityMs) : null),
  };
  return {
    local,
    async workOff(most = Infinity) {
      let bytes = 0;
      const report = (event: WorkerEvent): void => {
        if (event.kind === 'window') bytes += event.bytes;
        if (event.kind === 'failed-attempt' || event.kind === 'fatal') throw new Error(event.message);
      };
      const parts = {
        context: { ...context, queue: tilesOnly },
        pool,
        makeScratch: () => engine.openScratch(),
        report,
      };
      const never = new AbortController().signal;
      for (let done = 0; done < most && (await workLoopStep(parts, never)); done++);
      return bytes;
    },
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]();
      local[Symbol.dispose]();
    },
  };
};

/**
 * Plans a scene into an output folder and sends the windows that are chosen.
 *
 * @param choose null: all of them
 * @throws Error where the scene was planned there before
 */
export const planInto = async (
  folder: string,
  pipeline: Pipeline,
  file: string,
  choose: ((plan: ScenePlan) => readonly WindowIndex[]) | null,
): Promise<ScenePlan> => {
  await mkdir(folder, { recursive: true });
  using local = openLocalEngine(folder, silentTelemetry);
  const { queue } = local.context;
  const [request] = await findScenes(pipeline, [file], () => Promise.resolve([]));
  if (request === undefined) throw new Error(`${file} is no scene of the pipeline`);
  const bodies = new Map<string, string>();
  const kept: typeof queue = {
    acknowledge: queue.acknowledge.bind(queue),
    postpone: queue.postpone.bind(queue),
    hide: queue.hide.bind(queue),
    receive: queue.receive.bind(queue),
    async send(_queue, sent) {
      for (const body of sent) bodies.set(nameOf(parseWindowMessage(body)), body);
      await Promise.resolve();
    },
  };
  const planned = await fanOut({ ...local.context, queue: kept }, request);
  if (planned.kind !== 'planned') throw new Error(`the scene was not planned but ${planned.kind}`);
  const names = choose === null ? [...bodies.keys()] : choose(planned.plan).map(nameOf);
  await queue.send(
    'tiles',
    names.flatMap((name) => bodies.get(name) ?? []),
  );
  return planned.plan;
};

const nameOf = ({ row, column }: WindowIndex): string => `${row} ${column}`;
