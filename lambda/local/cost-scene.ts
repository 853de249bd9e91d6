import { batchesOf } from '../engines/aws/message-batches.ts';
import { partsOf } from '../engines/aws/object-upload.ts';
import { TileonceError } from '../errors.ts';
import { windowCount, windowsOf } from '../identity/grid.ts';
import { sceneJobId } from '../identity/job-key.ts';
import type { ScenePlan } from '../identity/plan.ts';
import { assemblyReads } from '../pipeline/cost/assembly-reads.ts';
import { type Bill, type SceneQuantities, billOf } from '../pipeline/cost/bill.ts';
import type { SceneShape } from '../pipeline/cost/calls.ts';
import { itemSizes } from '../pipeline/cost/item-sizes.ts';
import type { Prices } from '../pipeline/cost/prices.ts';
import { type WindowSample, sampleWindows } from '../pipeline/cost/sample-windows.ts';
import { type Setup, sceneWork } from '../pipeline/cost/scene-work.ts';
import { canonicalParams } from '../pipeline/definition/canonical-params.ts';
import { PIXEL_VERSION } from '../pipeline/definition/pixel-version.ts';
import { lookAtSources } from '../pipeline/look-at-sources.ts';
import { messageBody } from '../pipeline/messages.ts';
import { planScene } from '../pipeline/plan-scene.ts';
import type { SourceStore } from '../pipeline/source-store.ts';
import { SOFTWARE_VERSION } from '../version.ts';
import type { SceneRequest } from './scene-request.ts';
import { kindOfLocation } from './remote-address.ts';
import { type RemoteOptions, remoteStores } from './remote-sources.ts';
import { unhashedFiles } from './unhashed-files.ts';

export interface CostOptions {
  readonly remote: RemoteOptions;
  readonly setup: Setup;
  readonly prices: Prices;
  /** Windows that are computed to be measured. */
  readonly samples: number;
  /** What was measured elsewhere, ms; null: measured or estimated here. */
  readonly windowMs: number | null;
  readonly assemblyMs: number | null;
  readonly latencyMs: number;
}

/** A scene's costs, and what they were computed from. */
export interface SceneCost {
  readonly label: string;
  readonly plan: ScenePlan;
  readonly sample: WindowSample;
  readonly quantities: SceneQuantities;
  readonly bill: Bill;
}

/**
 * Plans a scene from its headers, computes some of its windows to see what they take, and prices the whole. Nothing is
 * written.
 *
 * @throws SourceError, TileonceError where the scene cannot be planned; the signal's reason.
 */
export const costOfScene = async (
  request: SceneRequest,
  options: CostOptions,
  signal: AbortSignal,
): Promise<SceneCost> => {
  const reads = { bytes: 0, requests: 0 };
  const takeReads = () => {
    const taken = { ...reads };
    reads.bytes = 0;
    reads.requests = 0;
    return taken;
  };
  const store = storeOf(request, options.remote, (bytes, requests) => {
    reads.bytes += bytes;
    reads.requests += requests;
  });
  const { location } = request;
  const plan = await planOf(request, store, takeReads, signal);
  const headerGets = takeReads().requests;
  const parts = { sources: () => store, location, takeReads, processorMs };
  const sample = await sampleWindows(plan, parts, options.samples, signal);
  // A deployment's messages name no location.
  const quantities = quantitiesOf(plan, sample, headerGets, options);
  return { label: request.label, plan, sample, quantities, bill: billOf(quantities, options.setup, options.prices) };
};

/** Not the clock's: a busy machine and a slow network must not make a scene dearer. A function of one core is as slow as this. */
const processorMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const storeOf = (
  { location }: SceneRequest,
  remote: RemoteOptions,
  onRead: (bytes: number, requests: number) => void,
): SourceStore => {
  const kind = kindOfLocation(location);
  return kind === 'file' ? unhashedFiles(location, onRead) : remoteStores(remote, onRead)[kind];
};

const planOf = async (
  { location, pipeline, candidates, label }: SceneRequest,
  store: SourceStore,
  takeReads: () => unknown,
  signal: AbortSignal,
): Promise<ScenePlan> => {
  const look = await lookAtSources(store, pipeline, candidates);
  if (look.kind === 'incomplete') {
    const missing = look.missing.map(({ band, keys }) => `${band} (${keys.join(' or ')})`).join(', ');
    throw new TileonceError(`${label}: missing in ${location}: ${missing}`, { remedy: 'put it there' });
  }
  takeReads();
  const params = canonicalParams(pipeline);
  const id = sceneJobId(look.sources.looks, params);
  return planScene(
    { sources: () => store, pixelVersion: PIXEL_VERSION, softwareVersion: SOFTWARE_VERSION },
    { sceneJobId: id, sceneName: candidates.sceneName, location, pipeline, params, sources: look.sources },
    signal,
  );
};

/** A mosaic's share of overviews on top of its tiles' blocks; tiles of several blocks hold part of it already. */
const OVERVIEWS = 4 / 3;

const quantitiesOf = (
  plan: ScenePlan,
  sample: WindowSample,
  headerGets: number,
  options: CostOptions,
): SceneQuantities => {
  const windows = windowCount(plan.windows);
  const tiles = windows * sample.tileBytes;
  const mosaicBytes = tiles * OVERVIEWS;
  const { gets: tileGets, blocksMade } = assemblyReads(plan.grid, plan.windows, plan.pipeline.tilePx);
  const bodies = [...windowsOf(plan.windows)].map(({ row, column }) =>
    messageBody({ v: 1, plan, sources: plan.sources, location: '', row, column }),
  );
  const shape: SceneShape = {
    windows,
    sources: plan.sources.length,
    headerGets,
    blockGets: sample.gets,
    tileGets,
    parts: partsOf(mosaicBytes),
    batches: batchesOf(bodies).length,
  };
  const times = {
    window: options.windowMs ?? sample.milliseconds,
    latency: options.latencyMs,
    assembly: options.assemblyMs,
  };
  return {
    shape,
    sizes: itemSizes(plan, ''),
    work: sceneWork(shape, { mosaicBytes, blocksMade }, times, options.setup),
    outputBytes: tiles + mosaicBytes,
  };
};
