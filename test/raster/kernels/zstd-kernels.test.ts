import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { arenaOf } from '../../../lambda/raster/kernels/arena.ts';
import { lendPlanes } from '../../../lambda/raster/kernels/plane-memory.ts';
import { zstdFloats } from '../../../lambda/raster/kernels/zstd-kernels.ts';
import { seededRandom } from '../../support/cog-images.ts';
import { randomBytes, seeds } from './bits.ts';
import { type Bytes, noisyFloats, planesOf } from './float-planes.ts';

/** What a decoder of Zstandard makes of a frame; null where the kernel left the rows to another encoder. */
const back = (bytes: Bytes, columns: number): Bytes | null => {
  const frame = zstdFloats(bytes, columns);
  return frame && zstdDecompressSync(frame);
};

/** Rows of four planes: the upper two of bytes taken at random from some, the lower two noise. */
const rowsOf = (rows: number, columns: number, upper: Bytes, seed: number): Bytes => {
  const bytes = randomBytes(rows * columns * 4, seed);
  return bytes.map((value, i) =>
    i % (4 * columns) < 2 * columns ? (upper[((bytes[i + 1] ?? 0) << 8) | value] ?? 0) : value,
  );
};

/** 65,536 bytes, each value `base` times as rare as the one before: with words as long as the code allows, and beyond. */
const falling = (base: number): Bytes =>
  Uint8Array.from({ length: 65_536 }, (_, i) => Math.floor(-Math.log((i + 0.5) / 65_536) / Math.log(base)));

describe('Zstandard of noisy floats', () => {
  it('gives back rows of any number and width that it takes', () => {
    const sizes: readonly (readonly [rows: number, columns: number])[] = [
      [40, 128],
      [41, 129],
      [42, 130],
      [43, 131],
      [512, 512],
      [63, 512],
      [64, 512],
      [127, 513],
      [7, 4097],
      [9, 8191],
    ];
    for (const [rows, columns] of sizes) {
      const bytes = noisyFloats(rows, columns);
      const decoded = back(bytes, columns);
      expect([rows, columns, decoded === null || Buffer.compare(decoded, bytes)]).toEqual([rows, columns, 0]);
    }
  });

  it('gives back upper bytes of every distribution that it takes', () => {
    const none = new Uint8Array(0);
    const tables = [1.05, 1.2, 1.5, 2, 2.5, 3].map(falling);
    let taken = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 128, max: 600 }),
        fc.integer({ min: 0, max: tables.length - 1 }),
        fc.integer({ min: 0, max: 255 }),
        seeds,
        (rows, columns, table, shift, seed) => {
          const bytes = rowsOf(
            rows,
            columns,
            (tables[table] ?? none).map((value) => value + shift),
            seed,
          );
          const decoded = back(bytes, columns);
          if (decoded === null) return;
          taken++;
          expect(Buffer.compare(decoded, bytes)).toBe(0);
        },
      ),
      { numRuns: 100 },
    );
    expect(taken).toBeGreaterThan(30);
  });

  it('gives back rows that their code makes longer, as they are', () => {
    // One row of the group is noise above too, of bytes that the others make rare.
    const bytes = rowsOf(40, 256, falling(1.5), 3);
    bytes.set(randomBytes(512, 9), 20 * 1024);
    const decoded = back(bytes, 256);
    expect(decoded !== null && Buffer.compare(decoded, bytes) === 0).toBe(true);
  });

  it('makes at most a twentieth more than a search at level 1, where upper bytes repeat, and less where they do not', () => {
    const searched = (bytes: Bytes): number =>
      zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }).length;
    const repeating = noisyFloats(512, 512);
    expect(zstdFloats(repeating, 512)?.length).toBeLessThan(1.05 * searched(repeating));
    const changing = rowsOf(512, 512, falling(1.3), 1);
    expect(zstdFloats(changing, 512)?.length).toBeLessThan(searched(changing));
  });

  it('leaves to others what has more to find, or is too little to tell, or too much to hold', () => {
    const floats = (value: (i: number) => number): Bytes =>
      planesOf(
        Float32Array.from({ length: 256 * 256 }, (_, i) => value(i)),
        256,
      );
    const noise = seededRandom(4);
    const gaps = floats((i) => (i % 256 < 200 ? Number.NaN : noise()));
    const left = [
      floats((i) => i / 4),
      floats(() => 0.5),
      floats(() => Number.NaN),
      gaps,
      new Uint8Array(4 * 256 * 256),
    ];
    expect(left.map((bytes) => zstdFloats(bytes, 256))).toEqual(left.map(() => null));
    expect([zstdFloats(noisyFloats(8, 127), 127), zstdFloats(noisyFloats(1, 8192), 8192)]).toEqual([null, null]);
    expect([zstdFloats(noisyFloats(1, 128), 128), zstdFloats(noisyFloats(1025, 1024), 1024)]).toEqual([null, null]);
  });

  it('makes the same of rows that stand in planes', () => {
    const bytes = noisyFloats(90, 400);
    using lease = lendPlanes();
    const held = lease.take(false, bytes.length / 4);
    if (held === null) throw new RangeError('no room');
    const there = new Uint8Array(held.buffer, held.byteOffset, bytes.length);
    there.set(bytes);
    expect(zstdFloats(there, 400)).toEqual(zstdFloats(bytes, 400));
    expect(Buffer.compare(there, bytes)).toBe(0);
  });

  it('is not told by what was in its memory before', () => {
    const bytes = noisyFloats(100, 300);
    const first = zstdFloats(bytes, 300);
    arenaOf(4_000_000).bytes.fill(255, 1024, 4_000_000);
    expect(zstdFloats(bytes, 300)).toEqual(first);
  });
});
