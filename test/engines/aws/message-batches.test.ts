import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MOST_BATCH_BYTES, MOST_ENTRIES, batchesOf } from '../../../lambda/engines/aws/message-batches.ts';

describe('message batches', () => {
  it('hold every body once, in order, ten and 256 KiB at most', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: MOST_BATCH_BYTES / 2 }), { maxLength: 60 });
    fc.assert(
      fc.property(sizes, (lengths) => {
        const bodies = lengths.map((length, index) => 'é'.repeat(length / 2) + String(index));
        const batches = batchesOf(bodies);
        expect(batches.flat().map(({ body }) => body)).toEqual(bodies);
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(MOST_ENTRIES);
          expect(batch.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0)).toBeLessThanOrEqual(
            MOST_BATCH_BYTES,
          );
          expect(new Set(batch.map(({ id }) => id)).size).toBe(batch.length);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('are as few as the limits allow for small bodies', () => {
    expect(batchesOf(Array.from({ length: 400 }, () => '{}'))).toHaveLength(40);
    expect(batchesOf([])).toEqual([]);
  });
});
