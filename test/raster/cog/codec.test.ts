import { constants, deflateSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { compress, compressAsync, decompress, decompressAsync } from '../../../lambda/raster/cog/codec.ts';
import { bytesPerSample, isFloat } from '../../../lambda/raster/data-type.ts';
import { deflateRuns } from '../../../lambda/raster/kernels/deflate-kernels.ts';
import { COMPRESSIONS, DATA_TYPES, type DataType } from '../../../lambda/raster/types.ts';
import { seededRandom } from '../../support/cog-images.ts';
import { type Bytes, noisyFloats } from '../kernels/float-planes.ts';

/** Samples as predictors leave them, longer than a block of DEFLATE: small differences, noise and gaps by turns. */
const random = seededRandom(11);
const bytes = Uint8Array.from({ length: 200_000 }, (_, i) =>
  (i >> 10) % 3 === 0 ? 0 : Math.floor(random() * ((i >> 9) % 2 === 0 ? 256 : 5)),
);

/** Samples of a row of the block. */
const ROW = 500;
const LEVEL_1 = ({ length }: Bytes) => ({
  params: { [constants.ZSTD_c_compressionLevel]: 1 },
  pledgedSrcSize: length,
});

const cases = DATA_TYPES.flatMap((dataType) => COMPRESSIONS.map((compression) => [dataType, compression] as const));

describe('compression of a block', () => {
  it.each(cases)(
    'of %s with %s gives the same bytes at once and later, and they come back',
    async (dataType, compression) => {
      const block = { dataType, compression, rowSamples: ROW };
      const packed = compress(bytes, block);
      expect(Buffer.compare(await compressAsync(bytes, block), packed)).toBe(0);
      expect(Buffer.compare(decompress(packed, compression, bytes.length), bytes)).toBe(0);
      expect(Buffer.compare(await decompressAsync(packed, compression, bytes.length), bytes)).toBe(0);
    },
  );

  it.each(['all zeros', 'noise', 'half of each', 'a short period', 'one byte'])(
    'of a float32 block of 512 px of %s gives the same bytes with ZSTD at once and later',
    async (kind) => {
      const noise = seededRandom(5);
      const lengths: Record<string, number> = { 'one byte': 1 };
      const block = Uint8Array.from({ length: lengths[kind] ?? 512 * 512 * 4 }, (_, i) => {
        if (kind === 'all zeros' || (kind === 'half of each' && i < 512 * 512 * 2)) return 0;
        return kind === 'a short period' && i % 1000 > 20 ? i % 1000 : Math.floor(noise() * 256);
      });
      const searched = { dataType: 'float64', compression: 'zstd', rowSamples: ROW } as const;
      const packed = compress(block, searched);
      expect(Buffer.compare(await compressAsync(block, searched), packed)).toBe(0);
      expect(Buffer.compare(decompress(packed, 'zstd', block.length), block)).toBe(0);
    },
  );

  it('searches for matches where DEFLATE is of integers of more than 8 bits, and nowhere else', () => {
    const searched = Buffer.from(deflateSync(bytes, { level: 4 }));
    const unsearched = Buffer.from(deflateRuns(bytes));
    expect(searched.equals(unsearched)).toBe(false);
    const deflated = (dataType: DataType) => compress(bytes, { dataType, compression: 'deflate', rowSamples: ROW });
    const searches = DATA_TYPES.filter((type) => searched.equals(deflated(type)));
    const others = DATA_TYPES.filter((type) => unsearched.equals(deflated(type)));
    expect(searches).toEqual(DATA_TYPES.filter((type) => !isFloat(type) && bytesPerSample(type) > 1));
    expect([...searches, ...others].toSorted()).toEqual([...DATA_TYPES].toSorted());
  });

  it('searches for matches where ZSTD is of anything but float32 whose lower bytes are noise', () => {
    const noisy = noisyFloats(16, ROW);
    const searched = (pixels: Bytes) => Buffer.from(zstdCompressSync(pixels, LEVEL_1(pixels)));
    const zstd = (pixels: Bytes, dataType: DataType) =>
      compress(pixels, { dataType, compression: 'zstd', rowSamples: ROW });
    expect(DATA_TYPES.filter((type) => !searched(noisy).equals(zstd(noisy, type)))).toEqual(['float32']);
    expect(DATA_TYPES.filter((type) => !searched(bytes).equals(zstd(bytes, type)))).toEqual([]);
  });
});
