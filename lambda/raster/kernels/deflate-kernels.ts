import { ARENA_START, aligned, arenaOf, kernels } from './arena.ts';

/** As long as a block of DEFLATE that is stored can be. */
const BLOCK_BYTES = 65_535;
/** As the kernel asks: room for itself, what it reads behind a block, and how much longer than its block output can be. */
const WORK_BYTES = 80 * 1024;
const READ_BEHIND = 64;
const LONGER = 6;
const WRITTEN_BEHIND = 8;

/** zlib's (RFC 1950): DEFLATE with a window of 32 KB, by an algorithm that was fast. */
const HEADER = [0x78, 0x5e] as const;
const CHECKSUM_BYTES = 4;

/**
 * Bytes in zlib's format, with no search for matches but runs of one byte. The same on every machine.
 *
 * @returns a view of a buffer that is little longer than `bytes`
 */
export const deflateRuns = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
  // Blocks as equal as can be, so that none is too short for the codes that it brings.
  const blocks = Math.max(1, Math.ceil(bytes.length / BLOCK_BYTES));
  const blockBytes = Math.ceil(bytes.length / blocks);
  const work = ARENA_START;
  // A byte before the block tells whether its first goes on with a run.
  const block = aligned(work + WORK_BYTES + 1);
  const out = aligned(block + blockBytes + READ_BEHIND);
  const { bytes: held } = arenaOf(out + blockBytes + LONGER + WRITTEN_BEHIND);
  held.fill(0, work, work + 16);
  held[block - 1] = ~(bytes[0] ?? 0);
  const deflated = new Uint8Array(HEADER.length + bytes.length + blocks * LONGER + CHECKSUM_BYTES);
  deflated.set(HEADER);
  let length: number = HEADER.length;
  let checksum = 1;
  for (let i = 0; i < blocks; i++) {
    const start = i * blockBytes;
    const part = bytes.subarray(start, start + blockBytes);
    if (i > 0) held[block - 1] = bytes[start - 1] ?? 0;
    held.set(part, block);
    checksum = kernels.adler32(checksum, block, part.length);
    const end = kernels.deflateBlock(block, part.length, i === blocks - 1 ? 1 : 0, out, work);
    deflated.set(held.subarray(out, end), length);
    length += end - out;
  }
  new DataView(deflated.buffer).setUint32(length, checksum);
  return deflated.subarray(0, length + CHECKSUM_BYTES);
};
