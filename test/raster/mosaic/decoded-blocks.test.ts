import { expect, it } from '@jest/globals';
import { type BlockFormat, encodeBlock } from '../../../lambda/raster/cog/block.ts';
import { LEADER_BYTES, FRAME_BYTES, frameBlock } from '../../../lambda/raster/cog/layout.ts';
import { BandMemory } from '../../../lambda/raster/mosaic/band-memory.ts';
import { type ReadRun, emptyLevel } from '../../../lambda/raster/mosaic/block-table.ts';
import { decodedLevel } from '../../../lambda/raster/mosaic/decoded-blocks.ts';

const SIDE = 1024;
const BLOCKS = 12;
const format: BlockFormat = {
  dataType: 'float64',
  bandCount: 1,
  blockSize: SIDE,
  compression: 'zstd',
  fill: null,
};

it('gives every block its pixels though fewer are kept than are asked for at a time', async () => {
  // Eight blocks of 8 MB are kept.
  const level = emptyLevel({ width: BLOCKS * SIDE, height: SIDE }, SIDE);
  const framed = Array.from({ length: BLOCKS }, (_, block) => {
    const bytes = encodeBlock(format, new Float64Array(SIDE * SIDE).fill(block + 1));
    return frameBlock(bytes, new Uint8Array(bytes.length + FRAME_BYTES));
  });
  for (const [block, { length }] of framed.entries()) {
    level.blockBytes[block] = length - FRAME_BYTES;
    level.offsets[block] = block * 1e6 + LEADER_BYTES;
  }
  let reads = 0;
  const readRun: ReadRun = async ({ offset }, target) => {
    reads++;
    target.set(framed[offset / 1e6] ?? []);
  };
  const decoded = decodedLevel(level, format, [], readRun, true);
  const memory = new BandMemory('float64');
  const twoAround = async (edge: number): Promise<number[]> => {
    const rect = { x: edge * SIDE - 1, y: 5, width: 2, height: 1 };
    return [...((await decoded.pixels(rect, memory))?.[0] ?? [])];
  };
  const edges = Array.from({ length: BLOCKS - 1 }, (_, i) => i + 1);
  const wanted = edges.map((edge) => [edge, edge + 1]);
  const there = edges.map(twoAround);
  const back = edges.toReversed().map(twoAround);
  expect(await Promise.all(there)).toEqual(wanted);
  expect((await Promise.all(back)).toReversed()).toEqual(wanted);
  expect(reads).toBeLessThan(2 * 2 * edges.length);

  decoded.forget();
  expect(await twoAround(3)).toEqual([3, 4]);
});
