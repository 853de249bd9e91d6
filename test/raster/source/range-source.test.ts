import { describe, expect, test } from '@jest/globals';
import { RangeSource } from '../../../lambda/raster/source/range-source.ts';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import { BytesReader } from '../../support/bytes-reader.ts';
import { buildTiff, imageTags, short, long, GEOREFERENCE } from '../../support/tiff-builder.ts';

const KIB = 1024;
const MIB = 1024 * 1024;

const reader = (size: number): BytesReader => {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at++) bytes[at] = (at * 7 + (at >> 8)) & 255;
  return new BytesReader('scene.tif', bytes);
};

describe('pixel blocks', () => {
  test('neighbours asked for in one turn become one read, and each gets its own bytes', async () => {
    const bytes = reader(MIB);
    const source = new RangeSource(bytes);
    const [[late, early], [third]] = await Promise.all([
      source.blocks([
        { offset: 400_000, length: 10 },
        { offset: 300_000, length: 10 },
      ]),
      // Asked for by another caller, some promises later in the same turn.
      Promise.resolve()
        .then(() => undefined)
        .then(() => source.blocks([{ offset: 350_000, length: 10 }])),
    ]);
    expect(bytes.calls).toEqual([[{ offset: 300_000, length: 100_010 }]]);
    const expected = await bytes.read([
      { offset: 400_000, length: 10 },
      { offset: 300_000, length: 10 },
      { offset: 350_000, length: 10 },
    ]);
    expect([late, early, third]).toEqual(expected);
  });

  test('a gap of more than 64 KiB, or a sum of more than 8 MiB, stays apart, in one call', async () => {
    const bytes = reader(20 * MIB);
    const source = new RangeSource(bytes);
    await source.blocks([
      { offset: 0, length: 10 },
      { offset: 10 + 64 * KIB, length: 10 },
      { offset: 20 + 128 * KIB + 1, length: 10 },
      { offset: 10 * MIB, length: 5 * MIB },
      { offset: 15 * MIB, length: 4 * MIB },
    ]);
    expect(bytes.calls).toEqual([
      [
        { offset: 0, length: 20 + 64 * KIB },
        { offset: 20 + 128 * KIB + 1, length: 10 },
        { offset: 10 * MIB, length: 5 * MIB },
        { offset: 15 * MIB, length: 4 * MIB },
      ],
    ]);
  });

  test('overlapping ranges are read once', async () => {
    const bytes = reader(MIB);
    const ranges = [
      { offset: 500_000, length: 100 },
      { offset: 500_050, length: 20 },
      { offset: 500_000, length: 100 },
    ];
    await new RangeSource(bytes).blocks(ranges);
    expect(bytes.calls).toEqual([[{ offset: 500_000, length: 100 }]]);
  });

  test('what the reader throws reaches everyone who waits, and the next request is tried anew', async () => {
    let broken = true;
    const bytes = reader(MIB);
    const source = new RangeSource({
      name: 'scene.tif',
      size: MIB,
      read: (ranges, signal) => (broken ? Promise.reject(new Error('out of reach')) : bytes.read(ranges, signal)),
    });
    const waiting = [source.blocks([{ offset: 0, length: 1 }]), source.blocks([{ offset: 9, length: 1 }])];
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    broken = false;
    await expect(source.blocks([{ offset: 0, length: 1 }])).resolves.toEqual([Uint8Array.of(0)]);
  });

  test('a reader that returns too few bytes is found out', async () => {
    const source = new RangeSource({ name: 'scene.tif', size: 100, read: async () => [new Uint8Array(3)] });
    await expect(source.blocks([{ offset: 0, length: 4 }])).rejects.toThrow('asked for 4 bytes at 0, got 3');
  });

  test('blocks that were given back take their memory along once all of a read were, and not before', async () => {
    const source = new RangeSource(reader(MIB));
    const [first, second] = await source.blocks([
      { offset: 500_000, length: 100_000 },
      { offset: 600_000, length: 100_000 },
    ]);
    if (first === undefined || second === undefined) throw new Error('two blocks were asked for');
    expect(first.buffer).toBe(second.buffer);
    source.giveBack(first);
    source.giveBack(first);
    expect(second).toHaveLength(100_000);
    source.giveBack(second);
    expect(second).toHaveLength(0);
  });

  test('blocks out of metadata that is kept may be given back, and are there again', async () => {
    const source = new RangeSource(reader(MIB));
    await source.metadata({ offset: 0, length: 100_000 });
    const range = { offset: 10, length: 90_000 };
    const [block] = await source.blocks([range]);
    if (block === undefined) throw new Error('a block was asked for');
    source.giveBack(block);
    expect(await source.blocks([range])).toEqual([block]);
    expect(block).toHaveLength(90_000);
  });

  test('an aborted request is rejected with the signal’s reason', async () => {
    const abort = new AbortController();
    abort.abort(new Error('lease lost'));
    await expect(new RangeSource(reader(10)).blocks([{ offset: 0, length: 1 }], abort.signal)).rejects.toThrow(
      'lease lost',
    );
  });
});

