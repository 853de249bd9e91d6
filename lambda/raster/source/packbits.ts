import { CorruptBlockError } from './corrupt-block.ts';

/**
 * Decodes PackBits (TIFF 6.0, section 9).
 *
 * @param size bytes of the decoded block; what follows them is padding
 * @throws CorruptBlockError where the data end before `size` bytes are there
 */
export function decodePackBits(source: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(size);
  let at = 0;
  let filled = 0;
  while (filled < size) {
    const header = source[at++];
    if (header === undefined) throw new CorruptBlockError(`ends after ${filled} of ${size} bytes`);
    if (header === 128) continue;
    const count = Math.min(header < 128 ? header + 1 : 257 - header, size - filled);
    if (header < 128) {
      if (at + count > source.length) throw new CorruptBlockError(`ends after ${filled} of ${size} bytes`);
      out.set(source.subarray(at, at + count), filled);
      at += header + 1;
    } else {
      const value = source[at++];
      if (value === undefined) throw new CorruptBlockError(`ends after ${filled} of ${size} bytes`);
      out.fill(value, filled, filled + count);
    }
    filled += count;
  }
  return out;
}
