import { findScenes } from '../../lambda/local/find-scenes.ts';
import { openLocalEngine } from '../../lambda/local/local-engine.ts';
import { NO_REMOTE_OPTIONS, type RemoteOptions, remoteStores } from '../../lambda/local/remote-sources.ts';
import { workLoopStep } from '../../lambda/local/work-loop.ts';
import type { Pipeline } from '../../lambda/pipeline/definition/pipeline.ts';
import { fanOut } from '../../lambda/pipeline/fan-out.ts';
import { SourcePool } from '../../lambda/pipeline/source-pool.ts';
import { silentTelemetry } from '../../lambda/telemetry.ts';

const never = new AbortController().signal;

/** Runs scenes to their end in this thread, as `tileonce run` does with worker threads. @returns their job ids. */
export const workHere = async (
  out: string,
  pipeline: Pipeline,
  paths: readonly string[],
  remote: RemoteOptions = NO_REMOTE_OPTIONS,
): Promise<string[]> => {
  using local = openLocalEngine(out, silentTelemetry, { remote });
  const { context, engine } = local;
  const { listKeys } = remoteStores(remote, () => undefined);
  const ids: string[] = [];
  for (const request of await findScenes(pipeline, paths, listKeys)) {
    const outcome = await fanOut(context, request, never);
    if (outcome.kind === 'incomplete') throw new Error(`missing: ${JSON.stringify(outcome.missing)}`);
    ids.push(outcome.sceneJobId);
  }
  await using pool = new SourcePool(context.sources, { capacity: 8, cacheBytes: 1 << 22 });
  const failures: string[] = [];
  const parts = {
    context,
    pool,
    makeScratch: () => engine.openScratch(),
    report: (event: { kind: string; message?: string }) => {
      if (event.message !== undefined) failures.push(event.message);
    },
  };
  while (await workLoopStep(parts, never));
  if (failures.length > 0) throw new Error(failures.join('\n'));
  return ids;
};