describe('metadata', () => {
  test('comes in own buffers from byte 0, clipped at the end of the object', async () => {
    const bytes = reader(1000);
    const [slice, beyond] = await new RangeSource(bytes).fetch([
      { offset: 990, length: 100 },
      { offset: 2000, length: 10 },
    ]);
    expect(new Uint8Array(slice ?? new ArrayBuffer())).toEqual((await bytes.read([{ offset: 990, length: 10 }]))[0]);
    expect(beyond?.byteLength).toBe(0);
  });

  test('is read in chunks that grow from 64 KiB and are kept', async () => {
    const bytes = reader(MIB);
    const source = new RangeSource(bytes);
    await source.metadata({ offset: 0, length: 16 });
    await source.metadata({ offset: 60 * KIB, length: 1000 });
    await source.metadata({ offset: 64 * KIB, length: 10 });
    await source.metadata({ offset: 190 * KIB, length: 10 });
    await source.metadata({ offset: 900 * KIB, length: 10 });
    await source.metadata({ offset: 910 * KIB, length: 10 });
    expect(bytes.calls.flat()).toEqual([
      { offset: 0, length: 64 * KIB },
      { offset: 64 * KIB, length: 128 * KIB },
      { offset: 900 * KIB, length: 16 * KIB },
    ]);
  });
});

describe('a tiled image with its overview', () => {
  const tile = (): Uint8Array => new Uint8Array(64 * 64);
  const tags = { 322: short(64), 323: short(64) };
  const file = buildTiff(
    [
      {
        tags: { ...imageTags(256, 256, 8), ...tags, ...GEOREFERENCE },
        blocks: Array.from({ length: 16 }, tile),
      },
      { tags: { ...imageTags(128, 128, 8), ...tags, 254: long(1) }, blocks: Array.from({ length: 4 }, tile) },
    ],
    { padding: 100_000 },
  );

  test('is opened by one read, and a window is one more, of the blocks it touches', async () => {
    const bytes = new BytesReader('scene.tif', file);
    const source = await openSource(bytes);
    await source.readWindow([1], { x: 60, y: 60, width: 100, height: 30 }, 0);
    const first = file.length - 20 * 4096;
    expect(bytes.calls).toEqual([[{ offset: 0, length: 64 * KIB }], [{ offset: first, length: 7 * 4096 }]]);
  });

  test('neighbouring windows share the blocks that are kept, and only the new ones are read', async () => {
    const bytes = new BytesReader('scene.tif', file);
    const source = await openSource(bytes);
    await source.readWindow([1], { x: 0, y: 0, width: 100, height: 64 }, 0);
    await source.readWindow([1], { x: 0, y: 0, width: 128, height: 64 }, 0);
    await source.readWindow([1], { x: 100, y: 0, width: 50, height: 64 }, 0);
    const first = file.length - 20 * 4096;
    expect(bytes.calls.slice(1)).toEqual([
      [{ offset: first, length: 2 * 4096 }],
      [{ offset: first + 2 * 4096, length: 4096 }],
    ]);
  });

  test('with no room to keep blocks every window reads its own', async () => {
    const bytes = new BytesReader('scene.tif', file);
    const source = await openSource(bytes, undefined, { cacheBytes: 0 });
    for (let turn = 0; turn < 3; turn++) await source.readWindow([1], { x: 0, y: 0, width: 10, height: 10 }, 0);
    expect(bytes.calls).toHaveLength(4);
  });

  test('the blocks used longest ago are given up first', async () => {
    const bytes = new BytesReader('scene.tif', file);
    const source = await openSource(bytes, undefined, { cacheBytes: 2 * 4096 });
    const read = (column: number) => source.readWindow([1], { x: column * 64, y: 0, width: 64, height: 64 }, 0);
    for (const column of [0, 1, 0, 2, 0, 1]) await read(column);
    const first = file.length - 20 * 4096;
    const columns = bytes.calls.slice(1).map(([range]) => ((range?.offset ?? 0) - first) / 4096);
    expect(columns).toEqual([0, 1, 2, 1]);
  });

  test('closing gives the memory of the blocks that are kept back, and waits for no garbage collection', async () => {
    const side = 1024;
    const blocks = [0, 1, 2, 3].map((value) => new Uint8Array(512 * 512).fill(value));
    const large = buildTiff([
      { tags: { ...imageTags(side, side, 8), 322: short(512), 323: short(512), ...GEOREFERENCE }, blocks },
    ]);
    const source = await openSource(new BytesReader('scene.tif', large));
    const all = { x: 0, y: 0, width: side, height: side };
    const [before] = await source.readWindow([1], all, 0);
    const kept = process.memoryUsage().arrayBuffers;
    source.close();
    expect(kept - process.memoryUsage().arrayBuffers).toBeGreaterThanOrEqual(side * side);
    expect(await source.readWindow([1], all, 0)).toEqual([before]);
  });

  test('all bands of a pixel come from one fetch of its block', async () => {
    const rgbTags = { ...imageTags(4, 2, 8, 3), 262: short(2) };
    const rgb = buildTiff([{ tags: rgbTags, blocks: [new Uint8Array(24)] }], { padding: 100_000 });
    const bytes = new BytesReader('scene.tif', rgb);
    const source = await openSource(bytes, undefined, { cacheBytes: 0 });
    await source.readWindow([1, 2, 3], { x: 0, y: 0, width: 4, height: 2 }, 0);
    expect(bytes.calls.slice(1)).toEqual([[{ offset: rgb.length - 24, length: 24 }]]);
  });
});
