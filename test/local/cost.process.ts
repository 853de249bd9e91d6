import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { pricesOf } from '../../lambda/pipeline/cost/prices.ts';
import { answeringServer } from '../engines/aws/answering-server.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { tileonce } from './command.ts';
import { demoScene, pipelineFile } from './scenes.ts';
import { serveObjects } from './served-objects.ts';

const costSchema = z.object({
  scene: z.string(),
  prices: z.object({ region: z.string(), asOf: z.string() }),
  usd: z.number(),
  lines: z.array(z.object({ service: z.string(), what: z.string(), quantity: z.number(), usd: z.number() })),
  quantities: z.object({
    shape: z.object({ windows: z.number(), sources: z.number(), blockGets: z.number() }),
    work: z.object({ windowMs: z.number(), waitMs: z.number(), assemblyMs: z.number() }),
  }),
});

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

describe('cost', () => {
  it('prices a scene line by line, as a table and as JSON, and writes nothing', async () => {
    const { red } = await demoScene(join(folder.path, 'scene'), { size: 320 });
    const pipeline = pipelineFile(folder.path);
    const before = readdirSync(folder.path, { recursive: true });
    const line = ['cost', '--pipeline', pipeline, '--scene', red];

    const table = await tileonce(line);
    expect([table.code, table.stderr]).toEqual([0, '']);
    expect(table.stdout).toMatch(/100 windows \(10 x 10\), 320 x 320 px, 2 source\(s\)/);
    expect(table.stdout).toMatch(/^DynamoDB +write units +\d/m);
    expect(table.stdout).toMatch(/^total +0\.\d+$/m);

    const end = await tileonce([
      ...line,
      '--window-ms',
      '1000',
      '--assembly-ms',
      '2000',
      '--latency-ms',
      '0',
      '--json',
    ]);
    const cost = costSchema.parse(JSON.parse(end.stdout));
    expect(cost.quantities.shape).toMatchObject({ windows: 100, sources: 2 });
    expect(cost.quantities.work).toMatchObject({ windowMs: 1000, waitMs: 0, assemblyMs: 2000 });
    expect(cost.usd).toBeCloseTo(
      cost.lines.reduce((sum, { usd }) => sum + usd, 0),
      12,
    );
    expect(readdirSync(folder.path, { recursive: true })).toEqual(before);

    const prices = join(folder.path, 'prices.json');
    writeFileSync(prices, JSON.stringify({ ...pricesOf('us-east-1'), region: 'moon-1', lambdaGbSecond: 0 }));
    const mine = costSchema.parse(JSON.parse((await tileonce([...line, '--prices', prices, '--json'])).stdout));
    expect(mine.prices.region).toBe('moon-1');
    expect(mine.lines.find(({ what }) => what === 'GB-seconds')?.usd).toBe(0);
  }, 60_000);

  it('takes a scene from a bucket, reading a few of its windows', async () => {
    const { red, nir } = await demoScene(join(folder.path, 'scene'), { size: 320 });
    const objects = new Map([red, nir].map((path) => [`/scenes/${path.split('/').at(-1)}`, readFileSync(path)]));
    await using server = await answeringServer(serveObjects(objects));
    const address = `s3://scenes/${red.split('/').at(-1)}`;
    const line = ['cost', '--pipeline', pipelineFile(folder.path), '--scene', address, '--anonymous', '--json'];
    const end = await tileonce(line, { env: { AWS_ENDPOINT_URL_S3: server.endpoint } });
    expect(costSchema.parse(JSON.parse(end.stdout)).quantities.shape.windows).toBe(100);
    expect(server.received.length).toBeLessThan(40);
  }, 60_000);

  it.each([
    [['--region', 'moon-1'], 1, /there is no price list for moon-1: use one of us-east-1/],
    [['--samples', '0'], 2, /'0' is invalid. a number from 1 up is wanted/],
    [['--prices', 'nowhere.json'], 1, /the prices nowhere\.json cannot be read/],
  ])(
    'refuses %j in one line',
    async (args, code, message) => {
      const { red } = await demoScene(join(folder.path, 'scene'), { size: 320 });
      const end = await tileonce(['cost', '--pipeline', pipelineFile(folder.path), '--scene', red, ...args]);
      expect(end.code).toBe(code);
      expect(end.stderr.trim().split('\n')).toEqual([expect.stringMatching(message)]);
    },
    60_000,
  );
});
