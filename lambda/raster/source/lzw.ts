/* oxlint-disable typescript/no-unsafe-type-assertion --
   index reads that the loop's own bounds prove: `?? 0` in their place costs up to a third of the speed. */
import { CorruptBlockError } from './corrupt-block.ts';

const CLEAR = 256;
const END = 257;
const FIRST = 258;
const TABLE = 4096;

/**
 * Decodes TIFF's LZW (TIFF 6.0, section 13: most significant bit first, code width raised one code early).
 *
 * A code's text always stands in the output already, so the table holds positions and lengths, not characters.
 *
 * @param size bytes of the decoded block; codes after them are not looked at
 * @throws CorruptBlockError for a code that is not in the table, data that end too early, or the old bit order
 */
export function decodeLzw(source: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  if (source[0] === 0 && ((source[1] ?? 0) & 1) === 1) {
    throw new CorruptBlockError('is LZW in the bit order of before 1989, which is not read');
  }
  const out = new Uint8Array(size);
  const starts = new Int32Array(TABLE);
  const lengths = new Int32Array(TABLE);
  let filled = 0;
  let at = 0;
  let accumulator = 0;
  let held = 0;
  let width = 9;
  let next = FIRST;
  let previousStart = -1;
  let previousLength = 0;
  while (filled < size) {
    while (held < width) {
      if (at >= source.length) throw new CorruptBlockError(`ends after ${filled} of ${size} bytes`);
      accumulator = ((accumulator << 8) | (source[at++] as number)) & 0xff_ffff;
      held += 8;
    }
    held -= width;
    const code = (accumulator >>> held) & ((1 << width) - 1);
    if (code === END) throw new CorruptBlockError(`ends after ${filled} of ${size} bytes`);
    if (code === CLEAR) {
      width = 9;
      next = FIRST;
      previousStart = -1;
      continue;
    }
    const start = filled;
    if (code < CLEAR) {
      out[filled++] = code;
    } else {
      // The code that is about to be defined stands for the previous text and its own first character.
      const defined = code < next;
      if (!defined && (code > next || previousStart < 0))
        throw new CorruptBlockError(`uses LZW code ${code}, not in its table`);
      let from = defined ? (starts[code] as number) : previousStart;
      const length = defined ? (lengths[code] as number) : previousLength + 1;
      const end = Math.min(filled + length, size);
      while (filled < end) out[filled++] = out[from++] as number;
    }
    if (previousStart >= 0 && next < TABLE) {
      starts[next] = previousStart;
      lengths[next] = previousLength + 1;
      next++;
      if (next + 1 >= 1 << width && width < 12) width++;
    }
    previousStart = start;
    previousLength = filled - start;
  }
  return out;
}
