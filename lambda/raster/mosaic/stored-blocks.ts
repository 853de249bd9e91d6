import type { BlockFormat } from '../cog/block.ts';
import { encodeBlockAsync } from '../cog/block.ts';
import { FRAME_BYTES, LEADER_BYTES, frameBlock } from '../cog/layout.ts';
import type { PixelArray } from '../types.ts';
import type { LevelBlocks } from './block-table.ts';
import { IN_SCRATCH } from './block-table.ts';
import { ByteMemory } from './byte-memory.ts';
import type { Scratch } from './mosaic-request.ts';
import { release } from '../release.ts';

/** Encodes blocks and puts them into the scratch. Entropy coding runs on libuv's threads. */
export class BlockStore {
  readonly #format: BlockFormat;
  readonly #scratch: Scratch;
  readonly #memory = new ByteMemory();
  #stored = 0;

  constructor(format: BlockFormat, scratch: Scratch) {
    this.#format = format;
    this.#scratch = scratch;
  }

  /** Blocks that were stored. */
  get stored(): number {
    return this.#stored;
  }

  /** Stores `packed`, which it may change, as a block of a level, and notes its place there. */
  async put(level: LevelBlocks, block: number, packed: PixelArray): Promise<void> {
    const planes = this.#memory.take(packed.byteLength);
    const bytes = await encodeBlockAsync(this.#format, packed, planes);
    this.#memory.give(planes);
    const framed = frameBlock(bytes, this.#memory.take(bytes.length + FRAME_BYTES));
    // What is not compressed is the block itself.
    if (bytes.buffer !== packed.buffer) release(bytes);
    const { offset } = await this.#scratch.append(framed);
    this.#memory.give(framed);
    level.blockBytes[block] = framed.length - FRAME_BYTES;
    level.offsets[block] = offset + LEADER_BYTES;
    level.source[block] = IN_SCRATCH;
    this.#stored++;
  }
}
