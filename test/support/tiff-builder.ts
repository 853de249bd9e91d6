/** Makes small raw TIFFs byte by byte, the right ones and the broken ones that no library would write. */

export type TiffValue =
  | { readonly type: 'ascii'; readonly text: string }
  | { readonly type: 'short' | 'long' | 'double'; readonly values: readonly number[] };

export const short = (...values: number[]): TiffValue => ({ type: 'short', values });
export const long = (...values: number[]): TiffValue => ({ type: 'long', values });
export const double = (...values: number[]): TiffValue => ({ type: 'double', values });
export const ascii = (text: string): TiffValue => ({ type: 'ascii', text });

export interface TiffImage {
  /** By tag number; block offsets and byte counts are added. */
  readonly tags: Readonly<Record<number, TiffValue>>;
  /** In the file's order; null: left out (offset and count 0). */
  readonly blocks: readonly (Uint8Array | null)[];
  /** False: leaves the byte counts out. */
  readonly byteCounts?: boolean;
  /** Images that hang below this one by the SubIFDs tag. */
  readonly subImages?: readonly TiffImage[];
}

export interface TiffOptions {
  readonly bigEndian?: boolean;
  /** Bytes put between the directories and the first block. */
  readonly padding?: number;
  /** Number of the image that the last directory's chain goes on to: a loop. */
  readonly loopTo?: number;
}

const TYPE = { ascii: 2, short: 3, long: 4, double: 12 } as const;
const SIZE = { ascii: 1, short: 2, long: 4, double: 8 } as const;

/** Header, directories with their arrays, sub-directories, then all blocks, image after image. */
export function buildTiff(images: readonly TiffImage[], options: TiffOptions = {}): Uint8Array<ArrayBuffer> {
  const chain = images.map((image) => image);
  const all = [...chain, ...chain.flatMap(({ subImages = [] }) => subImages)];
  // Two passes: the first finds out how long everything is.
  const sizes = all.map((image) => directoryBytes(image, 0, [], 0, !options.bigEndian).length);
  const starts = sizes.map((_, index) => 8 + sum(sizes.slice(0, index)));
  let blockAt = 8 + sum(sizes) + (options.padding ?? 0);
  const offsets = all.map((image) =>
    image.blocks.map((block) => (block === null ? 0 : (blockAt += block.length) - block.length)),
  );
  const out = new Uint8Array(blockAt);
  const view = new DataView(out.buffer);
  const little = !options.bigEndian;
  view.setUint16(0, little ? 0x4949 : 0x4d4d);
  view.setUint16(2, 42, little);
  view.setUint32(4, starts[0] ?? 0, little);
  for (const [index, image] of all.entries()) {
    const next = index < chain.length - 1 ? index + 1 : index === chain.length - 1 ? options.loopTo : undefined;
    const firstSub = chain.slice(0, index).flatMap(({ subImages = [] }) => subImages).length + chain.length;
    const subs = (image.subImages ?? []).map((_, sub) => starts[firstSub + sub] ?? 0);
    const withOffsets = { ...image, tags: { ...image.tags, ...(subs.length > 0 && { 330: long(...subs) }) } };
    const nextAt = next === undefined ? 0 : (starts[next] ?? 0);
    out.set(directoryBytes(withOffsets, starts[index] ?? 0, offsets[index] ?? [], nextAt, little), starts[index]);
    for (const [block, bytes] of image.blocks.entries()) if (bytes !== null) out.set(bytes, offsets[index]?.[block]);
  }
  return out;
}

