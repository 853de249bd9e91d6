import { expect, it } from '@jest/globals';
import { ScratchFullError, openScratch } from '../../lambda/assemble/scratch.ts';

it('gives back what was put, in any order', async () => {
  await using scratch = await openScratch({ mostBytes: 100 });
  const first = await scratch.append(new Uint8Array([1, 2, 3]));
  const second = await scratch.append(new Uint8Array([4]));
  expect([...(await scratch.read(second.offset, second.length))]).toEqual([4]);
  expect([...(await scratch.read(first.offset, first.length))]).toEqual([1, 2, 3]);
  await expect(scratch.read(2, 10)).rejects.toThrow(RangeError);
});

it('never grows beyond its bound, and says what to do', async () => {
  await using scratch = await openScratch({ mostBytes: 4 });
  await scratch.append(new Uint8Array(3));
  await expect(scratch.append(new Uint8Array(2))).rejects.toThrow(ScratchFullError);
  await scratch.append(new Uint8Array(1));
});
