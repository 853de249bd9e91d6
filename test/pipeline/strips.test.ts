import zlib from 'node:zlib';
import { describe, expect, it, jest } from '@jest/globals';
import { windowsOf } from '../../lambda/identity/grid.ts';
import { parseSceneJobId } from '../../lambda/identity/job-key.ts';
import { type ComputedWindow, computeWindow } from '../../lambda/pipeline/compute-window.ts';
import { parsePipeline } from '../../lambda/pipeline/definition/parse-pipeline.ts';
import type { WindowMessage } from '../../lambda/pipeline/messages.ts';
import { planScene } from '../../lambda/pipeline/plan-scene.ts';
import { SourcePool } from '../../lambda/pipeline/source-pool.ts';
import { stripsOf } from '../../lambda/pipeline/strips.ts';
import { encodeCog } from '../../lambda/raster/cog/encode-cog.ts';
import { pixelDigest } from '../../lambda/raster/cog/digest.ts';
import { lendPlanes } from '../../lambda/raster/kernels/plane-memory.ts';
import { openSource } from '../../lambda/raster/source/open-source.ts';
import type { GeoTransform, PixelRect } from '../../lambda/raster/types.ts';
import { BytesReader } from '../support/bytes-reader.ts';
import { UTM_31N, cogImage, noisyPixels } from '../support/cog-images.ts';
import { MemorySourceStore } from '../support/memory/source-store.ts';

const [WIDTH, HEIGHT, BLOCK] = [173, 515, 80];
/** Blocks of a scene's full resolution, in both of its files. */
const BLOCKS = 2 * Math.ceil(WIDTH / BLOCK) * Math.ceil(HEIGHT / BLOCK);
const NORTH_UP: GeoTransform = [500_000, 10, 0, 5_000_000, 0, -10];
const TURNED: GeoTransform = [500_000, 8, 6, 5_000_000, 6, -8];
const NEVER = new AbortController().signal;

const bandFile = (seed: number, geotransform: GeoTransform): Uint8Array<ArrayBuffer> =>
  encodeCog(
    cogImage({
      width: WIDTH,
      height: HEIGHT,
      dataType: 'uint16',
      nodata: 0,
      blockSize: BLOCK,
      grid: { crs: UTM_31N, geotransform },
      bands: [noisyPixels('uint16', WIDTH, HEIGHT, { seed, nodata: 0 })],
    }),
  );

/** A planned scene of two files, and its windows. */
const sceneOf = async (fields: object, geotransform = NORTH_UP) => {
  const store = new MemorySourceStore();
  for (const [i, name] of ['a.tif', 'b.tif'].entries()) store.put(name, bandFile(i + 1, geotransform));
  const looks = await Promise.all(['a.tif', 'b.tif'].map((name) => store.look('', name)));
  const sceneJobId = parseSceneJobId('0'.repeat(64));
  const found = looks.filter((look) => look !== null);
  if (sceneJobId === null) throw new Error('no id');
  const file = {
    pipeline: 'strips',
    version: '1',
    bands: { a: {}, b: { scale: 0.5, offset: 3 } },
    expression: '(a - b) / (a + b)',
    tile_px: 16,
    ...fields,
  };
  const plan = await planScene(
    { sources: () => store, pixelVersion: 1, softwareVersion: '0' },
    {
      sceneJobId,
      sceneName: 'scene',
      location: '',
      pipeline: parsePipeline(JSON.stringify(file), 'strips.json'),
      params: {},
      sources: {
        looks: found,
        sourceOfBand: new Map([
          ['a', 0],
          ['b', 1],
        ]),
      },
    },
  );
  const messages = [...windowsOf(plan.windows)].map((window): WindowMessage => ({
    v: 1,
    plan,
    sources: plan.sources,
    location: '',
    ...window,
  }));
  const pool = (cacheBytes: number): SourcePool => new SourcePool(() => store, { capacity: 2, cacheBytes });
  return { messages, pool };
};

/** An outcome with its pixels' digest in the place of the pixels. */
const told = (window: ComputedWindow): object =>
  window.kind === 'empty' ? window : { ...window, image: { ...window.image, bands: null } };

/** Runs windows one after another; their outcomes, and how many source blocks were decoded for them. */
const computed = async (
  { messages, pool }: Awaited<ReturnType<typeof sceneOf>>,
  { stripPx, cacheBytes = 0, inPlanes = true }: { stripPx: number; cacheBytes?: number; inPlanes?: boolean },
): Promise<{ windows: object[]; decoded: number }> => {
  await using sources = pool(cacheBytes);
  const inflate = jest.spyOn(zlib, 'inflateSync');
  try {
    const windows: object[] = [];
    for (const message of messages) {
      using planes = lendPlanes();
      windows.push(told(await computeWindow(sources, message, NEVER, inPlanes ? planes : null, stripPx)));
    }
    return { windows, decoded: inflate.mock.calls.length };
  } finally {
    inflate.mockRestore();
  }
};

