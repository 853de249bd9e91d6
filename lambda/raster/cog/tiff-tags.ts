/** Writing of TIFF image file directories, little-endian, classic and BigTIFF (TIFF 6.0 section 2; the BigTIFF design). */

const TYPES = {
  ASCII: { code: 2, bytes: 1 },
  SHORT: { code: 3, bytes: 2 },
  LONG: { code: 4, bytes: 4 },
  DOUBLE: { code: 12, bytes: 8 },
  LONG8: { code: 16, bytes: 8 },
} as const;

/** One field of a directory. ASCII values are bytes, with their closing NUL. */
export interface TiffTag {
  readonly tag: number;
  readonly type: keyof typeof TYPES;
  readonly values: ArrayLike<number>;
}

/** A text as an ASCII field; written in UTF-8, as GDAL reads it. */
export function textTag(tag: number, text: string): TiffTag {
  return { tag, type: 'ASCII', values: new TextEncoder().encode(`${text}\0`) };
}

/** Sizes that differ between classic TIFF and BigTIFF, bytes. */
function sizes(bigTiff: boolean) {
  return bigTiff ? { count: 8, entry: 20, inline: 8, offset: 8 } : { count: 2, entry: 12, inline: 4, offset: 4 };
}

function valueBytes({ type, values }: TiffTag): number {
  return TYPES[type].bytes * values.length;
}

/** Values that do not fit their entry stand behind the directory, each at an even offset. */
function arrayBytes(tag: TiffTag, bigTiff: boolean): number {
  const bytes = valueBytes(tag);
  return bytes <= sizes(bigTiff).inline ? 0 : bytes + (bytes % 2);
}

/** Bytes of a directory and of the arrays behind it; even. */
export function directoryBytes(tags: readonly TiffTag[], bigTiff: boolean): number {
  const { count, entry, offset } = sizes(bigTiff);
  return tags.reduce((sum, tag) => sum + arrayBytes(tag, bigTiff), count + tags.length * entry + offset);
}

/**
 * Writes a directory at byte `at` and its arrays right behind it. `tags` must be in ascending order; `next` is the offset of the
 * following directory, or 0. Returns the offset behind everything written.
 */
export function writeDirectory(
  file: DataView<ArrayBuffer>,
  at: number,
  tags: readonly TiffTag[],
  bigTiff: boolean,
  next: number,
): number {
  const { count, entry, inline, offset } = sizes(bigTiff);
  if (bigTiff) file.setBigUint64(at, BigInt(tags.length), true);
  else file.setUint16(at, tags.length, true);
  let field = at + count;
  let arrays = field + tags.length * entry + offset;
  for (const tag of tags) {
    file.setUint16(field, tag.tag, true);
    file.setUint16(field + 2, TYPES[tag.type].code, true);
    writeOffset(file, field + 4, tag.values.length, bigTiff);
    const value = field + entry - inline;
    if (arrayBytes(tag, bigTiff) === 0) {
      writeValues(file, value, tag);
    } else {
      writeOffset(file, value, arrays, bigTiff);
      writeValues(file, arrays, tag);
      arrays += arrayBytes(tag, bigTiff);
    }
    field += entry;
  }
  writeOffset(file, field, next, bigTiff);
  return arrays;
}

/** Writes an offset or a count: 4 bytes in classic TIFF, 8 in BigTIFF. */
export function writeOffset(file: DataView<ArrayBuffer>, at: number, value: number, bigTiff: boolean): void {
  if (bigTiff) file.setBigUint64(at, BigInt(value), true);
  else file.setUint32(at, value, true);
}

function writeValues(file: DataView<ArrayBuffer>, at: number, { type, values }: TiffTag): void {
  const { bytes } = TYPES[type];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    const to = at + i * bytes;
    if (type === 'ASCII') file.setUint8(to, value);
    else if (type === 'SHORT') file.setUint16(to, value, true);
    else if (type === 'LONG') file.setUint32(to, value, true);
    else if (type === 'DOUBLE') file.setFloat64(to, value, true);
    else file.setBigUint64(to, BigInt(value), true);
  }
}
