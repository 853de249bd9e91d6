import { candidatesOf } from '../../lambda/pipeline/look-at-sources.ts';
import { encodeCog } from '../../lambda/raster/cog/encode-cog.ts';
import { memoryScratch } from '../../lambda/raster/mosaic/memory-scratch.ts';
import type { ClaimTiming } from '../../lambda/gates/claim-layer.ts';
import type { QueueName } from '../../lambda/gates/queue.ts';
import type { MetricName, Telemetry } from '../../lambda/telemetry.ts';
import type { PipelineContext } from '../../lambda/pipeline/context.ts';
import { PIXEL_VERSION } from '../../lambda/pipeline/definition/pixel-version.ts';
import { parsePipeline } from '../../lambda/pipeline/definition/parse-pipeline.ts';
import type { Pipeline } from '../../lambda/pipeline/definition/pipeline.ts';
import { siblings } from '../../lambda/pipeline/definition/scene-siblings.ts';
import { type FanOutOutcome, fanOut } from '../../lambda/pipeline/fan-out.ts';
import { SourcePool } from '../../lambda/pipeline/source-pool.ts';
import { workLoopStep } from '../../lambda/local/work-loop.ts';
import type { WorkerEvent } from '../../lambda/local/worker-events.ts';
import { cogImage, seededRandom } from './cog-images.ts';
import { MemorySourceStore } from './memory/source-store.ts';
import { MemoryEngine, type MemoryEngineOptions } from './memory-engine.ts';

const TIMING: ClaimTiming = { leaseMs: 930_000, heartbeatMs: null, claimedRowTtlSeconds: 21 * 86_400 };

/** A small NDVI pipeline: 48 x 48 px in 16 px blocks make 9 windows. */
export const smallPipeline = (version = '1'): Pipeline =>
  parsePipeline(
    JSON.stringify({
      pipeline: 'ndvi',
      version,
      bands: { B04: { suffix: 'B04.tif' }, B08: { suffix: 'B08.tif' } },
      expression: '(B08 - B04) / (B08 + B04)',
      dst_crs: 'source',
      tile_px: 16,
    }),
    'test.json',
  );

const SIZE = 48;

/** One band of a scene, nodata 0; the block at the lower right holds nothing else. */
export const bandFile = (seed: number, hole = true): Uint8Array<ArrayBuffer> => {
  const random = seededRandom(seed);
  const pixels = Uint16Array.from({ length: SIZE * SIZE }, (_, i) =>
    hole && i % SIZE >= 32 && i >= 32 * SIZE ? 0 : 1 + Math.floor(random() * 9_999),
  );
  return encodeCog(cogImage({ width: SIZE, height: SIZE, dataType: 'uint16', nodata: 0, bands: [pixels] }));
};

/** The whole pipeline on the in-memory engine: sources, stores, and as many workers as a test wants. */
export class SceneWorld {
  readonly engine: MemoryEngine;
  readonly sources = new MemorySourceStore();
  readonly counts = new Map<MetricName, number>();
  readonly events: WorkerEvent[] = [];
  readonly context: PipelineContext;
  #owners = 0;

  constructor(options: MemoryEngineOptions & { pixelVersion?: number } = {}) {
    this.engine = new MemoryEngine(options);
    const telemetry: Telemetry = {
      event: () => undefined,
      count: (metric, value) => this.counts.set(metric, (this.counts.get(metric) ?? 0) + value),
    };
    this.context = {
      claims: this.engine.claims,
      objects: this.engine.objects,
      manifest: this.engine.manifest,
      queue: this.engine.queue,
      sources: () => this.sources,
      clock: this.engine.clock,
      telemetry,
      claimTiming: TIMING,
      newOwner: () => `owner-${this.#owners++}`,
      pixelVersion: options.pixelVersion ?? PIXEL_VERSION,
      softwareVersion: '0.0.0',
    };
    this.sources.put('S_B04.tif', bandFile(1));
    this.sources.put('S_B08.tif', bandFile(2));
  }

  /** Rings for the scene, as an upload of one of its bands would. */
  async ring(
    pipeline = smallPipeline(),
    key = 'S_B04.tif',
    context = this.context,
    revive = false,
    patienceMs = 0,
  ): Promise<FanOutOutcome> {
    const found = siblings(pipeline, key);
    if (found === null) throw new Error(`${key} is no band`);
    return fanOut(context, {
      patienceMs,
      location: '',
      pipeline,
      revive,
      candidates: candidatesOf('file', found),
    });
  }

  /** Rings and gives the scene's id. */
  async plan(pipeline = smallPipeline()): Promise<string> {
    const outcome = await this.ring(pipeline);
    if (!('sceneJobId' in outcome)) throw new Error('the scene was not planned');
    return outcome.sceneJobId;
  }

  /** Works until no queue has a visible message. A new worker each time: nothing is remembered from one to the next. */
  async work(context = this.context): Promise<void> {
    await using pool = new SourcePool(context.sources, { capacity: 4, cacheBytes: 1 << 20 });
    const parts = {
      context,
      pool,
      makeScratch: () => Promise.resolve({ ...memoryScratch(), [Symbol.asyncDispose]: () => Promise.resolve() }),
      report: (event: WorkerEvent) => void this.events.push(event),
    };
    while (await workLoopStep(parts, new AbortController().signal));
  }

  /** How often the worker reported each end of a window. */
  outcomes(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const event of this.events) {
      if (event.kind === 'window') counts[event.outcome] = (counts[event.outcome] ?? 0) + 1;
    }
    return counts;
  }

  /** Takes every visible message of a queue away and gives their bodies. */
  async drain(queue: QueueName): Promise<string[]> {
    const bodies: string[] = [];
    for (;;) {
      const delivery = await this.engine.queue.receive(queue, 1_000);
      if (delivery === null) return bodies;
      bodies.push(delivery.body);
      await this.engine.queue.acknowledge(queue, delivery.receipt);
    }
  }
}
