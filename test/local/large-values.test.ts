import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { openLocalEngine } from '../../lambda/local/local-engine.ts';
import { parsePipeline } from '../../lambda/pipeline/definition/parse-pipeline.ts';
import { allScenes, selectScene } from '../../lambda/pipeline/recovery/select-scenes.ts';
import { type Finding, verifyScene } from '../../lambda/pipeline/recovery/verify-scene.ts';
import { encodeCog } from '../../lambda/raster/cog/encode-cog.ts';
import { silentTelemetry } from '../../lambda/telemetry.ts';
import { cogImage } from '../support/cog-images.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { workHere } from './work-here.ts';

const SIZE = 32;
const pipeline = parsePipeline(
  JSON.stringify({
    pipeline: 'x',
    version: '1',
    bands: { a: { band: 1 } },
    expression: 'a',
    dtype: 'float64',
    dst_crs: 'source',
    tile_px: 16,
  }),
  'test.json',
);
const itemSchema = z.object({
  assets: z.object({
    mosaic: z.object({ bands: z.tuple([z.object({ statistics: z.record(z.string(), z.number()) })]) }),
    preview: z.object({ href: z.string() }),
  }),
});

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const out = (): string => join(folder.path, 'out');

/** Runs a scene of float64 values, one window for each quarter. @returns its job id. */
const finish = async (name: string, valueAt: (index: number) => number): Promise<string> => {
  const bands = [Float64Array.from({ length: SIZE * SIZE }, (_, i) => valueAt(i))];
  const path = join(folder.path, `${name}.tif`);
  writeFileSync(path, encodeCog(cogImage({ width: SIZE, height: SIZE, dataType: 'float64', bands })));
  const [id = ''] = await workHere(out(), pipeline, [path]);
  return id;
};

const statisticsOf = (id: string): Record<string, number> => {
  const text = readFileSync(join(out(), 'scenes', id, 'item.json'), 'utf8');
  return itemSchema.parse(JSON.parse(text)).assets.mosaic.bands[0].statistics;
};

const verify = async (id: string): Promise<Finding[]> => {
  using local = openLocalEngine(out(), silentTelemetry, { readOnly: true });
  return await verifyScene(local.context, selectScene(await allScenes(local.context.manifest), id), {
    readBytes: true,
  });
};

describe('a scene of the largest float64 values', () => {
  it.each([
    ['1e199 to 1e200', (i: number) => (i % 2 === 0 ? 1e199 : 1e200), { minimum: 1e199, maximum: 1e200 }],
    ['both ends', (i: number) => (i % 2 === 0 ? -1 : 1) * Number.MAX_VALUE, { mean: 0, maximum: Number.MAX_VALUE }],
    ['windows at either end', (i: number) => (i < 512 ? 1 : -1) * 2 ** 1023, { mean: 0, minimum: -(2 ** 1023) }],
  ])('is finished, without the deviation that overflows, and stops no other: %s', async (_, valueAt, statistics) => {
    const id = await finish('large', valueAt);
    expect(statisticsOf(id)).toMatchObject({ ...statistics, count: SIZE * SIZE, valid_percent: 100 });
    expect(statisticsOf(id)).not.toHaveProperty('stddev');
    const mosaic = readFileSync(join(out(), 'scenes', id, 'scene.tif'), 'latin1');
    expect(mosaic).toContain('STATISTICS_MEAN');
    expect(mosaic).not.toMatch(/STATISTICS_STDDEV|Infinity|>NaN</);
    const other = await finish('small', (i) => i);
    expect(statisticsOf(other)).toMatchObject({ mean: (SIZE * SIZE - 1) / 2 });
    expect([...(await verify(id)), ...(await verify(other))]).toEqual([]);
  });

  it('has a mean and a deviation of 0 where all are the same', async () => {
    const id = await finish('same', () => 1.7e308);
    expect(statisticsOf(id)).toMatchObject({ mean: 1.7e308, stddev: 0 });
    expect(await verify(id)).toEqual([]);
  });

  it('can still be read where an earlier version put the overflow on record', async () => {
    const id = await finish('large', (i) => (i % 2 === 0 ? 1e199 : 1e200));
    const ledger = new DatabaseSync(join(out(), '.tileonce', 'ledger.sqlite'));
    const overflown = [{ count: 256, min: 1e199, max: 1e200, mean: Infinity, m2: Infinity }];
    ledger.prepare('UPDATE manifest_rows SET statistics = ?').run(JSON.stringify(overflown));
    ledger.close();
    // The item names a mean that the rows no longer tell.
    expect((await verify(id)).map(({ kind }) => kind)).not.toContain('row-missing');
    expect(await finish('small', (i) => i)).not.toBe(id);
  });
});
