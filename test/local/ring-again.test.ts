import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findScenes } from '../../lambda/local/find-scenes.ts';
import { type LocalEngine, openLocalEngine } from '../../lambda/local/local-engine.ts';
import { ringAgain } from '../../lambda/local/ring-again.ts';
import { type RunObserver, type RunOptions, runScenes } from '../../lambda/local/run-scenes.ts';
import { NO_REMOTE_OPTIONS } from '../../lambda/local/remote-sources.ts';
import { WorkerPool } from '../../lambda/local/worker-pool.ts';
import type { SceneRequest } from '../../lambda/local/scene-request.ts';
import { fanOut } from '../../lambda/pipeline/fan-out.ts';
import { parsePipeline } from '../../lambda/pipeline/definition/parse-pipeline.ts';
import { redrive } from '../../lambda/pipeline/recovery/redrive.ts';
import { supersede } from '../../lambda/pipeline/supersede.ts';
import { silentTelemetry } from '../../lambda/telemetry.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { NDVI, demoScene } from './scenes.ts';

const never = new AbortController().signal;
const silent: RunObserver = { planned: () => undefined, progress: () => undefined, note: () => undefined };
const WHY = /^missing in .*: B08 \(T31UDQ_20260621T105031_B08\.tif or /;

describe('a scene whose file is gone for a moment', () => {
  let folder: TemporaryFolder;
  let local: LocalEngine;
  let request: SceneRequest;
  let nir = '';
  beforeEach(async () => {
    folder = temporaryFolder();
    const scene = join(folder.path, 'scene');
    mkdirSync(scene);
    nir = (await demoScene(scene, { size: 64 })).nir;
    local = openLocalEngine(join(folder.path, 'out'), silentTelemetry);
    const pipeline = parsePipeline(JSON.stringify(NDVI), 'ndvi.json');
    const [found] = await findScenes(pipeline, [scene], () => Promise.reject(new Error('no bucket is meant')));
    if (found === undefined) throw new Error('no scene');
    request = found;
  });
  afterEach(() => {
    local[Symbol.dispose]();
    folder.remove();
  });

  const away = (): void => renameSync(nir, `${nir}.away`);
  const back = (): void => renameSync(`${nir}.away`, nir);
  const doorbells = async (): Promise<number> => {
    const { visible, hidden } = await local.engine.queue.depth('scenes');
    return visible + hidden;
  };
  const reasons = async (): Promise<(string | null)[]> =>
    (await local.engine.deadLetters.list('scenes')).map(({ reason }) => reason);
  const stateOf = async (id: string): Promise<string | undefined> => (await local.context.manifest.getPlan(id))?.state;

  /** Plans the scene, then takes a file away, as a worker finds it that reads a window. */
  const superseded = async (): Promise<string> => {
    const planned = await fanOut(local.context, request);
    if (planned.kind !== 'planned') throw new Error(planned.kind);
    away();
    await supersede(local.context, planned.plan, request.location, 'no such file');
    return planned.sceneJobId;
  };

  it('leaves its doorbell with the dead letters, by the name of the file, and nothing in the queue', async () => {
    const id = await superseded();
    expect(await ringAgain(local, never)).toBe(true);
    expect(await reasons()).toEqual([expect.stringMatching(WHY)]);
    expect([await doorbells(), await ringAgain(local, never), await stateOf(id)]).toEqual([0, false, 'SUPERSEDED']);
  });

  it('negative control: a doorbell that is merely acknowledged leaves a scene that nobody knows of', async () => {
    const id = await superseded();
    const delivery = await local.context.queue.receive('scenes', 1_000);
    await local.context.queue.acknowledge('scenes', delivery?.receipt ?? '');
    expect([await doorbells(), await reasons(), await stateOf(id)]).toEqual([0, [], 'SUPERSEDED']);
  });

  it('is opened again by a redrive once the file is back; before that the letter returns', async () => {
    const id = await superseded();
    await ringAgain(local, never);
    const send = async (): Promise<void> => {
      await redrive(local.context, local.engine.deadLetters, await local.engine.deadLetters.list());
      while (await ringAgain(local, never));
    };
    await send();
    expect([await stateOf(id), (await reasons()).length]).toEqual(['SUPERSEDED', 1]);
    back();
    await send();
    expect([await stateOf(id), (await reasons()).length]).toEqual(['OPEN', 0]);
  });

  const optionsOf = (observer: RunObserver): RunOptions => {
    const out = join(folder.path, 'out');
    return { out, pool: new WorkerPool(1, { out, remote: NO_REMOTE_OPTIONS }), observer };
  };

  it('fails a run that asks for it, and the run leaves no doorbell unanswered', async () => {
    await superseded();
    const [end] = await runScenes(local, [request], optionsOf(silent), never);
    expect(end).toMatchObject({ kind: 'failed', message: expect.stringContaining('missing in') });
    expect([await doorbells(), (await reasons()).length]).toEqual([0, 1]);
  });

  it('is done by the next run when the file is back, and the letter has gone', async () => {
    const id = await superseded();
    await ringAgain(local, never);
    back();
    // Stopped once it is planned: what follows is like any run.
    const stop = new AbortController();
    const planned = (): void => stop.abort(new Error('planned'));
    const options = optionsOf({ ...silent, planned });
    await expect(runScenes(local, [request], options, stop.signal)).rejects.toThrow('planned');
    expect([await stateOf(id), await reasons()]).toEqual(['OPEN', []]);
  });
});
