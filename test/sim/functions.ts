import { candidatesOf } from '../../lambda/pipeline/look-at-sources.ts';
import { ringsOf } from '../../lambda/fan-out/envelope.ts';
import { parseSceneJobId } from '../../lambda/identity/job-key.ts';
import { assembleScene } from '../../lambda/pipeline/assemble-scene.ts';
import type { PipelineContext } from '../../lambda/pipeline/context.ts';
import { countScene } from '../../lambda/pipeline/count-scene.ts';
import { siblings } from '../../lambda/pipeline/definition/scene-siblings.ts';
import type { Settled } from '../../lambda/pipeline/disposition.ts';
import { type FanOutRequest, fanOut } from '../../lambda/pipeline/fan-out.ts';
import { type WindowMessage, parseAssemblyMessage, parseWindowMessage } from '../../lambda/pipeline/messages.ts';
import type { SourcePool } from '../../lambda/pipeline/source-pool.ts';
import { tileWindow } from '../../lambda/pipeline/tile-window.ts';
import { memoryScratch } from '../../lambda/raster/mosaic/memory-scratch.ts';
import { BUCKET, PIPELINE } from './scene.ts';
import { TIMING } from './timing.ts';

/** What each deployed function does with one message, as its handler does. */
export type Work = (body: string, signal: AbortSignal) => Promise<Settled>;

/** What an object's event asks for. @throws Error where the object is no band. */
export const sceneRequest = (key: string): FanOutRequest => {
  const scene = siblings(PIPELINE, key);
  if (scene === null) throw new Error(`${key} is no band`);
  return {
    location: '',
    patienceMs: TIMING.visibilityMs,
    pipeline: PIPELINE,
    candidates: candidatesOf(BUCKET, scene),
  };
};

export const fanOutWork =
  (context: PipelineContext): Work =>
  async (body, signal) => {
    let settled: Settled = { kind: 'done' };
    for (const { key } of ringsOf(body)) {
      const outcome = await fanOut(context, sceneRequest(key), signal);
      if (outcome.kind === 'live') settled = outcome;
    }
    return settled;
  };

export const tileWork =
  (context: PipelineContext, pool: SourcePool): Work =>
  async (body, signal) => {
    const outcome = await tileWindow(context, pool, windowMessage(body), signal);
    return outcome.kind === 'live' ? outcome : { kind: 'done' };
  };

export const assembleWork =
  (context: PipelineContext): Work =>
  async (body, signal) => {
    const makeScratch = () => Promise.resolve({ ...memoryScratch(), [Symbol.asyncDispose]: () => Promise.resolve() });
    const outcome = await assembleScene(context, makeScratch, parseAssemblyMessage(body), signal);
    return outcome.kind === 'live' ? outcome : { kind: 'done' };
  };

/** New rows came: each scene that has some is counted. */
export const count = async (context: PipelineContext, scenes: ReadonlySet<string>): Promise<void> => {
  for (const text of scenes) {
    const sceneJobId = parseSceneJobId(text);
    const record = sceneJobId === null ? null : await context.manifest.getPlan(sceneJobId);
    if (sceneJobId === null || record?.state !== 'OPEN') continue;
    await countScene(context, { sceneJobId, windowCount: record.windowCount, location: '' });
  }
};

const parsed = new Map<string, WindowMessage>();

/** A window message is parsed once for all simulations: it is most of what a delivery costs. */
export const windowMessage = (body: string): WindowMessage => {
  let message = parsed.get(body);
  if (message === undefined) {
    message = parseWindowMessage(body);
    parsed.set(body, message);
  }
  return message;
};
