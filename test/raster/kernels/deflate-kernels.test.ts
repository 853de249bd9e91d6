import { constants, deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { arenaOf } from '../../../lambda/raster/kernels/arena.ts';
import { deflateRuns } from '../../../lambda/raster/kernels/deflate-kernels.ts';
import { splitFloats } from '../../../lambda/raster/kernels/predictor-kernels.ts';
import { seededRandom } from '../../support/cog-images.ts';
import { randomBytes, seeds } from './bits.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** A block of DEFLATE that is stored holds as many at most. */
const BLOCK = 65_535;
/** zlib's header and checksum. */
const AROUND = 6;

const comesBack = (bytes: Bytes): boolean => Buffer.compare(inflateSync(deflateRuns(bytes)), bytes) === 0;

/** Null where zlib refuses it. */
const inflated = (bytes: Bytes): Bytes | null => {
  try {
    return inflateSync(bytes);
  } catch {
    return null;
  }
};

/** How the first block is coded: 0 stored, 1 with the fixed codes, 2 with its own. */
const firstBlockType = (bytes: Bytes): number => ((deflateRuns(bytes)[2] ?? 0) >> 1) & 3;

/** Each byte as often as its count says, in an order that looks random. */
const shuffled = (counts: readonly number[], seed = 1): Bytes => {
  const bytes = Uint8Array.from(counts.flatMap((count, value) => Array<number>(count).fill(value)));
  const random = seededRandom(seed);
  for (let i = bytes.length - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1));
    [bytes[i], bytes[other]] = [bytes[other] ?? 0, bytes[i] ?? 0];
  }
  return bytes;
};

/** Rows of floats that change slowly but for noise, as they are before compression. */
const floatPlanes = (rows: number, columns: number): Bytes => {
  const random = seededRandom(rows);
  const floats = Float32Array.from(
    { length: rows * columns },
    (_, i) => Math.sin(i / 500) / 2 + Math.round(random() * 1000) / 20_000,
  );
  const planes = new Uint8Array(floats.byteLength);
  splitFloats(floats, planes, columns);
  return planes;
};

const fewerThan = (length: number): fc.Arbitrary<number> => fc.integer({ min: 1, max: length });

/** Stretches of noise, of few values, of runs, and of what came before, one after another. */
const stretches = fc
  .array(fc.tuple(fc.constantFrom('noise', 'few values', 'run', 'pairs'), fewerThan(3000), seeds), { maxLength: 60 })
  .map((parts) =>
    parts.map(([kind, length, seed]) => {
      if (kind === 'run') return new Uint8Array(length).fill(seed);
      const bytes = randomBytes(length, seed);
      if (kind === 'few values') return bytes.map((value) => (value < 200 ? 0 : value & 3));
      return kind === 'pairs' ? bytes.map((_, i) => bytes[i - (i % 4)] ?? 0) : bytes;
    }),
  )
  .map((parts) => new Uint8Array(Buffer.concat(parts)));