function directoryBytes(
  image: TiffImage,
  start: number,
  offsets: readonly number[],
  next: number,
  little: boolean,
): Uint8Array {
  const tiled = image.tags[322] !== undefined;
  const tags: Record<number, TiffValue> = {
    ...(image.subImages !== undefined && { 330: long(...image.subImages.map(() => 0)) }),
    ...image.tags,
    [tiled ? 324 : 273]: long(...image.blocks.map((_, index) => offsets[index] ?? 0)),
  };
  if (image.byteCounts !== false) tags[tiled ? 325 : 279] = long(...image.blocks.map((block) => block?.length ?? 0));
  const entries = Object.entries(tags).toSorted(([a], [b]) => Number(a) - Number(b));
  const arrays: Uint8Array[] = [];
  const head = new DataView(new ArrayBuffer(2 + entries.length * 12 + 4));
  head.setUint16(0, entries.length, little);
  let arrayAt = start + head.byteLength;
  for (const [index, [tag, value]] of entries.entries()) {
    const at = 2 + index * 12;
    const bytes = valueBytes(value, little);
    head.setUint16(at, Number(tag), little);
    head.setUint16(at + 2, TYPE[value.type], little);
    head.setUint32(at + 4, bytes.length / SIZE[value.type], little);
    if (bytes.length <= 4) new Uint8Array(head.buffer).set(bytes, at + 8);
    else {
      head.setUint32(at + 8, arrayAt, little);
      const even = new Uint8Array(bytes.length + (bytes.length % 2));
      even.set(bytes);
      arrays.push(even);
      arrayAt += even.length;
    }
  }
  head.setUint32(head.byteLength - 4, next, little);
  return new Uint8Array(Buffer.concat([new Uint8Array(head.buffer), ...arrays]));
}

function valueBytes(value: TiffValue, little: boolean): Uint8Array {
  if (value.type === 'ascii') return new TextEncoder().encode(`${value.text}\0`);
  const view = new DataView(new ArrayBuffer(value.values.length * SIZE[value.type]));
  for (const [index, number] of value.values.entries()) {
    if (value.type === 'short') view.setUint16(index * 2, number, little);
    else if (value.type === 'long') view.setUint32(index * 4, number, little);
    else view.setFloat64(index * 8, number, little);
  }
  return new Uint8Array(view.buffer);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The tags of a plain image, to be spread and overridden. */
export function imageTags(
  width: number,
  height: number,
  bits: number,
  samples = 1,
  format = 1,
): Record<number, TiffValue> {
  return {
    256: long(width),
    257: long(height),
    258: short(...Array.from({ length: samples }, () => bits)),
    259: short(1),
    262: short(1),
    277: short(samples),
    278: long(height),
    339: short(...Array.from({ length: samples }, () => format)),
  };
}

/** The tags that lay an image on the ground: UTM 31N, 10 m pixels, its corner at 500000, 5000000. */
export const GEOREFERENCE: Readonly<Record<number, TiffValue>> = {
  33550: double(10, 10, 0),
  33922: double(0, 0, 0, 500_000, 5_000_000, 0),
  34735: short(1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32_631),
};

/** Numbers as the bytes of one sample type, in either byte order. */
export function sampleBytes(values: readonly number[], type: SampleKind, bigEndian = false): Uint8Array<ArrayBuffer> {
  const size = Number(type.replace(/\D+/, '')) / 8;
  const view = new DataView(new ArrayBuffer(values.length * size));
  for (const [index, value] of values.entries()) setSample(view, index * size, value, type, !bigEndian);
  return new Uint8Array(view.buffer);
}

export type SampleKind =
  | 'uint8'
  | 'int8'
  | 'uint16'
  | 'int16'
  | 'uint32'
  | 'int32'
  | 'uint64'
  | 'int64'
  | 'float32'
  | 'float64';

function setSample(view: DataView, at: number, value: number, type: SampleKind, little: boolean): void {
  if (type === 'uint8') view.setUint8(at, value);
  else if (type === 'int8') view.setInt8(at, value);
  else if (type === 'uint16') view.setUint16(at, value, little);
  else if (type === 'int16') view.setInt16(at, value, little);
  else if (type === 'uint32') view.setUint32(at, value, little);
  else if (type === 'int32') view.setInt32(at, value, little);
  else if (type === 'uint64') view.setBigUint64(at, BigInt(value), little);
  else if (type === 'int64') view.setBigInt64(at, BigInt(value), little);
  else if (type === 'float32') view.setFloat32(at, value, little);
  else view.setFloat64(at, value, little);
}
