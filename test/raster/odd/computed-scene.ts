import { windowRect, windowsOf } from '../../../lambda/identity/grid.ts';
import { parseSceneJobId } from '../../../lambda/identity/job-key.ts';
import type { ScenePlan } from '../../../lambda/identity/plan.ts';
import { sha256Hex } from '../../../lambda/identity/sha256.ts';
import { computeWindow } from '../../../lambda/pipeline/compute-window.ts';
import { parsePipeline } from '../../../lambda/pipeline/definition/parse-pipeline.ts';
import { planScene } from '../../../lambda/pipeline/plan-scene.ts';
import { SourcePool } from '../../../lambda/pipeline/source-pool.ts';
import type { PixelArray, PixelRect } from '../../../lambda/raster/types.ts';
import { MemorySourceStore } from '../../support/memory/source-store.ts';

/** A window's pixels as the pipeline makes them. */
export interface ComputedWindow {
  /** px of the output's grid. */
  readonly rect: PixelRect;
  /** One array a band, rows x columns, NaN without data; null where the window is EMPTY. */
  readonly bands: readonly PixelArray[] | null;
}

/**
 * Runs a file through plan and windows, without stores: every band times one, as float64.
 *
 * @param key the file's name
 * @param fields of the pipeline file: output grid, resampling
 * @param most pixels of all bands that are computed; of a larger scene every n-th window is
 */
export async function computedScene(
  key: string,
  bytes: Uint8Array<ArrayBuffer>,
  bandCount: number,
  fields: object,
  most = Infinity,
): Promise<{ plan: ScenePlan; windows: readonly ComputedWindow[] }> {
  const store = new MemorySourceStore();
  store.put(key, bytes);
  const look = await store.look('file', key);
  const sceneJobId = parseSceneJobId(sha256Hex(new TextEncoder().encode(key)));
  if (look === null || sceneJobId === null) throw new Error(`${key} was not stored`);

  const names = Array.from({ length: bandCount }, (_, index) => `b${index + 1}`);
  const file = {
    pipeline: 'times-one',
    version: '1',
    bands: Object.fromEntries(names.map((name, index) => [name, { band: index + 1 }])),
    outputs: names.map((name) => ({ name, expression: `${name} * 1` })),
    dtype: 'float64',
    ...fields,
  };
  const context = { sources: () => store, pixelVersion: 1, softwareVersion: '0' };
  const plan = await planScene(context, {
    sceneJobId,
    sceneName: key,
    location: '',
    pipeline: parsePipeline(JSON.stringify(file), 'times-one.json'),
    params: {},
    sources: { looks: [look], sourceOfBand: new Map(names.map((name) => [name, 0])) },
  });

  await using pool = new SourcePool(context.sources, { capacity: 1, cacheBytes: 1 << 26 });
  const all = [...windowsOf(plan.windows)];
  const stride = Math.max(1, Math.ceil((plan.grid.width * plan.grid.height * bandCount) / most));
  const windows: ComputedWindow[] = [];
  for (const [index, window] of all.entries()) {
    if (index % stride !== 0 && index !== all.length - 1) continue;
    const message = { v: 1 as const, plan, sources: plan.sources, location: '', ...window };
    const computed = await computeWindow(pool, message, new AbortController().signal);
    windows.push({
      rect: windowRect(plan.windows, window),
      bands: computed.kind === 'empty' ? null : computed.image.bands,
    });
  }
  return { plan, windows };
}
