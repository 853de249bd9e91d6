import { deflateSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import { BytesReader } from '../../support/bytes-reader.ts';
import type { SampleKind, TiffImage, TiffOptions } from '../../support/tiff-builder.ts';
import { ascii, buildTiff, imageTags, sampleBytes, short } from '../../support/tiff-builder.ts';
import { encodeFloating, encodeHorizontal } from '../../support/tiff-encoders.ts';

const open = (images: readonly TiffImage[], options?: TiffOptions) =>
  openSource(new BytesReader('B04.tif', buildTiff(images, options)));
const FORMATS = { uint: 1, int: 2, float: 3 } as const;
const bitsOf = (kind: SampleKind): number => Number(kind.replace(/\D+/, ''));
const formatOf = (kind: SampleKind): number =>
  kind.startsWith('uint') ? 1 : kind.startsWith('int') ? 2 : FORMATS.float;
const whole = { x: 0, y: 0, width: 4, height: 2 };
const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe.each([false, true])('samples of every type (big-endian: %s)', (bigEndian) => {
  test.each<[SampleKind, number[], string, string]>([
    ['uint8', [0, 1, 127, 128, 254, 255, 7, 9], 'uint8', 'Float32Array'],
    ['int8', [-128, -1, 0, 1, 127, 5, 6, 7], 'int8', 'Float32Array'],
    ['uint16', [0, 255, 256, 32_768, 65_535, 1, 2, 3], 'uint16', 'Float32Array'],
    ['int16', [-32_768, -1, 0, 1, 32_767, 300, 2, 3], 'int16', 'Float32Array'],
    ['uint32', [0, 16_777_217, 4_294_967_295, 1, 2, 3, 4, 5], 'uint32', 'Float64Array'],
    ['int32', [-2_147_483_648, -16_777_217, 2_147_483_647, 1, 2, 3, 4, 5], 'int32', 'Float64Array'],
    ['uint64', [0, 9_007_199_254_740_991, 1, 2, 3, 4, 5, 6], 'float64', 'Float64Array'],
    ['int64', [-9_007_199_254_740_991, 9_007_199_254_740_991, -1, 0, 1, 2, 3, 4], 'float64', 'Float64Array'],
    ['float32', [0.5, -1.25, 2 ** 127, NaN, Infinity, 0, 1, 2], 'float32', 'Float32Array'],
    ['float64', [0.1, -1e308, 5e-324, NaN, -Infinity, 0, 1, 2], 'float64', 'Float64Array'],
  ])('%s read as they were stored', async (kind, values, dataType, arrayName) => {
    const tags = imageTags(4, 2, bitsOf(kind), 1, formatOf(kind));
    const source = await open([{ tags, blocks: [sampleBytes(values, kind, bigEndian)] }], { bigEndian });
    const [pixels] = await source.readWindow([1], whole, 0);
    expect(source.dataType).toBe(dataType);
    expect(pixels?.constructor.name).toBe(arrayName);
    expect([...(pixels ?? [])]).toEqual(values);
  });

  test.each([8, 16, 32, 64])('%i-bit samples under the horizontal predictor, three bands in a pixel', async (bits) => {
    const values = range(24).map(
      (at) => BigInt((at * 37) % 200) + (BigInt(at % 3) << BigInt(bits - 4)) / (bits === 64 ? 2048n : 1n),
    );
    const tags = { ...imageTags(4, 2, bits, 3), 259: short(8), 317: short(2) };
    const block = deflateSync(encodeHorizontal(values, bits, 12, 3, bigEndian));
    const source = await open([{ tags, blocks: [block] }], { bigEndian });
    const bands = await source.readWindow([1, 2, 3], whole, 0);
    for (const [band, pixels] of bands.entries()) {
      expect([...pixels]).toEqual(range(8).map((at) => Number(values[at * 3 + band])));
    }
  });

  test.each([1, 2])('float32 and float64 under the floating point predictor, %i band(s)', async (samples) => {
    const numbers = range(8 * samples).map((at) => (at - 3) * 1234.5678 ** (at % 3));
    for (const values of [new Float32Array(numbers), new Float64Array(numbers)]) {
      const tags = { ...imageTags(4, 2, values.BYTES_PER_ELEMENT * 8, samples, FORMATS.float), 317: short(3) };
      const block = deflateSync(encodeFloating(values, 4 * samples, samples));
      const source = await open([{ tags: { ...tags, 259: short(8) }, blocks: [block] }], { bigEndian });
      const bands = await source.readWindow(samples === 1 ? [1] : [1, 2], whole, 0);
      for (const [band, pixels] of bands.entries()) {
        expect([...pixels]).toEqual(range(8).map((at) => values[at * samples + band]));
      }
    }
  });
});

describe('small and odd sample sizes', () => {
  test.each([
    [1, [0b1010_0000, 0b0101_0000], [1, 0, 1, 0, 0, 1, 0, 1]],
    [4, [0x1f, 0x20, 0x34, 0x05], [1, 15, 2, 0, 3, 4, 0, 5]],
    [12, [0xff, 0xf0, 0x01, 0x80, 0x07, 0xff, 0, 0, 0, 0, 0, 0x0a], [4095, 1, 2048, 2047, 0, 0, 0, 10]],
  ])('%i bits, rows beginning at a byte', async (bits, bytes, expected) => {
    const source = await open([{ tags: imageTags(4, 2, bits), blocks: [Uint8Array.from(bytes)] }]);
    expect([...((await source.readWindow([1], whole, 0))[0] ?? [])]).toEqual(expected);
  });

  test('bits from the other end of the byte (FillOrder 2)', async () => {
    const tags = { ...imageTags(4, 2, 1), 266: short(2) };
    const source = await open([{ tags, blocks: [Uint8Array.of(0b0000_0101, 0b0000_1010)] }]);
    expect([...((await source.readWindow([1], whole, 0))[0] ?? [])]).toEqual([1, 0, 1, 0, 0, 1, 0, 1]);
  });

  test('samples as they stand where a predictor is named for a compression that has none', async () => {
    const stored = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    const packed = Uint8Array.of(7, ...stored);
    for (const [compression, block] of [
      [1, stored],
      [32_773, packed],
    ] as const) {
      const tags = { ...imageTags(4, 2, 8), 259: short(compression), 317: short(2) };
      const source = await open([{ tags, blocks: [block] }]);
      expect([...((await source.readWindow([1], whole, 0))[0] ?? [])]).toEqual([...stored]);
    }
  });

  test('half floats: normal, subnormal, infinite and not a number', async () => {
    const halves = sampleBytes([0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00, 0xfc00, 0x7e00, 0x8000], 'uint16');
    const source = await open([{ tags: imageTags(4, 2, 16, 1, FORMATS.float), blocks: [halves] }]);
    expect([...((await source.readWindow([1], whole, 0))[0] ?? [])]).toEqual([
      1,
      -2,
      65_504,
      2 ** -24,
      Infinity,
      -Infinity,
      NaN,
      -0,
    ]);
  });
});

describe('64-bit integers beyond 2^53', () => {
  const bytes = new Uint8Array(new BigInt64Array([1n, -9_223_372_036_854_775_808n]).buffer);
  const tags = imageTags(2, 1, 64, 1, FORMATS.int);

  test('are refused, naming file and block', async () => {
    const source = await open([{ tags, blocks: [bytes] }]);
    await expect(source.readWindow([1], { x: 0, y: 0, width: 2, height: 1 }, 0)).rejects.toThrow(
      'B04.tif: block 0 (2 x 1 px image, column 0, row 0) cannot be decoded: holds the 64-bit integer -9223372036854775808, beyond 2^53',
    );
  });

  test('are read where they are the nodata value to the last digit', async () => {
    const source = await open([{ tags: { ...tags, 42113: ascii('-9223372036854775808') }, blocks: [bytes] }]);
    const [pixels] = await source.readWindow([1], { x: 0, y: 0, width: 2, height: 1 }, 0);
    expect([...(pixels ?? [])]).toEqual([1, NaN]);
  });
});

describe('blocks', () => {
  const value = (x: number, y: number, band = 0): number => x + 20 * y + 50 * band;
  const expected = (x: number, y: number, width: number, height: number, band = 0): number[] =>
    range(width * height).map((at) => value(x + (at % width), y + Math.floor(at / width), band));

  test('tiles that reach past the image are cut, and windows cross them', async () => {
    const tile = (column: number, row: number): Uint8Array =>
      Uint8Array.from(range(16), (at) => value(column * 4 + (at % 4), row * 4 + Math.floor(at / 4)));
    const tags = { ...imageTags(10, 6, 8), 322: short(4), 323: short(4) };
    const source = await open([
      { tags, blocks: [tile(0, 0), tile(1, 0), tile(2, 0), tile(0, 1), tile(1, 1), tile(2, 1)] },
    ]);
    for (const [x, y, width, height] of [
      [0, 0, 10, 6],
      [3, 3, 2, 2],
      [7, 5, 3, 1],
      [4, 0, 4, 4],
    ] as const) {
      const [pixels] = await source.readWindow([1], { x, y, width, height }, 0);
      expect([...(pixels ?? [])]).toEqual(expected(x, y, width, height));
    }
  });

  test('strips, the last one lower than the others', async () => {
    const strip = (first: number, rows: number): Uint8Array => Uint8Array.from(expected(0, first, 5, rows));
    const tags = { ...imageTags(5, 7, 8), 278: short(3) };
    const source = await open([{ tags, blocks: [strip(0, 3), strip(3, 3), strip(6, 1)] }]);
    const [pixels] = await source.readWindow([1], { x: 1, y: 2, width: 3, height: 5 }, 0);
    expect([...(pixels ?? [])]).toEqual(expected(1, 2, 3, 5));
  });

  test('one uncompressed strip as tall as the image is read in pieces, not whole', async () => {
    const rows = 3072;
    const block = new Uint8Array(1024 * rows);
    for (let row = 0; row < rows; row++) block.fill(row % 251, row * 1024, (row + 1) * 1024);
    const bytes = new BytesReader('B04.tif', buildTiff([{ tags: imageTags(1024, rows, 8), blocks: [block] }]));
    const source = await openSource(bytes);
    const [pixels] = await source.readWindow([1], { x: 5, y: 2000, width: 2, height: 2 }, 0);
    expect([...(pixels ?? [])]).toEqual([2000 % 251, 2000 % 251, 2001 % 251, 2001 % 251]);
    expect(source.blockHeight).toBe(1024);
    expect(bytes.calls.at(-1)).toEqual([{ offset: bytes.size - 1024 * 2048, length: 1024 * 1024 }]);
  });

  test('bands in planes of their own, in the order they are asked for', async () => {
    const plane = (band: number): Uint8Array => Uint8Array.from(expected(0, 0, 4, 2, band));
    const tags = { ...imageTags(4, 2, 8, 3), 284: short(2) };
    const source = await open([{ tags, blocks: [plane(0), plane(1), plane(2)] }]);
    const pixels = await source.readWindow([3, 1], whole, 0);
    expect(pixels.map((band) => [...band])).toEqual([expected(0, 0, 4, 2, 2), expected(0, 0, 4, 2, 0)]);
  });

  test('without byte counts an uncompressed image is read, a compressed one of several blocks refused', async () => {
    const strip = Uint8Array.from(range(4));
    const tags = { ...imageTags(4, 2, 8), 278: short(1) };
    const source = await open([{ tags, blocks: [strip, strip], byteCounts: false }]);
    expect([...((await source.readWindow([1], whole, 0))[0] ?? [])]).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
    const packed = await open([{ tags: { ...tags, 259: short(8) }, blocks: [strip, strip], byteCounts: false }]);
    await expect(packed.readWindow([1], whole, 0)).rejects.toThrow('does not say how long its blocks are');
  });

  test('a block that reaches past the file, is too short or too long, is named', async () => {
    const tags = { ...imageTags(4, 2, 8), 278: short(1) };
    const short3 = await open([{ tags, blocks: [Uint8Array.from(range(4)), Uint8Array.from(range(3))] }]);
    await expect(short3.readWindow([1], whole, 0)).rejects.toThrow('B04.tif: block 1 holds 3 bytes where 4 belong');
    const [first] = await short3.readWindow([1], { x: 0, y: 0, width: 4, height: 1 }, 0);
    expect([...(first ?? [])]).toEqual([0, 1, 2, 3]);
    const huge = await open([{ tags: { ...imageTags(4, 2, 8), 259: short(8) }, blocks: [new Uint8Array(100_000)] }]);
    await expect(huge.readWindow([1], whole, 0)).rejects.toThrow(
      'block 0 claims 100000 compressed bytes for a block of 8',
    );
    const file = buildTiff([{ tags: imageTags(4, 2, 8), blocks: [Uint8Array.from(range(8))] }]);
    const cut = await openSource(new BytesReader('B04.tif', file.slice(0, -1)));
    await expect(cut.readWindow([1], whole, 0)).rejects.toThrow(/block 0 lies outside the file/);
  });
});

describe('a window', () => {
  const plain = { tags: imageTags(4, 2, 8), blocks: [new Uint8Array(8)] };

  test('of a band that is not there is refused, naming how many there are', async () => {
    const source = await open([plain]);
    await expect(source.readWindow([2], whole, 0)).rejects.toThrow('B04.tif (band 2): the file has only one band');
  });

  test.each([
    [{ x: -1, y: 0, width: 2, height: 1 }, 0],
    [{ x: 0, y: 0, width: 5, height: 1 }, 0],
    [{ x: 0, y: 0, width: 0, height: 1 }, 0],
    [{ x: 0.5, y: 0, width: 1, height: 1 }, 0],
    [whole, 1],
  ])('that is not inside a level is a mistake of the caller: %j of level %i', async (rect, level) => {
    await expect((await open([plain])).readWindow([1], rect, level)).rejects.toBeInstanceOf(RangeError);
  });

  test('stops when it is aborted', async () => {
    const abort = new AbortController();
    const source = await open([plain]);
    abort.abort(new Error('lease lost'));
    await expect(source.readWindow([1], whole, 0, { signal: abort.signal })).rejects.toThrow('lease lost');
  });
});
