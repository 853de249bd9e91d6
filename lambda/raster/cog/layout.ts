/**
 * Where everything stands in a Cloud Optimized GeoTIFF, as GDAL's COG driver lays it out: header, ghost area, directories from
 * full resolution to the smallest overview, then blocks from the smallest overview to full resolution. Each block has its
 * size in front and its last four bytes repeated behind it. A sparse block has neither bytes nor offset.
 */
import { bytesPerSample } from '../data-type.ts';
import type { CogDescription } from './cog-image.ts';
import { COMPRESSION_TAGS, predictorTag } from './codec.ts';
import { gdalMetadata, gdalNodata } from './gdal-metadata.ts';
import { geoTags } from './geo-tags.ts';
import type { LevelSize } from './overview.ts';
import { levelSizes } from './overview.ts';
import { sampleType } from './sample-type.ts';
import type { TiffTag } from './tiff-tags.ts';
import { directoryBytes, textTag, writeDirectory, writeOffset } from './tiff-tags.ts';

/** Bytes in front of each block, and around each in all. */
export const LEADER_BYTES = 4;
export const FRAME_BYTES = 8;

/** The largest classic TIFF, bytes: its offsets have 32 bits. */
export const CLASSIC_TIFF_LIMIT = 2 ** 32 - 1;

export interface CogLayout {
  readonly bigTiff: boolean;
  /** Everything in front of the first block. */
  readonly header: Uint8Array<ArrayBuffer>;
  /** Size of the whole file, bytes. */
  readonly totalBytes: number;
}

const STRUCTURE =
  'LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\nBLOCK_LEADER=SIZE_AS_UINT4\n' +
  'BLOCK_TRAILER=LAST_4_BYTES_REPEATED\nKNOWN_INCOMPATIBLE_EDITION=NO\n ';
const GHOST_AREA = `GDAL_STRUCTURAL_METADATA_SIZE=${String(STRUCTURE.length).padStart(6, '0')} bytes\n${STRUCTURE}`;

/**
 * The header of a file whose compressed block sizes are known: `blockBytes` has one array a level, full resolution first, of each
 * block's bytes row by row, 0 for a sparse one. BigTIFF where the file would exceed `classicLimit` bytes.
 */
export function layoutCog(
  description: CogDescription,
  blockBytes: readonly Uint32Array[],
  classicLimit = CLASSIC_TIFF_LIMIT,
): CogLayout {
  const dataBytes = blockBytes.reduce((sum, sizes) => sum + levelBytes(sizes), 0);
  const classic = headerBytes(description, blockBytes, false);
  const bigTiff = classic + dataBytes > classicLimit;
  const length = bigTiff ? headerBytes(description, blockBytes, true) : classic;
  return {
    bigTiff,
    header: writeHeader(description, blockBytes, bigTiff, length),
    totalBytes: length + dataBytes,
  };
}

/** A block as it stands in the file: its size, its data, its last four bytes again. Written to `target`, which is just as long. */
export function frameBlock(block: Uint8Array<ArrayBuffer>, target: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  new DataView(target.buffer, target.byteOffset).setUint32(0, block.length, true);
  target.set(block, LEADER_BYTES);
  target.set(block.subarray(-4), LEADER_BYTES + block.length);
  return target;
}

/** Bytes that a level's blocks take with their leaders and trailers. */
function levelBytes(sizes: Uint32Array): number {
  return sizes.reduce((sum, bytes) => (bytes === 0 ? sum : sum + bytes + FRAME_BYTES), 0);
}

/** Offset of the first directory: behind the ghost area, even. */
function firstDirectory(bigTiff: boolean): number {
  const end = (bigTiff ? 16 : 8) + GHOST_AREA.length;
  return end + (end % 2);
}

function headerBytes(description: CogDescription, blockBytes: readonly Uint32Array[], bigTiff: boolean): number {
  const none = blockBytes.map((sizes) => new Float64Array(sizes.length));
  return directories(description, blockBytes, none, bigTiff).reduce(
    (sum, tags) => sum + directoryBytes(tags, bigTiff),
    firstDirectory(bigTiff),
  );
}

