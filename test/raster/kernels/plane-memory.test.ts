import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type PlaneLease, lendPlanes, planesOf } from '../../../lambda/raster/kernels/plane-memory.ts';
import type { FloatPixels } from '../../../lambda/raster/types.ts';

interface Taken {
  readonly lease: PlaneLease;
  readonly arrays: { readonly pixels: FloatPixels; readonly mark: number }[];
}

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('lend', 'take', 'take', 'take', 'give back'),
    wide: fc.boolean(),
    length: fc.constantFrom(1, 3, 17, 4096, 100_001, 2_000_000),
    which: fc.nat(),
  }),
  { maxLength: 40 },
);

describe('Planes', () => {
  it('are apart for all who have some, whoever gives back when', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const leases: Taken[] = [];
        let mark = 0;
        for (const { kind, wide, length, which } of taken) {
          const at = leases.length === 0 ? 0 : which % leases.length;
          const chosen = leases[at];
          if (kind === 'lend' || chosen === undefined) leases.push({ lease: lendPlanes(), arrays: [] });
          else if (kind === 'give back') {
            chosen.lease[Symbol.dispose]();
            leases.splice(at, 1);
          } else {
            const pixels = chosen.lease.take(wide, length);
            if (pixels !== null) chosen.arrays.push({ pixels: pixels.fill(++mark), mark });
          }
        }
        for (const { pixels, mark: own } of leases.flatMap(({ arrays }) => arrays)) {
          expect(pixels.every((value) => value === own)).toBe(true);
        }
        for (const { lease } of leases) lease[Symbol.dispose]();
      }),
      { numRuns: 100 },
    );
  });

  it('are taken from the same place again, and none where there is no room', () => {
    const positionOf = (length: number): number | null => {
      using lease = lendPlanes();
      return lease.take(true, length)?.byteOffset ?? null;
    };
    expect(positionOf(1_000_000)).toBe(positionOf(10));
    expect(positionOf(20_000_000)).toBeNull();
    expect(positionOf(10)).not.toBeNull();
  });

  it('are known as such, and nothing else is', () => {
    using lease = lendPlanes();
    const [a, b] = [lease.take(false, 10), lease.take(true, 10)];
    if (a === null || b === null) throw new RangeError('no room');
    expect(planesOf([a, b])?.floats.subarray(a.byteOffset / 4, a.byteOffset / 4 + 10)).toEqual(a);
    expect(planesOf([a, new Float32Array(10)])).toBeNull();
  });
});
