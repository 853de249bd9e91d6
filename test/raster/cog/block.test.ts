import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BlockFormat } from '../../../lambda/raster/cog/block.ts';
import {
  decodeBlock,
  decodeBlockAsync,
  encodeBlock,
  encodeBlockAsync,
  packBlock,
  unpackBlock,
} from '../../../lambda/raster/cog/block.ts';
import { CorruptBlockError } from '../../../lambda/raster/cog/codec.ts';
import { pixelsOver } from '../../../lambda/raster/cog/sample-type.ts';
import { bytesPerSample } from '../../../lambda/raster/data-type.ts';
import type { PixelArray } from '../../../lambda/raster/types.ts';
import { COMPRESSIONS, DATA_TYPES } from '../../../lambda/raster/types.ts';

const SIDE = 16;

const bytesOf = (pixels: PixelArray): Uint8Array => new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength);

function format(parts: Partial<BlockFormat> = {}): BlockFormat {
  return { dataType: 'uint8', bandCount: 1, blockSize: SIDE, compression: 'deflate', fill: null, ...parts };
}

/** A band of a whole block of any bits at all, NaNs of every pattern among them. */
function anyBand(dataType: BlockFormat['dataType'], bytes: Uint8Array): PixelArray {
  const buffer = new Uint8Array(SIDE * SIDE * bytesPerSample(dataType)).map((_, i) => bytes[i % bytes.length] ?? 0);
  return pixelsOver(dataType, buffer);
}

const whole = { x: 0, y: 0, width: SIDE, height: SIDE };

describe('a block', () => {
  it('comes back bit for bit through every type and codec, but that NaN has one pattern', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...DATA_TYPES),
        fc.constantFrom(...COMPRESSIONS),
        fc.integer({ min: 1, max: 4 }),
        fc.uint8Array({ minLength: 1, maxLength: 97 }),
        async (dataType, compression, bandCount, bytes) => {
          const bands = Array.from({ length: bandCount }, (_, i) =>
            anyBand(
              dataType,
              bytes.map((byte) => byte + i),
            ),
          );
          const of = format({ dataType, compression, bandCount });
          const pack = (): PixelArray => packBlock(of, bands, SIDE, whole) ?? pixelsOver(dataType, new Uint8Array(0));
          const encoded = encodeBlock(of, pack());
          expect(Buffer.compare(await encodeBlockAsync(of, pack()), encoded)).toBe(0);
          const decoded = decodeBlock(of, encoded);
          expect(Buffer.compare(bytesOf(decoded), bytesOf(pack()))).toBe(0);
          expect(Buffer.compare(bytesOf(await decodeBlockAsync(of, encoded)), bytesOf(decoded))).toBe(0);
          const back = bands.map((band) => band.slice().fill(0));
          unpackBlock(of, decoded, whole, back, SIDE, { x: 0, y: 0 });
          expect(back.map((band) => Array.from(band))).toEqual(bands.map((band) => Array.from(band)));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('writes every NaN as 7fc00000, or 7ff8000000000000 in a double, and keeps the sign of zero', () => {
    const singles = new Float32Array(SIDE * SIDE);
    new Uint32Array(singles.buffer).set([0xffc00000, 0x7f800001, 0x7fc00000, 0x80000000, 0x7f800000]);
    const single = packBlock(format({ dataType: 'float32' }), [singles], SIDE, whole);
    expect(single && [...new Uint32Array(single.buffer, 0, 5)]).toEqual([
      0x7fc00000, 0x7fc00000, 0x7fc00000, 0x80000000, 0x7f800000,
    ]);
    const doubles = new Float64Array(SIDE * SIDE);
    new Uint32Array(doubles.buffer).set([1, 0xfff80000, 0, 0x80000000]);
    const double = packBlock(format({ dataType: 'float64' }), [doubles], SIDE, whole);
    expect(double && [...new Uint32Array(double.buffer, 0, 4)]).toEqual([0, 0x7ff80000, 0, 0x80000000]);
  });

  it.each([
    ['uint8', 0, 0, true],
    ['uint8', 0, null, false],
    ['uint8', 7, 0, false],
    ['float32', NaN, NaN, true],
    ['float64', NaN, NaN, true],
    ['float64', -9999, -9999, true],
    ['float32', 0, NaN, false],
    ['float32', -0, 0, false],
  ] as const)('of %s all %p where the fill value is %p: sparse is %p', (dataType, value, fill, sparse) => {
    const band = anyBand(dataType, Uint8Array.of(0)).fill(value);
    expect(packBlock(format({ dataType, fill }), [band], SIDE, whole) === null).toBe(sparse);
  });

  it('is padded with the fill value beyond the image, and is sparse for the image’s part alone', () => {
    const band = new Uint8Array(5 * 3).fill(9);
    const padded = packBlock(format({ fill: 7 }), [band], 5, { x: 1, y: 0, width: 4, height: 3 });
    expect(padded?.slice(0, 6)).toEqual(Uint8Array.of(9, 9, 9, 9, 7, 7));
    expect(padded?.[3 * SIDE]).toBe(7);
    expect(packBlock(format({ fill: 9 }), [band], 5, { x: 0, y: 0, width: 5, height: 3 })).toBeNull();
  });

  it('that is damaged, too short or too long is refused', async () => {
    const encoded = encodeBlock(format(), new Uint8Array(SIDE * SIDE).fill(3));
    const damaged = Uint8Array.from(encoded).fill(255, 2, 6);
    for (const [of, bytes] of [
      [format(), damaged],
      [format({ blockSize: 32 }), encoded],
      [format({ blockSize: 8 }), encoded],
      [format({ compression: 'zstd' }), encoded],
      [format({ compression: 'none' }), encoded],
    ] as const) {
      expect(() => decodeBlock(of, bytes)).toThrow(CorruptBlockError);
      await expect(decodeBlockAsync(of, bytes)).rejects.toThrow(CorruptBlockError);
    }
  });
});
