import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readMerged } from '../../../lambda/engines/aws/read-merged.ts';

const whole = new Uint8Array(1_000_000).map((_, index) => (index * 31 + (index >> 9)) & 255);

const ranges = fc.array(
  fc.record({ offset: fc.integer({ min: 0, max: 900_000 }), length: fc.integer({ min: 0, max: 100_000 }) }),
  { maxLength: 20 },
);

describe('ranges read through merged requests', () => {
  it('give each range its own bytes, whatever the order and overlap', async () => {
    await fc.assert(
      fc.asyncProperty(ranges, async (wanted) => {
        const fetched = ({ offset, length }: { offset: number; length: number }) =>
          Promise.resolve(whole.slice(offset, offset + length));
        const parts = await readMerged(wanted, fetched, 4);
        for (const [index, { offset, length }] of wanted.entries()) {
          const part = parts[index] ?? new Uint8Array(1);
          expect(Buffer.compare(part, whole.subarray(offset, offset + length))).toBe(0);
          expect([part.byteOffset, part.buffer.byteLength]).toEqual([0, length]);
        }
        expect(new Set(parts.map(({ buffer }) => buffer)).size).toBe(parts.length);
      }),
      { numRuns: 50 },
    );
  });

  it('never have more requests under way than allowed', async () => {
    let [now, most] = [0, 0];
    const rows = Array.from({ length: 30 }, (_, index) => ({ offset: index * 1_000_000, length: 10 }));
    await readMerged(
      rows,
      async ({ length }) => {
        now += 1;
        most = Math.max(most, now);
        await Promise.resolve();
        now -= 1;
        return new Uint8Array(length);
      },
      3,
    );
    expect(most).toBe(3);
  });

  it('stop after a failure, and throw it when nothing runs any more', async () => {
    const rows = Array.from({ length: 30 }, (_, index) => ({ offset: index * 1_000_000, length: 10 }));
    let asked = 0;
    const failing = readMerged(
      rows,
      () => {
        asked += 1;
        return asked === 2 ? Promise.reject(new Error('second')) : Promise.resolve(new Uint8Array(10));
      },
      2,
    );
    await expect(failing).rejects.toThrow('second');
    expect(asked).toBeLessThan(6);
  });
});
