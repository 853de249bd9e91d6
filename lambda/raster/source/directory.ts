import { GeoTIFF } from 'geotiff';
import { SourceError } from '../../errors.ts';
import type { ByteRange } from '../types.ts';
import type { DirectoryMap } from './directory-walk.ts';
import type { RangeSource } from './range-source.ts';
import { FIELD_TYPE_BYTES, tagName } from './tags.ts';

type ParsedDirectory = Awaited<ReturnType<GeoTIFF['requestIFD']>>;

/** One image file directory's tags, as numbers and texts. */
export interface Directory {
  readonly file: string;
  readonly littleEndian: boolean;
  has(tag: number): boolean;
  /** A tag's single value, or its first one; undefined where the tag is absent or is no number. */
  number(tag: number): Promise<number | undefined>;
  /** All of a tag's values; empty where the tag is absent. */
  numbers(tag: number): Promise<readonly number[]>;
  /** An ASCII tag without its closing zero; undefined where it is absent. */
  text(tag: number): Promise<string | undefined>;
}

/**
 * Parses the directories that `walkDirectories` has proved to be sound, in its order.
 *
 * @throws SourceError where geotiff.js cannot parse one
 */
export async function parseDirectories(source: RangeSource, map: DirectoryMap): Promise<readonly Directory[]> {
  try {
    const tiff = await GeoTIFF.fromSource(source);
    // By offset: the parser's own chain walk has no guard against loops and does not know sub-directories.
    const parsed = await Promise.all(map.offsets.map((offset) => tiff.parser.parseFileDirectoryAt(offset)));
    return parsed.map((directory) => new GeotiffDirectory(directory, source, map.littleEndian));
  } catch (error) {
    throw asSourceError(source.name, 'its image directories cannot be parsed', error);
  }
}

/** Makes a SourceError of what geotiff.js throws (the language's own errors); a reader's errors pass unchanged. */
function asSourceError(file: string, trait: string, error: unknown): unknown {
  const parser = error instanceof Error && ['Error', 'TypeError', 'RangeError'].includes(error.name);
  if (!parser || 'code' in error) return error;
  return new SourceError(file, `${trait} (${error.message})`, { cause: error });
}

class GeotiffDirectory implements Directory {
  readonly littleEndian: boolean;
  readonly #directory: ParsedDirectory;
  readonly #source: RangeSource;
  readonly #arrays = new Map<number, Promise<readonly number[]>>();

  constructor(directory: ParsedDirectory, source: RangeSource, littleEndian: boolean) {
    this.#directory = directory;
    this.#source = source;
    this.littleEndian = littleEndian;
  }

  get file(): string {
    return this.#source.name;
  }

  has(tag: number): boolean {
    return this.#directory.hasTag(tag);
  }

  async number(tag: number): Promise<number | undefined> {
    return (await this.numbers(tag))[0];
  }

  numbers(tag: number): Promise<readonly number[]> {
    const held = this.#arrays.get(tag);
    if (held !== undefined) return held;
    const loaded = this.#load(tag).then((value) => toNumbers(value));
    this.#arrays.set(tag, loaded);
    // A read that failed is asked again: the object store may be back.
    loaded.catch(() => this.#arrays.delete(tag));
    return loaded;
  }

  async text(tag: number): Promise<string | undefined> {
    const value = await this.#load(tag);
    if (typeof value !== 'string') return undefined;
    return value.replace(/\0[\s\S]*$/, '');
  }

  async #load(tag: number): Promise<unknown> {
    const deferred = this.#directory.deferredArrays.get(tag);
    if (deferred !== undefined) {
      const { arrayOffset, fieldType, length } = deferred;
      const size = FIELD_TYPE_BYTES[fieldType] ?? 0;
      return this.#bigEndianSafe({ offset: arrayOffset, length: size * length }, fieldType);
    }
    try {
      const value: unknown = await this.#directory.loadValue(tag);
      return value;
    } catch (error) {
      throw asSourceError(this.file, `${tagName(tag)} cannot be read`, error);
    }
  }

  /** geotiff.js reads deferred arrays as little-endian whatever the file is: block offsets of large files come out wrong. */
  async #bigEndianSafe(range: ByteRange, type: number): Promise<readonly number[]> {
    const bytes = await this.#source.metadata(range);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const size = FIELD_TYPE_BYTES[type] ?? 1;
    const read = valueReader(view, type, this.littleEndian);
    return Array.from({ length: range.length / size }, (_, index) => read(index * size));
  }
}

function valueReader(view: DataView, type: number, littleEndian: boolean): (at: number) => number {
  switch (type) {
    case 3:
      return (at) => view.getUint16(at, littleEndian);
    case 4:
    case 13:
      return (at) => view.getUint32(at, littleEndian);
    case 12:
      return (at) => view.getFloat64(at, littleEndian);
    case 11:
      return (at) => view.getFloat32(at, littleEndian);
    case 16:
    case 18:
      return (at) => Number(view.getBigUint64(at, littleEndian));
    default:
      return (at) => view.getUint8(at);
  }
}

function toNumbers(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value];
  if (Array.isArray(value)) return value.map(Number);
  if (value instanceof Uint8Array || value instanceof Uint16Array || value instanceof Uint32Array) return [...value];
  if (value instanceof Float64Array || value instanceof Float32Array) return [...value];
  return [];
}
