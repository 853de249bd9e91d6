import fc from 'fast-check';
import { seededRandom } from '../../support/cog-images.ts';

/** Widths of which some are less than a vector of 16, some whole vectors and some leave a tail of any length. */
export const widths = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(7, 8, 9, 15, 16, 17, 31, 32, 33, 64));

export const seeds = fc.integer({ min: 1, max: 1 << 30 });

/** Bytes of every value. */
export const randomBytes = (length: number, seed: number): Uint8Array<ArrayBuffer> => {
  const random = seededRandom(seed);
  return Uint8Array.from({ length }, () => Math.floor(random() * 256));
};

/** Bits of both zeros, the smallest and the largest subnormals and normals, infinities and NaNs of several kinds. */
export const UNUSUAL_FLOATS = [
  0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
  0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0x7fffffff, 0xffa5a5a5,
] as const;

/** Floats of any bits, every third of them unusual; they begin `start` floats into their buffer. */
export const randomFloats = (length: number, seed: number, start = 0): Float32Array<ArrayBuffer> => {
  const random = seededRandom(seed);
  const words = Uint32Array.from({ length: start + length }, () =>
    random() < 1 / 3
      ? (UNUSUAL_FLOATS[Math.floor(random() * UNUSUAL_FLOATS.length)] ?? 0)
      : Math.floor(random() * 2 ** 32),
  );
  return new Float32Array(words.buffer, start * 4, length);
};

/** A copy that stands `start` bytes into its buffer, between bytes that show whether they were written to. */
export const amid = (bytes: Uint8Array, start: number): Uint8Array<ArrayBuffer> => {
  const around = new Uint8Array(start + bytes.length + MARGIN).fill(GUARD);
  around.set(bytes, start);
  return around.subarray(start, start + bytes.length);
};

/** Whether all bytes of the buffer that are not the array's are as `amid` left them. */
export const isAmidstUntouched = (bytes: Uint8Array<ArrayBuffer>): boolean => {
  const around = new Uint8Array(bytes.buffer);
  const end = bytes.byteOffset + bytes.length;
  return around.every((byte, at) => (at >= bytes.byteOffset && at < end) || byte === GUARD);
};

const MARGIN = 40;
const GUARD = 0xa7;

export const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Position of the first element whose bits differ, also those of NaNs and zeros; -1: there is none. */
export const firstDifference = <
  T extends Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer> | Uint8Array<ArrayBuffer>,
>(
  actual: T,
  expected: T,
): number => {
  if (actual.length !== expected.length) return Math.min(actual.length, expected.length);
  const [a, b] = [bytesOf(actual), bytesOf(expected)];
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at < 0 ? -1 : Math.floor(at / actual.BYTES_PER_ELEMENT);
};

/** Position of the first number that differs, -0 from 0 as well; NaNs are alike, whatever their bits; -1: there is none. */
export const firstOther = (actual: ArrayLike<number>, expected: ArrayLike<number>): number => {
  if (actual.length !== expected.length) return Math.min(actual.length, expected.length);
  for (let at = 0; at < actual.length; at++) if (!Object.is(actual[at], expected[at])) return at;
  return -1;
};

/** The same array with the lowest bit of one element turned. */
export const altered = <T extends ArrayBufferView<ArrayBuffer> & { readonly BYTES_PER_ELEMENT: number }>(
  array: T,
  index: number,
): T => {
  const at = index * array.BYTES_PER_ELEMENT;
  const bytes = bytesOf(array);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return array;
};