describe('DEFLATE without a search', () => {
  it('gives back what it was given, whatever that is made of', () => {
    fc.assert(
      fc.property(stretches, (bytes) => {
        expect(comesBack(bytes)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('takes nothing, one byte, and a few', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(comesBack(new Uint8Array(bytes))).toBe(true);
      }),
    );
    expect([0, 1, 2, 3, 4, 5].filter((length) => !comesBack(new Uint8Array(length).fill(7)))).toEqual([]);
  });

  it('takes runs of every length, at the start, between other bytes and at the end', () => {
    const lengths = [...Array(300).keys(), 515, 516, 517, 518, 519, 520, 521, 774, 1000];
    const at = (before: number, length: number, after: number): Bytes =>
      Uint8Array.from({ length: before + length + after }, (_, i) =>
        i < before || i >= before + length ? 1 + (i % 2) : 9,
      );
    const places: readonly (readonly [before: number, after: number])[] = [
      [0, 0],
      [0, 70],
      [61, 3],
      [64, 0],
      [100, 100],
    ];
    const lost = places.flatMap(([before, after]) => lengths.filter((length) => !comesBack(at(before, length, after))));
    expect(lost).toEqual([]);
  });

  it('takes lengths around those of its blocks, runs across them included', () => {
    const lengths = [1, 2, 3].flatMap((blocks) => [-2, -1, 0, 1, 2, 64].map((more) => blocks * BLOCK + more));
    const kinds: readonly ((length: number) => Bytes)[] = [
      (length) => randomBytes(length, length),
      (length) => new Uint8Array(length).fill(255),
      (length) => Uint8Array.from({ length }, (_, i) => (i >> 9) * 37),
    ];
    expect(kinds.flatMap((kind) => lengths.filter((length) => !comesBack(kind(length))))).toEqual([]);
  });

  it('limits the words of counts that would have them longer than DEFLATE can say', () => {
    // The end of a block is the symbol that is there once besides.
    const fibonacci = [1, 2];
    while (fibonacci.length < 21) fibonacci.push((fibonacci.at(-1) ?? 0) + (fibonacci.at(-2) ?? 0));
    const bytes = shuffled(fibonacci);
    expect(bytes.length).toBeLessThan(BLOCK);
    expect(firstBlockType(bytes)).toBe(2);
    expect(comesBack(bytes)).toBe(true);
    expect(comesBack(shuffled(fibonacci.toReversed(), 2))).toBe(true);
  });

  it('limits the words that say the lengths of its words', () => {
    // So many words of each length, and so many gaps between them, that Huffman's code of these has words of 8 bits, where
    // 7 can be said.
    const words = Object.entries({ 3: 1, 4: 1, 5: 3, 6: 34, 7: 13, 8: 21, 13: 5, 14: 53 });
    const lengths = words.flatMap(([length, count]) => Array<number>(count).fill(Number(length)));
    const counts = lengths.flatMap((_, i) => {
      const length = lengths[(i * 37) % lengths.length] ?? 0;
      const gap = i % 16 === 15 ? 15 : 0;
      return [2 ** (14 - length), ...Array<number>(i === 15 ? 20 : gap).fill(0)];
    });
    expect(counts.length).toBe(256);
    const bytes = shuffled(counts);
    expect(firstBlockType(bytes)).toBe(2);
    expect(comesBack(bytes)).toBe(true);
  });

  it('takes planes of floats, no larger than zlib makes them of runs', () => {
    const planes = floatPlanes(256, 512);
    const zlibs = deflateSync(planes, { level: 6, strategy: constants.Z_RLE });
    expect(comesBack(planes)).toBe(true);
    expect(deflateRuns(planes).length).toBeLessThan(zlibs.length * 1.003);
  });

  it('has literals rather than short runs where these cost less', () => {
    const random = seededRandom(3);
    const edges = Uint8Array.from({ length: 200_000 }, () => (random() < 0.08 ? 1 + Math.floor(random() * 4) : 0));
    const zlibs = deflateSync(edges, { level: 6, strategy: constants.Z_RLE });
    expect(comesBack(edges)).toBe(true);
    expect(deflateRuns(edges).length).toBeLessThan(zlibs.length * 0.95);
  });

  it('stores noise, uses the fixed codes for a few bytes, and makes next to nothing of one value', () => {
    const noise = randomBytes(3 * BLOCK, 5);
    expect(firstBlockType(noise)).toBe(0);
    expect(deflateRuns(noise).length).toBeLessThanOrEqual(noise.length + 3 * 6 + AROUND);
    expect(firstBlockType(Uint8Array.of(1, 2, 3))).toBe(1);
    expect(deflateRuns(new Uint8Array(1 << 20)).length).toBeLessThan((1 << 20) / 800);
  });

  it('ends with the checksum that zlib computes', () => {
    fc.assert(
      fc.property(fewerThan(20_000), fc.constantFrom(0, 1, 254, 255), seeds, (length, value, seed) => {
        for (const bytes of [new Uint8Array(length).fill(value), randomBytes(length, seed)]) {
          expect(Array.from(deflateRuns(bytes).slice(-4))).toEqual(Array.from(deflateSync(bytes).subarray(-4)));
        }
      }),
    );
  });

  it('depends neither on what the memory held before nor on what is compressed after', () => {
    const bytes = floatPlanes(64, 512);
    const first = deflateRuns(bytes);
    const copy = first.slice();
    arenaOf(300_000).bytes.fill(0xa5);
    expect(Buffer.compare(deflateRuns(bytes), copy)).toBe(0);
    deflateRuns(randomBytes(100_000, 9));
    expect(Buffer.compare(first, copy)).toBe(0);
  });

  it('reads no byte outside the view that it is given', () => {
    const planes = floatPlanes(8, 512);
    const inside = new Uint8Array(planes.length + 200).fill(planes[0] ?? 0);
    inside.set(planes, 100);
    const view = inside.subarray(100, 100 + planes.length);
    expect(Buffer.compare(deflateRuns(view), deflateRuns(planes))).toBe(0);
  });

  it('is never taken for other data where a bit of it changed, and not at all where that is one of the checksum', () => {
    const bytes = floatPlanes(8, 512);
    const deflated = deflateRuns(bytes);
    const refused = new Set<number>();
    const mistaken: number[] = [];
    // A few bits do not matter: those after the last block's end, and whether a long run's second part repeats one byte or
    // the same one twice.
    const readDamaged = (bit: number): void => {
      const damaged = deflated.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const read = inflated(damaged);
      if (read === null) refused.add(bit);
      else if (Buffer.compare(read, bytes) !== 0) mistaken.push(bit);
    };
    const bits = deflated.length * 8;
    for (let bit = 16; bit < bits; bit += 97) readDamaged(bit);
    expect(refused.size).toBeGreaterThan(bits / 100);
    for (let bit = bits - 32; bit < bits; bit++) readDamaged(bit);
    expect(mistaken).toEqual([]);
    expect(Array.from({ length: 32 }, (_, i) => bits - 32 + i).filter((bit) => !refused.has(bit))).toEqual([]);
  });
});
