import { describe, expect, it } from '@jest/globals';
import { PixelMemoryLender, pagedBuffer } from '../../lambda/raster/pixel-memory.ts';
import { release } from '../../lambda/raster/release.ts';

describe('Lent memory', () => {
  it('is apart for all that is taken at once, in either type', () => {
    using memory = new PixelMemoryLender().lend();
    const arrays = [1, 999, 1001, 3].map((length, i) => memory.take(i % 2 === 0, length).fill(i));
    expect(arrays.map(({ length }) => length)).toEqual([1, 999, 1001, 3]);
    expect(arrays.map((array) => array.constructor.name)).toEqual([
      'Float64Array',
      'Float32Array',
      'Float64Array',
      'Float32Array',
    ]);
    for (const [i, array] of arrays.entries()) expect(array.every((value) => value === i)).toBe(true);
  });

  it('is apart for two who have it at once, and the same for one after another', () => {
    const lender = new PixelMemoryLender();
    const bufferOf = (): ArrayBuffer => {
      using memory = lender.lend();
      return memory.take(false, 10).buffer;
    };
    const first = lender.lend();
    const other = bufferOf();
    expect(first.take(false, 10).buffer).not.toBe(other);
    expect(bufferOf()).toBe(other);
  });

  it('grows by what does not fit, and serves it again', () => {
    const lender = new PixelMemoryLender();
    const large = 40 * 1024 * 1024;
    const buffersOf = (): ArrayBuffer[] => {
      using memory = lender.lend();
      return [memory.take(false, 10).buffer, memory.take(true, large / 8).buffer, memory.take(false, 10).buffer];
    };
    const buffers = buffersOf();
    expect(buffers[1]?.byteLength).toBeGreaterThanOrEqual(large);
    expect(new Set(buffers).size).toBe(3);
    expect(buffersOf()).toEqual(buffers);
  });

  it('is given back but for what is lent', () => {
    const lender = new PixelMemoryLender();
    using kept = lender.lend();
    const pixels = kept.take(false, 10).fill(7);
    let idle: ArrayBuffer;
    {
      using memory = lender.lend();
      idle = memory.take(false, 10).buffer;
    }
    lender.release();
    expect(idle.byteLength).toBe(0);
    expect(pixels.every((value) => value === 7)).toBe(true);
    using again = lender.lend();
    expect(again.take(false, 10)).toHaveLength(10);
  });
});

describe('A large window’s turn', () => {
  it('comes in the order in which it was asked for, each after the one before has ended', async () => {
    const lender = new PixelMemoryLender();
    const events: string[] = [];
    const window = async (name: string): Promise<void> => {
      using _turn = await lender.turn();
      events.push(`${name} begins`);
      await new Promise(setImmediate);
      events.push(`${name} ends`);
    };
    const failing = async (): Promise<void> => {
      using _turn = await lender.turn();
      throw new Error('lease lost');
    };
    const outcomes = await Promise.allSettled([window('a'), failing(), window('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });
});

describe('Released memory', () => {
  it('is gone at once', () => {
    const array = new Float32Array(1 << 18);
    release(array);
    expect(array).toHaveLength(0);
  });

  it('is left where others may share the buffer', () => {
    const pooled = Uint8Array.from([1, 2, 3]);
    release(pooled);
    expect(pooled).toHaveLength(3);
  });
});

it('a large buffer has pages of its own, a small one only what was asked for', () => {
  expect(pagedBuffer(1000).byteLength).toBe(1000);
  expect(pagedBuffer(5 << 20).byteLength).toBeGreaterThan(32 << 20);
  expect(pagedBuffer(50 << 20).byteLength).toBe(50 << 20);
});
