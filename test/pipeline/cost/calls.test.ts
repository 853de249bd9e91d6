import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { awsEngine } from '../../../lambda/engines/aws/index.ts';
import type { PipelineContext } from '../../../lambda/pipeline/context.ts';
import { assembleScene } from '../../../lambda/pipeline/assemble-scene.ts';
import { assemblyReads } from '../../../lambda/pipeline/cost/assembly-reads.ts';
import { dynamoUnits, sceneCalls } from '../../../lambda/pipeline/cost/bill.ts';
import {
  type CallCounts,
  type SceneShape,
  assemblyCalls,
  countCalls,
  fanOutCalls,
  repeatedRingCalls,
  windowCalls,
} from '../../../lambda/pipeline/cost/calls.ts';
import { itemSizes, readUnits, writeUnits } from '../../../lambda/pipeline/cost/item-sizes.ts';
import { countScene } from '../../../lambda/pipeline/count-scene.ts';
import { parsePipeline } from '../../../lambda/pipeline/definition/parse-pipeline.ts';
import { siblings } from '../../../lambda/pipeline/definition/scene-siblings.ts';
import { fanOut } from '../../../lambda/pipeline/fan-out.ts';
import { parseWindowMessage } from '../../../lambda/pipeline/messages.ts';
import { SourcePool } from '../../../lambda/pipeline/source-pool.ts';
import { tileWindow } from '../../../lambda/pipeline/tile-window.ts';
import { encodeCog } from '../../../lambda/raster/cog/encode-cog.ts';
import { memoryScratch } from '../../../lambda/raster/mosaic/memory-scratch.ts';
import { type AnsweringServer, answeringServer } from '../../engines/aws/answering-server.ts';
import { hastyClock, testDynamo, testS3, testSqs } from '../../engines/aws/test-clients.ts';
import { cogImage, seededRandom } from '../../support/cog-images.ts';
import { SceneWorld } from '../../support/scene-world.ts';
import { RequestServer, callOf } from './request-server.ts';

const makeScratch = () =>
  Promise.resolve({ ...memoryScratch(), [Symbol.asyncDispose]: (): Promise<void> => Promise.resolve() });

/** Full of valid pixels: every window has a tile. */
const bandOf = (size: number, seed: number): Uint8Array<ArrayBuffer> => {
  const random = seededRandom(seed);
  const pixels = Uint16Array.from({ length: size * size }, () => 1 + Math.floor(random() * 9_999));
  return encodeCog(cogImage({ width: size, height: size, dataType: 'uint16', nodata: 0, bands: [pixels] }));
};

const ndvi = (windows: number) =>
  parsePipeline(
    JSON.stringify({
      pipeline: 'ndvi',
      version: '1',
      bands: { B04: { suffix: 'B04.tif' }, B08: { suffix: 'B08.tif' } },
      expression: '(B08 - B04) / (B08 + B04)',
      dst_crs: 'source',
      tile_px: 16,
      grid: `${windows}x${windows}`,
    }),
    'test.json',
  );