const CASES: readonly (readonly [string, object, GeoTransform])[] = [
  ['on the source’s grid', { dst_crs: 'source' }, NORTH_UP],
  ['warped by bilinear', { dst_crs: 'EPSG:3857', resampling: 'bilinear' }, NORTH_UP],
  ['warped by cubic from a turned grid', { dst_crs: 'EPSG:3857', resampling: 'cubic' }, TURNED],
  ['averaged', { dst_crs: 'EPSG:3035', resampling: 'average', resolution: 17 }, NORTH_UP],
  [
    'of integers in several bands under a mask',
    {
      dst_crs: 'EPSG:3857',
      dtype: 'int16',
      nodata: -9,
      mask: 'a > 2000',
      expression: undefined,
      outputs: [
        { name: 'sum', expression: 'a / 9 + b' },
        { name: 'a', expression: 'a / 7' },
      ],
    },
    NORTH_UP,
  ],
];

jest.setTimeout(60_000);

describe('A window worked in strips', () => {
  it.each(CASES)(
    'is the window worked at once, to the last digit of its statistics: %s',
    async (_, fields, geotransform) => {
      const scene = await sceneOf({ grid: '1x1', ...fields }, geotransform);
      const whole = await computed(scene, { stripPx: Infinity });
      expect(whole.windows).toEqual([expect.objectContaining({ kind: 'pixels' })]);
      expect((await computed(scene, { stripPx: Infinity, inPlanes: false })).windows).toEqual(whole.windows);
      for (const stripPx of [1, 90_000]) {
        expect((await computed(scene, { stripPx })).windows).toEqual(whole.windows);
      }
    },
  );

  it.each(CASES)('decodes each block once, whatever a source keeps: %s', async (_, fields, geotransform) => {
    const scene = await sceneOf({ grid: '1x1', ...fields }, geotransform);
    const { decoded } = await computed(scene, { stripPx: Infinity });
    expect(decoded).toBeGreaterThan(BLOCKS / 2);
    expect(decoded).toBeLessThanOrEqual(BLOCKS);
    expect((await computed(scene, { stripPx: 1 })).decoded).toBe(decoded);
  });

  it('leaves what it shares with the window to its right, which decodes it no more', async () => {
    const scene = await sceneOf({ grid: '1x3', dst_crs: 'EPSG:3857' });
    const apart = await computed(scene, { stripPx: 1, cacheBytes: 0 });
    const together = await computed(scene, { stripPx: 1, cacheBytes: 1 << 24 });
    expect(together.windows).toEqual(apart.windows);
    expect(apart.decoded).toBeGreaterThan(BLOCKS);
    expect(together.decoded).toBe(BLOCKS);
  });

  it('is the same beside others that use its sources at the same time', async () => {
    const scene = await sceneOf({ grid: '3x3', dst_crs: 'EPSG:3857' });
    const { windows } = await computed(scene, { stripPx: Infinity });
    // Room for a few blocks: what one window lets go another may still want.
    await using sources = scene.pool(5 * BLOCK * BLOCK * 2);
    const atOnce = await Promise.all(
      scene.messages.map(async (message, i) => {
        using planes = lendPlanes();
        const window = await computeWindow(sources, message, NEVER, planes, i % 3 === 0 ? Infinity : 1);
        await new Promise(setImmediate);
        const intact = window.kind === 'empty' || pixelDigest(window.image) === window.image.digest;
        return { window: told(window), intact };
      }),
    );
    expect(atOnce).toEqual(windows.map((window) => ({ window, intact: true })));
  });

  it('would decode blocks twice if strips were windows of their own', async () => {
    const source = await openSource(new BytesReader('a.tif', bandFile(1, NORTH_UP)), undefined, { cacheBytes: 0 });
    const inflate = jest.spyOn(zlib, 'inflateSync');
    try {
      for (const strip of stripsOf({ x: 0, y: 0, width: WIDTH, height: HEIGHT }, 1)) {
        await source.readWindow([1], { ...strip, height: Math.min(strip.height + 1, HEIGHT - strip.y) }, 0);
      }
      expect(inflate.mock.calls.length).toBeGreaterThan(BLOCKS / 2);
    } finally {
      inflate.mockRestore();
    }
  });
});

describe('Strips', () => {
  const rect: PixelRect = { x: 1024, y: 2064, width: 4096, height: 2788 };

  it('cover a window once, from its top', () => {
    const strips = stripsOf(rect);
    expect(
      strips.reduce((bottom, { x, y, width, height }) => {
        expect({ x, y, width }).toEqual({ x: rect.x, y: bottom, width: rect.width });
        return bottom + height;
      }, rect.y),
    ).toBe(rect.y + rect.height);
    for (const { width, height } of strips) expect(width * height).toBeLessThanOrEqual(1.25 * 2 ** 20);
  });

  it('meet on rows of the warp’s lattice, whatever row the window begins in', () => {
    for (const { y } of stripsOf(rect).slice(1)) expect(y % 128).toBe(0);
  });

  it.each([
    [512, 512],
    [1024, 1056],
    [1056, 1056],
  ])('are one for a window of %i x %i px', (width, height) => {
    expect(stripsOf({ x: 512, y: 512, width, height })).toHaveLength(1);
  });
});
