import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ARENA_START, arenaOf, kernels } from '../../../lambda/raster/kernels/arena.ts';
import { joinFloats, splitFloats, undoDifferences } from '../../../lambda/raster/kernels/predictor-kernels.ts';
import { convertRect } from '../../../lambda/raster/kernels/sample-kernels.ts';
import { anyOddNan, storeFloats } from '../../../lambda/raster/kernels/store-kernels.ts';
import { bilinearVector, warpPlanes } from '../../../lambda/raster/kernels/warp-planes.ts';

/** Whether one kernel's function does on `n` samples in one row what it should. */
type Trial = (n: number) => boolean;

const TRIALS: Readonly<Record<string, Trial>> = {
  'undo differences': (n) => {
    const bytes = new Uint8Array(n).fill(1);
    undoDifferences(bytes, 8, 1, n, 1);
    return bytes.every((value, i) => value === ((i + 1) & 255));
  },
  'split and join floats': (n) => {
    const samples = Float32Array.from({ length: n }, (_, i) => i * 0.1);
    const bytes = new Uint8Array(n * 4);
    splitFloats(samples, bytes, n);
    joinFloats(bytes, 1, n);
    return new Float32Array(bytes.buffer).every((value, i) => value === samples[i]);
  },
  'convert samples': (n) => {
    const target = new Float32Array(n);
    const rect = { width: n, height: 1, from: 0, step: 1, fromRow: n, to: 0, toRow: n };
    convertRect(
      Uint16Array.from({ length: n }, (_, i) => i),
      rect,
      [{ pixels: target, sample: 0, nodata: null }],
    );
    return target.every((value, i) => value === (i & 0xffff));
  },
  'store floats': (n) => {
    const few = Math.min(n, 4096);
    const pixels = new Float32Array(few);
    const values = Float64Array.from({ length: few }, (_, i) => i);
    const statistics = storeFloats(values, few, pixels, 0, { nodata: NaN, nudged: NaN, hole: NaN });
    return statistics?.max === few - 1 && pixels.every((value, i) => value === i);
  },
  'search for NaNs': (n) => !anyOddNan(new Float32Array(n).fill(NaN)),
  warp: (n) => {
    const rect = { x: 0, y: 0, width: n + 1, height: 2 };
    const bands = [1, 2].map((value) => new Float32Array(2 * (n + 1)).fill(value));
    const planes = warpPlanes(
      bands,
      rect,
      bands.map(() => new Float32Array(n)),
    );
    bilinearVector.run(planes, { x0: 0.75, dx: 1, ddx: 0, y0: 0.75, dy: 0, ddy: 0, first: 0 }, n, 0);
    return planes.targets.every((target, band) => target.length === n && target.every((value) => value === band + 1));
  },
};

const LARGE = 400_000;

describe('The memory of the kernels', () => {
  it('grows where a call needs more, and serves smaller calls of any kernel after that', () => {
    const before = kernels.memory.buffer.byteLength;
    expect(TRIALS['warp']?.(LARGE)).toBe(true);
    const grown = kernels.memory.buffer.byteLength;
    expect(grown).toBeGreaterThan(before + 3 * LARGE * 4);
    for (const [name, trial] of Object.entries(TRIALS)) expect([name, trial(17)]).toEqual([name, true]);
    expect(TRIALS['warp']?.(LARGE)).toBe(true);
    expect(kernels.memory.buffer.byteLength).toBe(grown);
  });

  it('is whole again for each call, whatever was called before and however large', () => {
    const calls = fc.array(fc.tuple(fc.constantFrom(...Object.keys(TRIALS)), fc.constantFrom(1, 2, 15, 1000, LARGE)), {
      minLength: 2,
      maxLength: 6,
    });
    fc.assert(
      fc.property(calls, (names) => {
        expect(names.map(([name, n]) => TRIALS[name]?.(n))).toEqual(names.map(() => true));
      }),
      { numRuns: 25 },
    );
  });

  it('is shown by views as long as what was asked for, and by no others once it has grown', () => {
    const before = arenaOf(16);
    const more = before.bytes.length + 1;
    const after = arenaOf(more);
    expect(after.bytes.length).toBeGreaterThanOrEqual(ARENA_START + more);
    expect(after.floats.length).toBe(after.bytes.length / 4);
    expect(after.doubles.length).toBe(after.bytes.length / 8);
    expect(before.bytes.length).toBe(0);
    expect(arenaOf(16)).toBe(after);
  });
});