let server: AnsweringServer;
let services: RequestServer;
beforeEach(async () => {
  services = new RequestServer();
  server = await answeringServer(services.answer);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const zeroless = (counts: CallCounts): CallCounts =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

/** A scene of square windows on AWS's adapters, and what each step really asked of the services. */
const runScene = async (size: number, windowsASide: number) => {
  const pipeline = ndvi(windowsASide);
  for (const [name, seed] of [
    ['S_20260621_B04.tif', 1],
    ['S_20260621_B08.tif', 2],
  ] as const) {
    services.objects.set(`/scenes/${name}`, { bytes: Buffer.from(bandOf(size, seed)), headers: { etag: `"${seed}"` } });
  }
  const { endpoint } = server;
  const { context: rest } = new SceneWorld();
  const context: PipelineContext = {
    ...rest,
    ...awsEngine({
      s3: testS3(endpoint),
      dynamo: testDynamo(endpoint),
      sqs: testSqs(endpoint),
      claimsTable: 'claims',
      manifestTable: 'manifest',
      outputBucket: 'output',
      queueUrls: { scenes: `${endpoint}/1/s`, tiles: `${endpoint}/1/t`, assemblies: `${endpoint}/1/a` },
      clock: hastyClock,
      telemetry: rest.telemetry,
    }),
  };
  let seen = 0;
  const calls = (): CallCounts => {
    const counts: Record<string, number> = {};
    for (const request of server.received.slice(seen)) counts[callOf(request)] = (counts[callOf(request)] ?? 0) + 1;
    seen = server.received.length;
    return counts;
  };
  const ring = () => {
    const found = siblings(pipeline, 'S_20260621_B04.tif') ?? assert.fail('no band');
    const bandKeys = new Map(found.keys.map(({ band, candidates }) => [band, candidates]));
    return fanOut(context, { location: '', pipeline, candidates: { bucket: 'scenes', sceneName: 'S', bandKeys } });
  };

  const outcome = await ring();
  if (outcome.kind !== 'planned') assert.fail(outcome.kind);
  const { plan, sceneJobId } = outcome;
  const windowCount = (plan.windows.rowEdges.length - 1) * (plan.windows.columnEdges.length - 1);
  const fanOutStep = calls();

  await using pool = new SourcePool(context.sources, { capacity: 4, cacheBytes: 0 });
  for (const source of plan.sources) await pool.get('', source);
  const headerStep = calls();
  const bodies = services.messages.splice(0);
  for (const body of bodies) expect((await tileWindow(context, pool, parseWindowMessage(body))).kind).toBe('worked');
  const windowsStep = calls();
  const scene = { sceneJobId, windowCount, location: '' };
  await context.manifest.getPlan(sceneJobId);
  await countScene(context, scene);
  const countStep = calls();
  const message = { v: 1, sceneJobId, location: '' } as const;
  expect((await assembleScene(context, makeScratch, message)).kind).toBe('worked');
  const assemblyStep = calls();
  expect((await ring()).kind).toBe('complete');
  const repeatedStep = calls();

  const shape: SceneShape = {
    windows: windowCount,
    sources: 2,
    headerGets: headerStep.GetObject ?? 0,
    blockGets: (windowsStep.GetObject ?? 0) / windowCount,
    tileGets: assemblyReads(plan.grid, plan.windows, 16).gets,
    parts: 1,
    batches: Math.ceil(windowCount / 10),
  };
  return { plan, shape, fanOutStep, headerStep, windowsStep, countStep, assemblyStep, repeatedStep };
};

/** Sizes of a side in px, and windows a side: whole halves, an odd rest, and windows of several blocks. */
const SCENES = [
  [48, 3],
  [50, 3],
  [128, 2],
  [112, 3],
] as const;

describe('the calls of a scene', () => {
  it.each(SCENES)(
    'of %i px in %i x windows are what the adapters really make, step by step',
    async (size, side) => {
      const run = await runScene(size, side);
      const { shape } = run;
      expect(run.fanOutStep).toEqual(zeroless(fanOutCalls(shape)));
      const window = windowCalls(shape);
      expect(run.windowsStep).toEqual(
        zeroless(Object.fromEntries(Object.entries(window).map(([call, count]) => [call, count * shape.windows]))),
      );
      expect(run.countStep).toEqual(countCalls(true));
      expect(run.assemblyStep).toEqual(assemblyCalls(shape));
      expect(run.repeatedStep).toEqual(repeatedRingCalls(shape));
      // Reading headers again is what each new worker does; it asks for nothing else.
      expect(Object.keys(run.headerStep)).toEqual(['GetObject']);

      const work = { fanOutMs: 0, windowMs: 0, waitMs: 0, countMs: 0, assemblyMs: 0, counts: 1 };
      const steps = [run.fanOutStep, run.windowsStep, run.countStep, run.assemblyStep, run.repeatedStep];
      const sum: Record<string, number> = {};
      for (const step of steps) for (const [call, count] of Object.entries(step)) sum[call] = (sum[call] ?? 0) + count;
      expect(sceneCalls({ shape, work })).toEqual(sum);
    },
    30_000,
  );

  it('are written into items no larger than they are counted', async () => {
    const { plan, shape } = await runScene(48, 3);
    const sizes = itemSizes(plan, '');
    expect(Math.max(...services.itemBytes('claims'))).toBeLessThanOrEqual(sizes.claim);
    const manifest = services.itemBytes('manifest').toSorted((a, b) => a - b);
    expect(manifest.at(-1)).toBeLessThanOrEqual(sizes.plan);
    expect(manifest.at(-2)).toBeLessThanOrEqual(sizes.row);
    // And not so much larger that another unit is counted.
    expect(writeUnits(manifest.at(-2) ?? 0)).toBe(writeUnits(sizes.row));
    expect(manifest.at(-1)).toBeGreaterThan(sizes.plan - 300);
    const work = { fanOutMs: 0, windowMs: 0, waitMs: 0, countMs: 0, assemblyMs: 0, counts: 1 };
    const { write } = dynamoUnits({ shape, sizes, work, outputBytes: 0 });
    expect(write).toBe(2 + writeUnits(sizes.plan) + 1 + 9 * 3 + 2 + writeUnits(sizes.plan) + 2);
    expect(readUnits(4097)).toBe(2);
  }, 30_000);
});
