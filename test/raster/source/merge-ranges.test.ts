import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MERGE_GAP, MERGE_LIMIT, mergeRanges } from '../../../lambda/raster/source/merge-ranges.ts';

const ranges = fc.array(
  fc.record({ offset: fc.integer({ min: 0, max: 3 * MERGE_LIMIT }), length: fc.integer({ min: 0, max: 200_000 }) }),
  { maxLength: 30 },
);

describe('merged ranges', () => {
  it('join neighbours up to the gap, and no further than the limit', () => {
    const far = { offset: 100 + MERGE_GAP + 1, length: 10 };
    expect(mergeRanges([far, { offset: 0, length: 100 }])).toHaveLength(2);
    expect(
      mergeRanges([
        { ...far, offset: far.offset - 1 },
        { offset: 0, length: 100 },
      ]),
    ).toEqual([{ offset: 0, length: 100 + MERGE_GAP + 10, members: [1, 0] }]);
    const rows = Array.from({ length: 20 }, (_, index) => ({ offset: index * 1_000_000, length: 1_000_000 }));
    expect(mergeRanges(rows).every(({ length }) => length <= MERGE_LIMIT)).toBe(true);
    expect(mergeRanges(rows)).toHaveLength(3);
  });

  it('cover every range that is not empty, each by one of them', () => {
    fc.assert(
      fc.property(ranges, (wanted) => {
        const merged = mergeRanges(wanted);
        for (const [index, { offset, length }] of wanted.entries()) {
          const covering = merged.filter(({ members }) => members.includes(index));
          expect(covering).toHaveLength(length === 0 ? 0 : 1);
          for (const whole of covering) {
            expect(whole.offset <= offset && offset + length <= whole.offset + whole.length).toBe(true);
          }
        }
      }),
    );
  });

  it('stay as they are when merged once more', () => {
    fc.assert(
      fc.property(ranges, (wanted) => {
        const once = mergeRanges(wanted).map(({ offset, length }) => ({ offset, length }));
        expect(mergeRanges(once).map(({ offset, length }) => ({ offset, length }))).toEqual(once);
      }),
    );
  });
});
