import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openEmbeddedEngine } from '../../../lambda/engines/embedded/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('gives back what was put, in any order, and leaves no file even while it is open', async () => {
  using folder = temporaryFolder();
  using engine = openEmbeddedEngine(folder.path, { now: Date.now, maxReceives: 3 });
  await using scratch = await engine.openScratch();
  const texts = ['block 1', '', 'a longer block 2', 'x'.repeat(100_000)];
  const places = await Promise.all(texts.map((text) => scratch.append(Buffer.from(text))));
  const read = await Promise.all(places.toReversed().map((place) => scratch.read(place.offset, place.length)));
  expect(read.map((bytes) => Buffer.from(bytes).toString())).toEqual(texts.toReversed());
  const into = new Uint8Array(7);
  expect(await scratch.read(0, 7, into)).toBe(into);
  expect(Buffer.from(into).toString()).toBe('block 1');
  await expect(scratch.read(100_000, 1_000_000)).rejects.toThrow(RangeError);
  expect(readdirSync(join(folder.path, '.tileonce', 'tmp'))).toEqual([]);
});
