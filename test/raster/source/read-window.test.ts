import { describe, expect, test } from '@jest/globals';
import { SourceError } from '../../../lambda/errors.ts';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import { BytesReader } from '../../support/bytes-reader.ts';
import type { SampleKind, TiffImage, TiffOptions } from '../../support/tiff-builder.ts';
import { ascii, buildTiff, GEOREFERENCE, imageTags, long, sampleBytes, short } from '../../support/tiff-builder.ts';
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
    ['float32', [0.5, -1.25, 3e38, NaN, Infinity, 0, 1, 2], 'float32', 'Float32Array'],
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
    const tags = { ...imageTags(4, 2, bits, 3), 317: short(2) };
    const block = encodeHorizontal(values, bits, 12, 3, bigEndian);
    const source = await open([{ tags, blocks: [block] }], { bigEndian });
    const bands = await source.readWindow([1, 2, 3], whole, 0);
    for (const [band, pixels] of bands.entries()) {
      expect([...pixels]).toEqual(range(8).map((at) => Number(values[at * 3 + band])));
    }
  });

  test.each([1, 2])('float32 and float64 under the floating point predictor, %i band(s)', async (samples) => {
    for (const samplesOf of [Float32Array, Float64Array]) {
      const values = samplesOf.from(range(8 * samples), (at) => (at - 3) * 1234.5678 ** (at % 3));
      const tags = { ...imageTags(4, 2, values.BYTES_PER_ELEMENT * 8, samples, FORMATS.float), 317: short(3) };
      const source = await open([{ tags, blocks: [encodeFloating(values, 4 * samples, samples)] }], { bigEndian });
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
    const rows = 4096;
    const block = Uint8Array.from(range(1024 * rows), (at) => (at % 1024) + Math.floor(at / 1024));
    const bytes = new BytesReader('B04.tif', buildTiff([{ tags: imageTags(1024, rows, 8), blocks: [block] }]));
    const source = await openSource(bytes);
    const [pixels] = await source.readWindow([1], { x: 5, y: 2000, width: 2, height: 2 }, 0);
    expect([...(pixels ?? [])]).toEqual([2005 & 255, 2006 & 255, 2006 & 255, 2007 & 255]);
    expect(source.blockHeight).toBe(1024);
    expect(bytes.calls.at(-1)).toEqual([{ offset: bytes.size - 1024 * (rows - 1024), length: 1024 * 1024 }]);
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

describe('what is not valid is NaN', () => {
  const one = (values: number[], tags = {}): TiffImage => ({
    tags: { ...imageTags(4, 2, 8), ...tags },
    blocks: [Uint8Array.from(values)],
  });

  test('nodata by the file’s tag, by the call, or by neither', async () => {
    const source = await open([one([0, 1, 2, 0, 0, 5, 6, 7], { 42113: ascii('0') })]);
    const read = async (options?: { nodata?: number | null }) => [
      ...((await source.readWindow([1], whole, 0, options))[0] ?? []),
    ];
    expect(source.nodata).toBe(0);
    expect(await read()).toEqual([NaN, 1, 2, NaN, NaN, 5, 6, 7]);
    expect(await read({ nodata: 5 })).toEqual([0, 1, 2, 0, 0, NaN, 6, 7]);
    expect(await read({ nodata: null })).toEqual([0, 1, 2, 0, 0, 5, 6, 7]);
    expect(await read({ nodata: -9999 })).toEqual([0, 1, 2, 0, 0, 5, 6, 7]);
  });

  test('nodata scattered over a long row', async () => {
    const values = range(256).map((at) => at % 3);
    const tags = { ...imageTags(256, 1, 8), 42113: ascii('1') };
    const source = await open([{ tags, blocks: [Uint8Array.from(values)] }]);
    const [pixels] = await source.readWindow([1], { x: 0, y: 0, width: 256, height: 1 }, 0);
    expect([...(pixels ?? [])]).toEqual(values.map((value) => (value === 1 ? NaN : value)));
  });

  test('blocks that the file leaves out hold nodata, or 0 where there is none', async () => {
    const tags = { ...imageTags(4, 2, 8), 278: short(1) };
    const blocks = [null, Uint8Array.from([1, 2, 3, 4])];
    const plain = await open([{ tags, blocks }]);
    expect([...((await plain.readWindow([1], whole, 0))[0] ?? [])]).toEqual([0, 0, 0, 0, 1, 2, 3, 4]);
    const marked = await open([{ tags: { ...tags, 42113: ascii('3') }, blocks }]);
    expect([...((await marked.readWindow([1], whole, 0))[0] ?? [])]).toEqual([NaN, NaN, NaN, NaN, 1, 2, NaN, 4]);
    const other = await marked.readWindow([1], whole, 0, { nodata: 1 });
    expect([...(other[0] ?? [])]).toEqual([3, 3, 3, 3, NaN, 2, 3, 4]);
  });

  const pixels4 = [10, 11, 12, 0, 20, 21, 22, 255, 30, 31, 32, 1, 40, 41, 42, 0];
  const rgba = (extra: Record<number, ReturnType<typeof short>>): TiffImage => ({
    tags: { ...imageTags(4, 1, 8, 4), 262: short(2), ...extra },
    blocks: [Uint8Array.from(pixels4)],
  });
  const row = { x: 0, y: 0, width: 4, height: 1 };

  test.each([1, 2])('where an alpha sample (ExtraSamples %i) is 0, but for the alpha band itself', async (kind) => {
    const source = await open([rgba({ 338: short(kind) })]);
    const [red, alpha] = await source.readWindow([1, 4], row, 0);
    expect([...(red ?? [])]).toEqual([NaN, 20, 30, NaN]);
    expect([...(alpha ?? [])]).toEqual([0, 255, 1, 0]);
  });

  test.each([{ 338: short(0) }, {}])('never for a mere fourth band (%j)', async (extra) => {
    const [red] = await (await open([rgba(extra)])).readWindow([1], row, 0);
    expect([...(red ?? [])]).toEqual([10, 20, 30, 40]);
  });

  const mask = (width: number, height: number, kind: number, bytes: number[]): TiffImage => ({
    tags: { ...imageTags(width, height, 1), 254: long(kind), 262: short(4) },
    blocks: [Uint8Array.from(bytes)],
  });

  test('where an internal mask says so, on every level by its own mask', async () => {
    const overview = { tags: { ...imageTags(2, 1, 8), 254: long(1) }, blocks: [Uint8Array.of(50, 60)] };
    const source = await open([
      one(range(8)),
      mask(4, 2, 4, [0b1010_0000, 0b1111_0000]),
      overview,
      mask(2, 1, 5, [0b0100_0000]),
    ]);
    expect(source.levels).toEqual([
      { width: 4, height: 2, reduced: false },
      { width: 2, height: 1, reduced: true },
    ]);
    expect([...((await source.readWindow([1], whole, 0))[0] ?? [])]).toEqual([0, NaN, 2, NaN, 4, 5, 6, 7]);
    expect([...((await source.readWindow([1], { x: 0, y: 0, width: 2, height: 1 }, 1))[0] ?? [])]).toEqual([NaN, 60]);
  });

  test('an overview whose mask is missing is not used where the image has one', async () => {
    const overview = { tags: { ...imageTags(2, 1, 8), 254: long(1) }, blocks: [Uint8Array.of(50, 60)] };
    const source = await open([one(range(8)), mask(4, 2, 4, [0xf0, 0xf0]), overview]);
    expect(source.levels).toHaveLength(1);
  });
});

describe('levels', () => {
  const plain = (width: number, height: number, tags = {}): TiffImage => ({
    tags: { ...imageTags(width, height, 8), ...tags },
    blocks: [new Uint8Array(width * height)],
  });
  const reduced = { 254: long(1) };
  const sizes = async (images: readonly TiffImage[]) =>
    (await open(images)).levels.map(({ width, height }) => [width, height]);

  test('go from large to small, from the chain and from sub-directories', async () => {
    const main = { ...plain(40, 20), subImages: [plain(5, 3, reduced), plain(20, 10, reduced)] };
    expect(await sizes([main, plain(10, 5, reduced)])).toEqual([
      [40, 20],
      [20, 10],
      [10, 5],
      [5, 3],
    ]);
  });

  test('pages, thumbnails of other proportions and reductions of another type are left out', async () => {
    const deep = { tags: { ...imageTags(20, 10, 16), ...reduced }, blocks: [new Uint8Array(400)] };
    expect(await sizes([plain(40, 20), plain(40, 20), plain(20, 10), plain(20, 20, reduced), deep])).toEqual([
      [40, 20],
    ]);
  });

  test('the older tag for a reduced image counts too', async () => {
    expect(await sizes([plain(40, 20), plain(20, 10, { 255: short(2) })])).toEqual([
      [40, 20],
      [20, 10],
    ]);
  });
});

describe('what the file says of itself', () => {
  const xml =
    '<GDALMetadata><Item name="ACQUISITIONDATETIME" domain="IMAGERY">2020-02-19T11:33:21.024Z</Item>' +
    '<Item name="SCALE" sample="1" role="scale">0.0001</Item><Item name="OFFSET" sample="1" role="offset">-0.1</Item>' +
    '<Item name="DESCRIPTION" sample="0" role="description">red &amp; far</Item></GDALMetadata>';

  test('scale, offset and description by band, and when it was taken', async () => {
    const tags = { ...imageTags(4, 2, 8, 2), 42112: ascii(xml), 306: ascii('2021:01:02 03:04:05') };
    const source = await open([{ tags, blocks: [new Uint8Array(16)] }]);
    expect([source.scaleOf(1), source.scaleOf(2), source.offsetOf(2)]).toEqual([null, 0.0001, -0.1]);
    expect([source.description(1), source.description(2)]).toEqual(['red & far', null]);
    expect(source.dateTime).toBe('2020-02-19T11:33:21Z');
  });

  test.each([
    ['2021:01:02 03:04:05', '2021-01-02T03:04:05Z'],
    ['2021:13:02 03:04:05', null],
    ['yesterday', null],
  ])('the TIFF date %s is %s', async (text, expected) => {
    const source = await open([{ tags: { ...imageTags(4, 2, 8), 306: ascii(text) }, blocks: [new Uint8Array(8)] }]);
    expect(source.dateTime).toBe(expected);
  });

  test('its grid, or why it has none', async () => {
    const placed = await open([{ tags: { ...imageTags(4, 2, 8), ...GEOREFERENCE }, blocks: [new Uint8Array(8)] }]);
    const { crs, ...grid } = placed.grid();
    expect(crs.code).toBe('EPSG:32631');
    expect(grid).toEqual({ width: 4, height: 2, geotransform: [500_000, 10, 0, 5_000_000, 0, -10] });
    const lost = await open([{ tags: imageTags(4, 2, 8), blocks: [new Uint8Array(8)] }]);
    expect(() => lost.grid()).toThrow('B04.tif: has no geotransform');
  });
});

describe('refused when opened, by trait', () => {
  const block = [new Uint8Array(8)];
  test.each([
    [{ 274: short(6) }, 'orientation 6'],
    [{ 259: short(7) }, 'JPEG compression is not read'],
    [{ 262: short(6) }, 'photometric interpretation 6'],
    [{ 339: short(5), 258: short(32) }, 'complex samples'],
    [{ 258: short(24) }, '24-bit uint samples'],
    [{ 317: short(3) }, 'predictor 3 on 8-bit uint samples'],
    [{ 256: long(0) }, 'claims a size of 0 x 2 px'],
    [{ 256: long(2 ** 31) }, 'claims a size of 2147483648 x 2 px'],
    [{ 322: long(2 ** 31), 323: long(16) }, 'has blocks of 2147483648 x 16 px'],
  ])('%j: %s', async (tags, trait) => {
    const opened = open([{ tags: { ...imageTags(4, 2, 8), ...tags }, blocks: block }]);
    await expect(opened).rejects.toBeInstanceOf(SourceError);
    await expect(opened).rejects.toThrow(`B04.tif: ${trait}`);
  });

  test('bands of different types, naming the band', async () => {
    const tags = { ...imageTags(4, 1, 8, 2), 258: short(8, 16) };
    await expect(open([{ tags, blocks: [new Uint8Array(12)] }])).rejects.toThrow(
      'B04.tif (band 2): is of another type',
    );
  });

  test('too few block offsets', async () => {
    const source = await open([{ tags: { ...imageTags(4, 2, 8), 278: short(1) }, blocks: [new Uint8Array(4)] }]);
    await expect(source.readWindow([1], whole, 0)).rejects.toThrow('lists 1 blocks where its size makes 2');
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
