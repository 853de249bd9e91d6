import { ARENA_START, aligned, arenaOf, kernels } from './arena.ts';
import { lendPlanes, planesOf } from './plane-memory.ts';

/** As the kernel asks: room for itself, and what a row may take beyond its own bytes. */
const WORK_BYTES = 16 * 1024;
const ROW_BYTES = 160;
const FEWEST_COLUMNS = 128;
const MOST_COLUMNS = 8191;
/** The kernels' memory never shrinks: larger blocks, those beyond 1,024 px, are somebody else's. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Magic number, and a descriptor that says: one segment, its size in four bytes, no checksum (RFC 8878, section 3.1.1). */
const HEADER = [0x28, 0xb5, 0x2f, 0xfd, 0xa0] as const;
const SIZE_BYTES = 4;

/**
 * A Zstandard frame of rows of float32 after the floating point predictor, whose lower bytes are noise; null where they are
 * not, where rows are so short that a block for each costs too much, and where there are too many. The same on every machine.
 *
 * @param bytes rows x 4 planes x columns
 */
export const zstdFloats = (bytes: Uint8Array<ArrayBuffer>, columns: number): Uint8Array<ArrayBuffer> | null => {
  if (columns < FEWEST_COLUMNS || columns > MOST_COLUMNS || bytes.length > MOST_BYTES) return null;
  const rows = bytes.length / (4 * columns);
  const most = bytes.length + rows * ROW_BYTES + 4 * columns;
  using lease = lendPlanes();
  const planes = planesOf([bytes]);
  const beside = planes === null ? null : lease.take(false, Math.ceil(most / 4));
  if (planes !== null && beside !== null) {
    const { byteOffset: out } = beside;
    return frameOf(
      bytes,
      planes.bytes,
      out,
      planes.kernels.zstdFloatRows(bytes.byteOffset, rows, columns, out, ARENA_START),
    );
  }
  const block = aligned(ARENA_START + WORK_BYTES);
  const out = aligned(block + bytes.length);
  const { bytes: held } = arenaOf(out + most);
  held.set(bytes, block);
  return frameOf(bytes, held, out, kernels.zstdFloatRows(block, rows, columns, out, ARENA_START));
};

/** Blocks with a frame around them. @param end 0 where there are none */
const frameOf = (
  { length }: Uint8Array<ArrayBuffer>,
  held: Uint8Array<ArrayBuffer>,
  start: number,
  end: number,
): Uint8Array<ArrayBuffer> | null => {
  if (end === 0) return null;
  const frame = new Uint8Array(HEADER.length + SIZE_BYTES + end - start);
  frame.set(HEADER);
  new DataView(frame.buffer).setUint32(HEADER.length, length, true);
  frame.set(held.subarray(start, end), HEADER.length + SIZE_BYTES);
  return frame;
};
