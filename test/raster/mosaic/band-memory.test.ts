import { expect, it } from '@jest/globals';
import { BandMemory } from '../../../lambda/raster/mosaic/band-memory.ts';

it('lends an array again once it is back, for lengths that differ by a few pixels too', () => {
  const memory = new BandMemory('float32');
  const first = memory.take(1025 * 1025);
  expect(memory.take(1025 * 1025).buffer).not.toBe(first.buffer);
  memory.give([first]);
  const again = memory.take(1026 * 1026);
  expect(again.buffer).toBe(first.buffer);
  expect(again).toBeInstanceOf(Float32Array);
  expect(again).toHaveLength(1026 * 1026);
});

it('keeps long arrays for those who need them', () => {
  const memory = new BandMemory('uint16');
  const long = memory.take(1_000_000);
  memory.give([long]);
  expect(memory.take(400_000).buffer).not.toBe(long.buffer);
  expect(memory.take(600_000).buffer).toBe(long.buffer);
});
