import { describe, expect, it } from '@jest/globals';
import { forEachBounded, inOrder } from '../../../lambda/raster/mosaic/bounded.ts';

/** Lets everything else that is ready go first. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('bounded work', () => {
  it('has at most so many items under way, and does all of them', async () => {
    let [underWay, most] = [0, 0];
    const done: number[] = [];
    await forEachBounded([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      most = Math.max(most, ++underWay);
      for (let i = 0; i < item % 3; i++) await turn();
      underWay--;
      done.push(item);
    });
    expect(done.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(most).toBe(3);
  });

  it('begins nothing after a failure, and throws it when the rest has ended', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const work = forEachBounded([1, 2, 3, 4, 5], 2, async (item) => {
      begun.push(item);
      if (item === 2) throw new Error('two');
      await turn();
      ended.push(item);
    });
    await expect(work).rejects.toThrow('two');
    expect([begun, ended]).toEqual([[1, 2], [1]]);
  });
});

describe('work in order', () => {
  it('gives results in the order of the items, whichever is ready first', async () => {
    const results: number[] = [];
    const slowFirst = async (item: number): Promise<number> => {
      for (let i = item; i < 5; i++) await turn();
      return item * 10;
    };
    for await (const result of inOrder([1, 2, 3, 4, 5], 3, slowFirst)) results.push(result);
    expect(results).toEqual([10, 20, 30, 40, 50]);
  });

  it('throws the first failure, and leaves none of the others unhandled', async () => {
    const failing = (item: number): Promise<number> =>
      item > 1 ? Promise.reject(new Error(`item ${item}`)) : Promise.resolve(item);
    const consume = async (): Promise<void> => {
      for await (const result of inOrder([1, 2, 3, 4], 2, failing)) expect(result).toBe(1);
    };
    await expect(consume()).rejects.toThrow('item 2');
  });
});
