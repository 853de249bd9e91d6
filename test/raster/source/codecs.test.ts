import { deflateSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decompress, requireDecodable } from '../../../lambda/raster/source/codecs.ts';
import { decodeLzw } from '../../../lambda/raster/source/lzw.ts';
import { decodePackBits } from '../../../lambda/raster/source/packbits.ts';
import { encodeLzw } from '../../support/tiff-encoders.ts';

const shape = (byteLength: number) => ({
  width: byteLength,
  height: 1,
  samples: 1,
  byteLength,
  lercCompression: 0,
  jpegTables: null,
  ycbcr: false,
});
const text = (length: number): Uint8Array<ArrayBuffer> => Uint8Array.from({ length }, (_, at) => (at * at) >> 5);
const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes);

describe.each([
  [8, 'DEFLATE', (bytes: Uint8Array) => own(deflateSync(bytes))],
  [32946, 'DEFLATE under its old number', (bytes: Uint8Array) => own(deflateSync(bytes))],
  [50000, 'ZSTD', (bytes: Uint8Array) => own(zstdCompressSync(bytes))],
  [5, 'LZW', encodeLzw],
  [1, 'no compression', own],
] as const)('compression %i, %s', (compression, _name, encode) => {
  test('gives back what was stored', () => {
    expect(own(decompress(compression, encode(text(100_000)), shape(100_000)))).toEqual(text(100_000));
  });

  test('refuses a block that was cut off', () => {
    const cut = encode(text(5000)).slice(0, -40);
    expect(() => decompress(compression, cut, shape(5000))).toThrow(/unexpected end|ends after|holds \d+ bytes/i);
  });

  test('refuses a block that holds less than its size', () => {
    expect(() => decompress(compression, encode(text(4999)), shape(5000))).toThrow(/ends after|holds 4999 bytes/);
  });
});

test.each([
  [8, deflateSync],
  [50000, zstdCompressSync],
] as const)('compression %i that unpacks to more than the block’s size is stopped', (compression, compress) => {
  expect(() => decompress(compression, own(compress(new Uint8Array(10_000_000))), shape(5000))).toThrow(
    'more than its size',
  );
});

test.each([
  [8, 'incorrect header check'],
  [50000, 'Unknown frame descriptor'],
])('damaged bytes under compression %i are refused', (compression, message) => {
  expect(() =>
    decompress(
      compression,
      Uint8Array.from({ length: 50 }, () => 0x55),
      shape(10),
    ),
  ).toThrow(message);
});

describe('LZW', () => {
  test('gives back any bytes', () => {
    const repetitive = fc
      .array(fc.uint8Array({ maxLength: 6 }), { maxLength: 400 })
      .map((parts) => own(Buffer.concat(parts)));
    fc.assert(fc.property(repetitive, (bytes) => expect(decodeLzw(encodeLzw(bytes), bytes.length)).toEqual(bytes)));
  });

  test('gives back noise that fills its table several times', () => {
    let seed = 1;
    const noise = Uint8Array.from({ length: 60_000 }, () => (seed = (seed * 48_271) % 2_147_483_647) & 255);
    expect(decodeLzw(encodeLzw(noise), noise.length)).toEqual(noise);
  });

  test('refuses a code that is not in the table', () => {
    // Clear, then code 300 where only 258 could come next.
    const bits = [256, 65, 300]
      .map((code) => code.toString(2).padStart(9, '0'))
      .join('')
      .padEnd(32, '0');
    const bytes = Uint8Array.from({ length: 4 }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2));
    expect(() => decodeLzw(bytes, 10)).toThrow('uses LZW code 300, not in its table');
  });

  test('refuses the bit order of before 1989', () => {
    expect(() => decodeLzw(Uint8Array.of(0, 1, 2, 3), 4)).toThrow('bit order');
  });
});

test('PackBits expands runs, copies literals and passes over 128', () => {
  const packed = Uint8Array.of(254, 170, 2, 128, 0, 42, 128, 253, 170, 3, 128, 0, 42, 34, 247, 170);
  const expanded = [170, 170, 170, 128, 0, 42, 170, 170, 170, 170, 128, 0, 42, 34, ...Array<number>(10).fill(170)];
  expect([...decodePackBits(packed, 24)]).toEqual(expanded);
  expect(() => decodePackBits(packed, 25)).toThrow('ends after 24 of 25 bytes');
  expect(() => decodePackBits(Uint8Array.of(5, 1, 2), 6)).toThrow('ends after 0 of 6 bytes');
});

test.each([
  [50002, 'JPEG XL'],
  [34925, 'LZMA'],
  [12_345, 'unknown (12345)'],
])('compression %i is refused by name, with the line that converts the file', async (compression, name) => {
  await expect(requireDecodable('B04.tif', compression)).rejects.toThrow(
    expect.objectContaining({
      message: `B04.tif: ${name} compression is not read`,
      remedy: 'convert it first: gdal_translate -of COG -co COMPRESS=DEFLATE B04.tif converted.tif',
    }),
  );
});
