import { SourceError } from '../../errors.ts';
import type { RangeSource } from './range-source.ts';
import { describeForeignBytes } from './foreign-bytes.ts';
import { FIELD_TYPE_BYTES, TAG, tagName } from './tags.ts';

/** More directories than any pyramid has; beyond it the file is taken for a damaged one. */
const DIRECTORY_LIMIT = 4096;
/**
 * The arrays that tags point to may overlap, so that many of them claim a small file over and over; together they are
 * at most this many times the file's size. Sound files stay below once.
 */
const ARRAYS_LIMIT = 4;
const TRUNCATED = 'the file is damaged or was not copied whole; fetch it again';

/** Where a TIFF's image file directories lie. */
export interface DirectoryMap {
  readonly littleEndian: boolean;
  readonly bigTiff: boolean;
  /** Byte offsets of the directories: the chain in its order, then the sub-directories of the first one. */
  readonly offsets: readonly number[];
}

/**
 * Follows the chain of image file directories before anything is parsed, and proves that it ends, that every
 * directory and every array that a tag points to lies inside the file. After it a parser can neither loop nor
 * allocate more than a few times what the file is long.
 *
 * @throws SourceError for an empty file, what is no TIFF (saying what it is), a chain that loops, or anything that lies outside the file
 */
export async function walkDirectories(source: RangeSource, signal?: AbortSignal): Promise<DirectoryMap> {
  if (source.fileSize === 0) {
    throw new SourceError(source.name, 'is empty (0 bytes)', {
      remedy: 'fetch it again; it was not downloaded or copied whole',
    });
  }
  const header = await source.metadata({ offset: 0, length: 16 }, signal);
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  const order = header.length < 4 ? 0 : view.getUint16(0);
  const littleEndian = order === 0x4949;
  const magic = header.length < 4 ? 0 : view.getUint16(2, littleEndian);
  if ((!littleEndian && order !== 0x4d4d) || (magic !== 42 && magic !== 43)) {
    throw new SourceError(source.name, `is not a TIFF: ${describeForeignBytes(header)}`, {
      remedy: 'give a GeoTIFF; other rasters convert with gdal_translate -of COG IN OUT.tif',
    });
  }
  const bigTiff = magic === 43;
  if (header.length < (bigTiff ? 16 : 8)) {
    throw new SourceError(source.name, `ends inside its ${header.length}-byte header`, { remedy: TRUNCATED });
  }
  const walk = new Walk(source, littleEndian, bigTiff, signal);
  const first = bigTiff ? Number(view.getBigUint64(8, littleEndian)) : view.getUint32(4, littleEndian);
  if (first === 0) throw new SourceError(source.name, 'holds no image: its header points to no directory', {});
  return { littleEndian, bigTiff, offsets: await walk.run(first) };
}

class Walk {
  readonly #source: RangeSource;
  readonly #littleEndian: boolean;
  readonly #bigTiff: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #offsets: number[] = [];
  #subDirectories: number[] = [];
  #arrayBytes = 0;

  constructor(source: RangeSource, littleEndian: boolean, bigTiff: boolean, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#littleEndian = littleEndian;
    this.#bigTiff = bigTiff;
    this.#signal = signal;
  }

  async run(first: number): Promise<readonly number[]> {
    for (let next = first; next !== 0;) next = await this.#directory(next);
    for (const offset of this.#subDirectories) await this.#directory(offset);
    return this.#offsets;
  }

  /** Checks one directory and returns the offset of the next one, 0 at the chain's end. */
  async #directory(offset: number): Promise<number> {
    const { name } = this.#source;
    const ordinal = this.#offsets.length;
    if (this.#offsets.includes(offset)) {
      throw new SourceError(name, `the chain of image directories loops: directory ${ordinal} is one met before`, {
        remedy: TRUNCATED,
      });
    }
    if (ordinal >= DIRECTORY_LIMIT) {
      throw new SourceError(name, `has more than ${DIRECTORY_LIMIT} image directories`, { remedy: TRUNCATED });
    }
    this.#offsets.push(offset);
    const countBytes = this.#bigTiff ? 8 : 2;
    const entryBytes = this.#bigTiff ? 20 : 12;
    const nextBytes = this.#bigTiff ? 8 : 4;
    const head = await this.#view(offset, countBytes, `directory ${ordinal}`);
    const entries = this.#bigTiff ? this.#big(head, 0) : head.getUint16(0, this.#littleEndian);
    const body = await this.#view(offset + countBytes, entries * entryBytes + nextBytes, `directory ${ordinal}`);
    for (let entry = 0; entry < entries; entry++) await this.#entry(body, entry * entryBytes);
    return this.#pointer(body, entries * entryBytes);
  }

  async #entry(body: DataView, at: number): Promise<void> {
    const tag = body.getUint16(at, this.#littleEndian);
    const type = body.getUint16(at + 2, this.#littleEndian);
    const count = this.#pointer(body, at + 4);
    const size = FIELD_TYPE_BYTES[type] ?? 0;
    if (size === 0) throw new SourceError(this.#source.name, `${tagName(tag)} has the unknown field type ${type}`, {});
    const bytes = size * count;
    const inline = bytes <= (this.#bigTiff ? 8 : 4);
    const valueAt = at + (this.#bigTiff ? 12 : 8);
    if (!inline) this.#countArray(this.#pointer(body, valueAt), bytes, tag);
    if (tag !== TAG.SubIfds || this.#offsets.length !== 1) return;
    if (count > DIRECTORY_LIMIT) throw new SourceError(this.#source.name, `has ${count} sub-directories`, {});
    if (size < 4) throw new SourceError(this.#source.name, `${tagName(tag)} has the field type ${type}, no offset`, {});
    const values = inline ? body : await this.#view(this.#pointer(body, valueAt), bytes, tagName(tag));
    for (let index = 0; index < count; index++) {
      const position = (inline ? valueAt : 0) + index * size;
      const wide = size === 8;
      this.#subDirectories.push(wide ? this.#big(values, position) : values.getUint32(position, this.#littleEndian));
    }
  }

  #countArray(offset: number, bytes: number, tag: number): void {
    const { name, fileSize } = this.#source;
    this.#requireInside(offset, bytes, tagName(tag));
    this.#arrayBytes += bytes;
    if (this.#arrayBytes <= fileSize * ARRAYS_LIMIT) return;
    throw new SourceError(name, `its tags claim more than ${ARRAYS_LIMIT} times the file's ${fileSize} bytes`, {
      remedy: TRUNCATED,
    });
  }

  #requireInside(offset: number, length: number, what: string): void {
    const { name, fileSize } = this.#source;
    if (offset + length > fileSize) {
      const text = `${what} lies outside the file (bytes ${offset} to ${offset + length} of ${fileSize})`;
      throw new SourceError(name, text, { remedy: TRUNCATED });
    }
  }

  async #view(offset: number, length: number, what: string): Promise<DataView> {
    this.#requireInside(offset, length, what);
    const bytes = await this.#source.metadata({ offset, length }, this.#signal);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  #pointer(view: DataView, at: number): number {
    return this.#bigTiff ? this.#big(view, at) : view.getUint32(at, this.#littleEndian);
  }

  #big(view: DataView, at: number): number {
    return Number(view.getBigUint64(at, this.#littleEndian));
  }
}
