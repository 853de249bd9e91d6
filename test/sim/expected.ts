import type { SceneJobId } from '../../lambda/identity/job-key.ts';
import { assembleScene } from '../../lambda/pipeline/assemble-scene.ts';
import type { PipelineContext } from '../../lambda/pipeline/context.ts';
import { fanOut } from '../../lambda/pipeline/fan-out.ts';
import { tileWindow } from '../../lambda/pipeline/tile-window.ts';
import { memoryScratch } from '../../lambda/raster/mosaic/memory-scratch.ts';
import { silentTelemetry } from '../../lambda/telemetry.ts';
import { MemoryEngine } from '../support/memory-engine.ts';
import { sceneRequest } from './functions.ts';
import { BUCKET, CODE_VERSIONS, CONTENTS, KEYS, SimSourcePool, sceneIdOf, warmUp } from './scene.ts';
import { SourceObjects } from './source-objects.ts';
import { plainSources } from './gated-stores.ts';
import { CLAIM_TIMING } from './timing.ts';

/** What an undisturbed run makes of a scene. */
export interface ExpectedScene {
  readonly id: SceneJobId;
  /** Pixel digest by window; null where it is EMPTY. */
  readonly digests: ReadonlyMap<string, string | null>;
  /** SHA-256 of every output, by key. */
  readonly outputs: ReadonlyMap<string, string>;
}

let known: Promise<ReadonlyMap<string, ExpectedScene>> | undefined;

/** Every scene that a simulation may plan, by job id. */
export const expectedScenes = (): Promise<ReadonlyMap<string, ExpectedScene>> => (known ??= runAll());

const runAll = async (): Promise<ReadonlyMap<string, ExpectedScene>> => {
  await warmUp();
  const scenes = new Map<string, ExpectedScene>();
  for (const version of CODE_VERSIONS) {
    for (const b04 of CONTENTS.B04) {
      for (const b08 of CONTENTS.B08) {
        const sources = new SourceObjects(BUCKET, () => 0);
        sources.upload(KEYS.B04, b04);
        sources.upload(KEYS.B08, b08);
        const id = sceneIdOf({ B04: b04.token, B08: b08.token }, version);
        scenes.set(id, await runUndisturbed(sources, id, version));
      }
    }
  }
  return scenes;
};

const runUndisturbed = async (sources: SourceObjects, id: SceneJobId, version: number): Promise<ExpectedScene> => {
  const engine = new MemoryEngine();
  let owners = 0;
  const context: PipelineContext = {
    claims: engine.claims,
    objects: engine.objects,
    manifest: engine.manifest,
    queue: engine.queue,
    sources: () => plainSources(sources),
    clock: engine.clock,
    telemetry: silentTelemetry,
    claimTiming: CLAIM_TIMING,
    newOwner: () => `owner-${owners++}`,
    pixelVersion: version,
    softwareVersion: '0.0.0',
  };
  const planned = await fanOut(context, sceneRequest(KEYS.B04));
  if (planned.kind !== 'planned' || planned.sceneJobId !== id) throw new Error('an undisturbed scene was not planned');
  const { plan } = planned;
  const pool = new SimSourcePool(context.sources, version);
  for (const row of [0, 1]) {
    for (const column of [0, 1]) {
      await tileWindow(context, pool, { v: 1, plan, sources: plan.sources, location: '', row, column });
    }
  }
  const makeScratch = () => Promise.resolve({ ...memoryScratch(), [Symbol.asyncDispose]: () => Promise.resolve() });
  await assembleScene(context, makeScratch, { v: 1, sceneJobId: id, location: '' });
  const rows = await engine.manifest.listRows(id);
  return {
    id,
    digests: new Map(rows.map((row) => [row.window, row.state === 'EMPTY' ? null : row.digest])),
    outputs: new Map(engine.objects.keys().map((key) => [key, engine.objects.versions(key).at(-1)?.sha256 ?? ''])),
  };
};
