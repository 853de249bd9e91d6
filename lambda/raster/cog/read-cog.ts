/** Reading of the directories of files that this project wrote: little-endian, classic or BigTIFF, tiled. */
import type { RangeReader, RasterSize } from '../types.ts';

/** A level's size and where its blocks stand; row by row, 0 bytes for a sparse block. */
export interface CogIndexLevel extends RasterSize {
  /** Columns and rows of a block, px. */
  readonly blockWidth: number;
  readonly blockHeight: number;
  readonly offsets: Float64Array;
  readonly blockBytes: Uint32Array;
}

/** What a file's directories say. */
export interface CogIndex {
  /** Full resolution first. */
  readonly levels: readonly CogIndexLevel[];
  readonly bandCount: number;
  readonly bitsPerSample: number;
  readonly sampleFormat: number;
  /** Values of the TIFF tags. */
  readonly compression: number;
  readonly predictor: number;
  /** The text of GDAL's metadata tag, or ''. */
  readonly metadata: string;
}

/** Read at first; holds the directories of all but very large files. */
const FIRST_READ_BYTES = 16_384;
const MAX_LEVELS = 64;

/** Index of a file, or null where its directories are not of the kind this project writes. One read for a tile, a few for a mosaic. */
export async function readCogIndex(reader: RangeReader, signal?: AbortSignal): Promise<CogIndex | null> {
  const bytes = headOf(reader, signal);
  const head = await bytes(0, 16);
  if (head === null || head.getUint16(0, true) !== 0x4949) return null;
  const version = head.getUint16(2, true);
  if (version !== 42 && version !== 43) return null;
  const bigTiff = version === 43;
  const directories: Directory[] = [];
  let next = bigTiff ? Number(head.getBigUint64(8, true)) : head.getUint32(4, true);
  while (next !== 0) {
    const directory = await readDirectory(bytes, next, bigTiff);
    if (directory === null || directories.length === MAX_LEVELS) return null;
    directories.push(directory);
    next = directory.next;
  }
  return toIndex(directories);
}

type Head = (offset: number, length: number) => Promise<DataView<ArrayBuffer> | null>;

/** Reads of a file's beginning, each byte fetched once; null beyond the file's end. */
function headOf(reader: RangeReader, signal?: AbortSignal): Head {
  let known = new Uint8Array(0);
  return async (offset, length) => {
    if (offset + length > reader.size) return null;
    if (offset + length > known.length) {
      const end = Math.min(reader.size, Math.max(offset + length, FIRST_READ_BYTES, 2 * known.length));
      const [more] = await reader.read([{ offset: known.length, length: end - known.length }], signal);
      const longer = new Uint8Array(end);
      longer.set(known);
      longer.set(more ?? [], known.length);
      known = longer;
    }
    return new DataView(known.buffer, offset, length);
  };
}

interface Directory {
  readonly tags: ReadonlyMap<number, Float64Array>;
  readonly next: number;
}

const TYPE_BYTES: Readonly<Record<number, number>> = { 2: 1, 3: 2, 4: 4, 12: 8, 16: 8 };
/** A directory has at most this many bytes of one tag: 2^31 blocks' offsets are not ours. */
const MAX_TAG_BYTES = 2 ** 28;

async function readDirectory(head: Head, at: number, bigTiff: boolean): Promise<Directory | null> {
  const countView = await head(at, bigTiff ? 8 : 2);
  if (countView === null) return null;
  const count = bigTiff ? Number(countView.getBigUint64(0, true)) : countView.getUint16(0, true);
  const [entryBytes, inline, offsetBytes] = bigTiff ? [20, 8, 8] : [12, 4, 4];
  const start = at + countView.byteLength;
  if (count > 4096) return null;
  const view = await head(start, count * entryBytes + offsetBytes);
  if (view === null) return null;
  const tags = new Map<number, Float64Array>();
  for (let i = 0; i < count; i++) {
    const entry = i * entryBytes;
    const type = view.getUint16(entry + 2, true);
    const values = readOffset(view, entry + 4, bigTiff);
    const size = TYPE_BYTES[type];
    if (size === undefined || values * size > MAX_TAG_BYTES) continue;
    const inPlace = values * size <= inline;
    const value = entry + entryBytes - inline;
    const data = inPlace
      ? await head(start + value, values * size)
      : await head(readOffset(view, value, bigTiff), values * size);
    if (data === null) return null;
    tags.set(view.getUint16(entry, true), readValues(data, type, values));
  }
  return { tags, next: readOffset(view, count * entryBytes, bigTiff) };
}

function readOffset(view: DataView, at: number, bigTiff: boolean): number {
  return bigTiff ? Number(view.getBigUint64(at, true)) : view.getUint32(at, true);
}

function readValues(data: DataView, type: number, count: number): Float64Array {
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    if (type === 2) values[i] = data.getUint8(i);
    else if (type === 3) values[i] = data.getUint16(2 * i, true);
    else if (type === 4) values[i] = data.getUint32(4 * i, true);
    else if (type === 12) values[i] = data.getFloat64(8 * i, true);
    else values[i] = Number(data.getBigUint64(8 * i, true));
  }
  return values;
}

function toIndex(directories: readonly Directory[]): CogIndex | null {
  const [main] = directories;
  if (main === undefined) return null;
  const levels: CogIndexLevel[] = [];
  for (const { tags } of directories) {
    const [width, height, offsets, sizes] = [tags.get(256)?.[0], tags.get(257)?.[0], tags.get(324), tags.get(325)];
    if (width === undefined || height === undefined || offsets === undefined || sizes === undefined) return null;
    const [blockWidth = 0] = tags.get(322) ?? [];
    const [blockHeight = 0] = tags.get(323) ?? [];
    levels.push({ width, height, blockWidth, blockHeight, offsets, blockBytes: Uint32Array.from(sizes) });
  }
  const text = Uint8Array.from(main.tags.get(42_112) ?? []);
  const first = (tag: number, otherwise: number): number => main.tags.get(tag)?.[0] ?? otherwise;
  return {
    levels,
    bandCount: first(277, 1),
    bitsPerSample: first(258, 1),
    sampleFormat: first(339, 1),
    compression: first(259, 1),
    predictor: first(317, 1),
    metadata: new TextDecoder().decode(text),
  };
}