function writeHeader(
  description: CogDescription,
  blockBytes: readonly Uint32Array[],
  bigTiff: boolean,
  length: number,
): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(length);
  const view = new DataView(header.buffer);
  header.set(bigTiff ? [0x49, 0x49, 43, 0, 8, 0, 0, 0] : [0x49, 0x49, 42, 0]);
  writeOffset(view, bigTiff ? 8 : 4, firstDirectory(bigTiff), bigTiff);
  header.set(new TextEncoder().encode(GHOST_AREA), bigTiff ? 16 : 8);
  const all = directories(description, blockBytes, blockOffsets(blockBytes, length), bigTiff);
  let at = firstDirectory(bigTiff);
  for (const [level, tags] of all.entries()) {
    const end = at + directoryBytes(tags, bigTiff);
    writeDirectory(view, at, tags, bigTiff, level === all.length - 1 ? 0 : end);
    at = end;
  }
  return header;
}

/** Offsets of all blocks' data, level by level as `blockBytes` has them, when the smallest level begins at byte `start`. */
function blockOffsets(blockBytes: readonly Uint32Array[], start: number): Float64Array[] {
  const offsets = blockBytes.map((sizes) => new Float64Array(sizes.length));
  let at = start;
  for (const [level, sizes] of [...blockBytes.entries()].toReversed()) {
    const levelOffsets = offsets[level];
    for (const [block, bytes] of sizes.entries()) {
      if (bytes === 0 || levelOffsets === undefined) continue;
      levelOffsets[block] = at + LEADER_BYTES;
      at += bytes + FRAME_BYTES;
    }
  }
  return offsets;
}

function directories(
  description: CogDescription,
  blockBytes: readonly Uint32Array[],
  offsets: readonly Float64Array[],
  bigTiff: boolean,
): TiffTag[][] {
  return levelSizes(description, description.blockSize, description.halfBlockOverview).map((size, level) => [
    ...imageTags(description, size, level > 0),
    { tag: 324, type: bigTiff ? 'LONG8' : 'LONG', values: offsets[level] ?? [] },
    { tag: 325, type: 'LONG', values: blockBytes[level] ?? [] },
    ...sampleTags(description),
    ...(level > 0 ? [] : geoTags(description.grid.crs, description.grid.geotransform)),
    ...(level > 0 ? [] : [textTag(42_112, gdalMetadata(description))]),
    ...nodataTags(description),
  ]);
}

function imageTags(description: CogDescription, { width, height, blockSize }: LevelSize, reduced: boolean): TiffTag[] {
  const { bandCount, color, compression, dataType } = description;
  const predictor = predictorTag(compression, dataType);
  const tags: TiffTag[] = [
    { tag: 256, type: 'LONG', values: [width] },
    { tag: 257, type: 'LONG', values: [height] },
    { tag: 258, type: 'SHORT', values: Array<number>(bandCount).fill(8 * bytesPerSample(dataType)) },
    { tag: 259, type: 'SHORT', values: [COMPRESSION_TAGS[compression]] },
    { tag: 262, type: 'SHORT', values: [color === 'rgb' ? 2 : 1] },
    { tag: 277, type: 'SHORT', values: [bandCount] },
    { tag: 284, type: 'SHORT', values: [1] },
    { tag: 322, type: 'LONG', values: [blockSize] },
    { tag: 323, type: 'LONG', values: [blockSize] },
  ];
  if (predictor !== 1) tags.splice(7, 0, { tag: 317, type: 'SHORT', values: [predictor] });
  return reduced ? [{ tag: 254, type: 'LONG', values: [1] }, ...tags] : tags;
}

/** Which bands are beyond the colours: 2 is an unassociated alpha, 0 a band like any other. */
function sampleTags({ alpha, bandCount, color, dataType }: CogDescription): TiffTag[] {
  const extra = Array<number>(bandCount - (color === 'rgb' ? 3 : 1)).fill(0);
  if (alpha) extra[extra.length - 1] = 2;
  const format: TiffTag = {
    tag: 339,
    type: 'SHORT',
    values: Array<number>(bandCount).fill(sampleType(dataType).format),
  };
  return extra.length === 0 ? [format] : [{ tag: 338, type: 'SHORT', values: extra }, format];
}

function nodataTags(description: CogDescription): TiffTag[] {
  const nodata = gdalNodata(description);
  return nodata === null ? [] : [textTag(42_113, nodata)];
}
