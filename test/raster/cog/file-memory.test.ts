import { describe, expect, it } from '@jest/globals';
import { FileMemory } from '../../../lambda/raster/cog/file-memory.ts';

/** Four blocks of five bytes, framed, behind a header of `header` bytes. */
const fileOf = (expectedHeader: number, expectedBlocks: number, header: number): Uint8Array => {
  const file = new FileMemory(expectedHeader, expectedBlocks);
  for (const byte of [1, 2, 3, 4]) file.append(new Uint8Array(5).fill(byte));
  return file.finish(new Uint8Array(header).fill(255));
};

describe('A file in memory', () => {
  it('has its header in front of its blocks, each behind its size and before its last four bytes', () => {
    const file = new FileMemory(2, 100);
    file.append(Uint8Array.of(1, 2, 3, 4, 5, 6));
    expect([...file.finish(Uint8Array.of(8, 9))]).toEqual([8, 9, 6, 0, 0, 0, 1, 2, 3, 4, 5, 6, 3, 4, 5, 6]);
  });

  it.each([
    [7, 1000, 'more than there is'],
    [7, 0, 'less than there is'],
    [5, 1000, 'a shorter header'],
    [20, 1000, 'a longer header'],
    [0, 0, 'nothing'],
  ])('is the same where %i and %i bytes were expected: %s', (header, blocks) => {
    expect(fileOf(header, blocks, 7)).toEqual(fileOf(7, 52, 7));
  });
});
