import { describe, expect, it } from '@jest/globals';
import { billOf, dynamoUnits, queueRequests } from '../../../lambda/pipeline/cost/bill.ts';
import type { SceneShape } from '../../../lambda/pipeline/cost/calls.ts';
import { PRICES, parsePrices, pricesOf } from '../../../lambda/pipeline/cost/prices.ts';
import { COUNT_BATCH, COUNT_SECONDS, sceneWork } from '../../../lambda/pipeline/cost/scene-work.ts';
import { STREAM_BATCH, STREAM_WINDOW_SECONDS } from '../../../lib/event-sources.ts';

const shape: SceneShape = {
  windows: 400,
  sources: 2,
  headerGets: 2,
  blockGets: 3,
  tileGets: 1200,
  parts: 50,
  batches: 40,
};
const sizes = { claim: 450, row: 640, plan: 5000, message: 6000 };
const work = { fanOutMs: 1000, windowMs: 2000, waitMs: 175, countMs: 100, assemblyMs: 60_000, counts: 4 };
const scene = { shape, sizes, work, outputBytes: 1e9 };
const setup = {
  memoryMb: { 'fan-out': 1024, tile: 2048, count: 512, assemble: 4096 },
  scratchMb: 512 + 1024,
  concurrency: 50,
};

/** Every price nothing but one. */
const onlyPrice = (name: string) => {
  const prices = pricesOf('us-east-1');
  return parsePrices(
    JSON.stringify(
      Object.fromEntries(
        Object.entries(prices).map(([key, value]) => [key, typeof value === 'number' ? Number(key === name) : value]),
      ),
    ),
    'prices.json',
  );
};

describe('a bill', () => {
  it.each([
    // Tiles, preview and item; begun, completed, and parts.
    ['s3Put', 400 + 2 + 1 + 1 + 50],
    // Two looks at two sources, for two rings; the item; headers and blocks; each tile twice, the mosaic, and its reads.
    ['s3Get', 2 * 2 * 2 + 1 + 2 + 400 * 3 + 2 * 400 + 1 + 1200],
    ['eventBridgeEvent', 2],
    ['lambdaRequest', 2 + 400 + 4 + 1],
    ['lambdaGbSecond', 1 * 2 + 2 * 2 * 400 + 0.5 * 0.1 * 4 + 4 * 60],
    ['lambdaScratchGbSecond', 1 * 60],
    ['logsGb', (407 * 2000) / 1e9],
  ])('counts what %s is paid for', (price, quantity) => {
    expect(billOf(scene, setup, onlyPrice(price)).usd).toBeCloseTo(quantity, 9);
  });

  it('counts DynamoDB by whole units of what items weigh', () => {
    // Claims and rows 1 each, the plan 5; fan-out, refused ring, windows, assembly; into the index and out of it.
    expect(dynamoUnits(scene).write).toBe(2 + 5 + 1 + 400 * 3 + 2 + 5 + 2);
    // The plan is 2 units, all rows 63; counted at 100, 200, 300 and 400 rows.
    expect(dynamoUnits(scene).read).toBe(2 + 2 + (2 + 63) + 63 + 4 * 2 + (16 + 32 + 47 + 63));
  });

  it('counts SQS by 64 KB', () => {
    expect(queueRequests(scene)).toBe(3 * 2 + 40 + 400 * 2 + 3);
    expect(queueRequests({ ...scene, sizes: { ...sizes, message: 20_000 } })).toBe(3 * 2 + 40 * 4 + 400 * 2 + 3);
  });

  it('adds its lines up, and keeps storage apart', () => {
    const bill = billOf(scene, setup, pricesOf('us-east-1'));
    expect(bill.usd).toBeCloseTo(
      bill.lines.reduce((sum, { usd }) => sum + usd, 0),
      12,
    );
    expect(bill.storageUsdMonth).toBeCloseTo(0.023, 12);
  });
});

describe("a scene's times", () => {
  const times = { window: 1900, latency: 25, assembly: null };
  const estimate = (given: Partial<SceneShape>, measured: Partial<typeof times> = {}, concurrency = 50) =>
    sceneWork(
      { ...shape, ...given },
      { mosaicBytes: 1e9, blocksMade: 100 },
      { ...times, ...measured },
      { ...setup, concurrency },
    );

  it('are a window at work, and its waits one after the other', () => {
    expect(estimate({})).toMatchObject({ windowMs: 1900 + 25 * (3 + 4), waitMs: 175 });
  });

  it('grow with the mosaic, unless they were measured', () => {
    const half = sceneWork(shape, { mosaicBytes: 5e8, blocksMade: 100 }, times, setup);
    expect(estimate({}).assemblyMs - half.assemblyMs).toBeCloseTo(5e8 / 50_000, 6);
    expect(sceneWork(shape, { mosaicBytes: 1e9, blocksMade: 1 }, { ...times, assembly: 7 }, setup).assemblyMs).toBe(7);
  });

  it('count rows by the batch or by the clock, whichever comes first, as the stream is read', () => {
    expect([COUNT_BATCH, COUNT_SECONDS]).toEqual([STREAM_BATCH, STREAM_WINDOW_SECONDS]);
    expect(estimate({}, { window: 0, latency: 0 }).counts).toBe(4);
    expect(estimate({}, { window: 1000, latency: 0 }, 4).counts).toBe(10);
    expect(estimate({ windows: 3 }, { window: 60_000 }, 1).counts).toBe(3);
  });
});

describe('prices', () => {
  it('are dated, and above nothing', () => {
    for (const prices of PRICES) expect(parsePrices(JSON.stringify(prices), prices.region)).toEqual(prices);
    expect(Object.values(pricesOf('us-east-1')).every((price) => typeof price === 'string' || price > 0)).toBe(true);
  });

  it('of a region that nobody wrote down are not guessed', () => {
    expect(() => pricesOf('eu-north-9')).toThrow('there is no price list for eu-north-9');
  });

  it('of a file are refused with every field that is wrong', () => {
    const text = JSON.stringify({ ...pricesOf('us-east-1'), s3Put: -1, sqsRequest: undefined, extra: 1 });
    expect(() => parsePrices(text, 'mine.json')).toThrow(/mine\.json: .*s3Put.*sqsRequest.*extra/s);
    expect(() => parsePrices('{', 'mine.json')).toThrow('mine.json is no JSON');
  });
});
