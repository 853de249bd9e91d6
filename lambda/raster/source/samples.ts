/* oxlint-disable typescript/no-unsafe-type-assertion --
   index reads that the loop's own bounds prove: `?? 0` in their place costs up to a third of the speed. */
import type { DataType, PixelArray } from '../types.ts';
import type { ImageLayout } from './image-layout.ts';
import { CorruptBlockError } from './corrupt-block.ts';
import { undoFloating, undoHorizontal } from './predictor.ts';

const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) =>
  [0, 1, 2, 3, 4, 5, 6, 7].reduce((sum, bit) => sum | (((byte >> bit) & 1) << (7 - bit)), 0),
);

/** Turns the bits of every byte round (FillOrder 2), in an own copy. */
export function reverseBits(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes, (byte) => REVERSED[byte] as number);
}

/**
 * Turns a decompressed block into samples of the machine's type: byte order, predictor, bits and half floats undone.
 *
 * @param bytes the block, in an own buffer, which is changed and may live on in the result
 * @param rows rows of the block that lie inside the image
 * @param exactNodata the file's nodata, to the last digit: the one 64-bit integer that may lie beyond 2^53
 * @returns rows x columns x samples
 * @throws CorruptBlockError for a 64-bit integer that a number cannot hold
 */
export function toSamples(
  decompressed: Uint8Array<ArrayBuffer>,
  layout: ImageLayout,
  rows: number,
  exactNodata: bigint | null,
): PixelArray {
  const { bits, format, blockSamples } = layout;
  const rowSamples = layout.blockWidth * blockSamples;
  const size = bits / 8;
  // Not slice(): a Buffer's is a view and would stay where it is.
  const bytes = decompressed.byteOffset % 8 === 0 ? decompressed : new Uint8Array(decompressed);
  const lerc = layout.compression === 34887;
  if (!layout.littleEndian && layout.predictor !== 3 && !lerc) swapBytes(bytes, bits);
  if (lerc) return view(layout.dataType, bytes);
  if (layout.predictor === 2) undoHorizontal(bytes, bits, rows, rowSamples, blockSamples);
  if (layout.predictor === 3) undoFloating(bytes, size, rows, rowSamples, blockSamples);
  if (format === 'float' && bits === 16)
    return fromHalfFloats(new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2));
  if (bits === 64 && format !== 'float') return fromBigIntegers(bytes, format, exactNodata);
  if (bits !== 8 && bits < 16) return fromPackedBits(bytes, bits, rows, rowSamples);
  return view(layout.dataType, bytes);
}

function swapBytes(bytes: Uint8Array<ArrayBuffer>, bits: number): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bits === 16) buffer.swap16();
  else if (bits === 32) buffer.swap32();
  else if (bits === 64) buffer.swap64();
}

type View = (buffer: ArrayBuffer, byteOffset: number, byteLength: number) => PixelArray;
const VIEWS: Readonly<Record<DataType, View>> = {
  uint8: (buffer, offset, length) => new Uint8Array(buffer, offset, length),
  int8: (buffer, offset, length) => new Int8Array(buffer, offset, length),
  uint16: (buffer, offset, length) => new Uint16Array(buffer, offset, length / 2),
  int16: (buffer, offset, length) => new Int16Array(buffer, offset, length / 2),
  uint32: (buffer, offset, length) => new Uint32Array(buffer, offset, length / 4),
  int32: (buffer, offset, length) => new Int32Array(buffer, offset, length / 4),
  float32: (buffer, offset, length) => new Float32Array(buffer, offset, length / 4),
  float64: (buffer, offset, length) => new Float64Array(buffer, offset, length / 8),
};

function view(dataType: DataType, { buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): PixelArray {
  return VIEWS[dataType](buffer, byteOffset, length);
}

/** IEEE 754 binary16. */
function fromHalfFloats(halves: Uint16Array): Float32Array<ArrayBuffer> {
  const out = new Float32Array(halves.length);
  for (let at = 0; at < halves.length; at++) {
    const half = halves[at] as number;
    const exponent = (half >> 10) & 31;
    const fraction = half & 1023;
    const sign = half & 0x8000 ? -1 : 1;
    if (exponent === 31) out[at] = fraction === 0 ? sign * Infinity : Number.NaN;
    else out[at] = exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
  }
  return out;
}

function fromBigIntegers(
  bytes: Uint8Array<ArrayBuffer>,
  format: ImageLayout['format'],
  exactNodata: bigint | null,
): Float64Array<ArrayBuffer> {
  const count = bytes.length / 8;
  const source =
    format === 'int'
      ? new BigInt64Array(bytes.buffer, bytes.byteOffset, count)
      : new BigUint64Array(bytes.buffer, bytes.byteOffset, count);
  const out = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const integer = source[at] as bigint;
    const value = Number(integer);
    if (!Number.isSafeInteger(value) && integer !== exactNodata) {
      throw new CorruptBlockError(
        `holds the 64-bit integer ${integer}, beyond 2^53, which no double can tell from its neighbours`,
        { damaged: false },
      );
    }
    out[at] = value;
  }
  return out;
}

/** Samples of 1 to 15 bits, most significant bit first, every row beginning at a byte. */
function fromPackedBits(
  bytes: Uint8Array,
  bits: number,
  rows: number,
  rowSamples: number,
): Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> {
  const out = bits < 8 ? new Uint8Array(rows * rowSamples) : new Uint16Array(rows * rowSamples);
  const rowBytes = Math.ceil((rowSamples * bits) / 8);
  const mask = (1 << bits) - 1;
  for (let row = 0; row < rows; row++) {
    let from = row * rowBytes;
    let accumulator = 0;
    let held = 0;
    for (let at = row * rowSamples; at < (row + 1) * rowSamples; at++) {
      while (held < bits) {
        accumulator = ((accumulator << 8) | (bytes[from++] as number)) & 0xff_ffff;
        held += 8;
      }
      held -= bits;
      out[at] = (accumulator >>> held) & mask;
    }
  }
  return out;
}
