import { SourceError } from '../../errors.ts';
import type { Directory } from './directory.ts';
import type { ImageLayout } from './image-layout.ts';
import { TAG } from './tags.ts';

/** Compressed data never grow beyond this many times the block's size, plus a header's worth. */
const GROWTH_LIMIT = 4;
const GROWTH_HEADROOM = 64 * 1024;

/** One block: where its bytes are and which pixels it holds. */
export interface BlockRef {
  /** Number of the block in its image, unique over planes. */
  readonly index: number;
  /** The plane where bands are stored apart, else 0. */
  readonly plane: number;
  /** Column and row of its first pixel. */
  readonly x: number;
  readonly y: number;
  /** Rows it holds once decompressed; a tile reaches past the image's edge, a strip does not. */
  readonly rows: number;
  /** Those of them that lie inside the image. */
  readonly usedRows: number;
  readonly offset: number;
  /** Bytes in the file; 0 for a block that a sparse file leaves out. */
  readonly length: number;
}

/** Where an image's blocks lie in its file. */
export class BlockTable {
  readonly #layout: ImageLayout;
  readonly #offsets: readonly number[];
  /** Null where the tag is missing. */
  readonly #counts: readonly number[] | null;
  readonly #fileSize: number;
  readonly #across: number;
  readonly #down: number;

  private constructor(
    layout: ImageLayout,
    offsets: readonly number[],
    counts: readonly number[] | null,
    fileSize: number,
  ) {
    this.#layout = layout;
    this.#offsets = offsets;
    this.#counts = counts;
    this.#fileSize = fileSize;
    this.#across = Math.ceil(layout.width / layout.blockWidth);
    this.#down = Math.ceil(layout.height / layout.blockHeight);
  }

  /**
   * Reads an image's block offsets and byte counts.
   *
   * @param fileSize bytes; no block may reach past them
   * @throws SourceError where they are missing or too few
   */
  static async load(directory: Directory, layout: ImageLayout, fileSize: number): Promise<BlockTable> {
    const offsets = await directory.numbers(layout.tiled ? TAG.TileOffsets : TAG.StripOffsets);
    const countsTag = layout.tiled ? TAG.TileByteCounts : TAG.StripByteCounts;
    const counts = directory.has(countsTag) ? await directory.numbers(countsTag) : null;
    const stored =
      Math.ceil(layout.width / layout.blockWidth) *
      Math.ceil(layout.height / layout.storedStripHeight) *
      (layout.planar ? layout.samples : 1);
    if (offsets.length < stored || (counts !== null && counts.length < stored)) {
      const text = `lists ${Math.min(offsets.length, counts?.length ?? Infinity)} blocks where its size makes ${stored}`;
      throw new SourceError(layout.file, text, { remedy: 'the file is damaged; fetch or make it again' });
    }
    if (counts === null && layout.compression !== 1 && stored > 1) {
      throw new SourceError(layout.file, 'is compressed but does not say how long its blocks are', {
        remedy: 'the file is damaged; fetch or make it again',
      });
    }
    return new BlockTable(layout, offsets, counts, fileSize);
  }

  /**
   * The block in a column and row of blocks, on one plane.
   *
   * @throws SourceError where its bytes reach past the end of the file or are absurdly many
   */
  at(column: number, row: number, plane: number): BlockRef {
    const layout = this.#layout;
    const { blockHeight, blocksPerStrip, tiled, rowBytes, height } = layout;
    const y = row * blockHeight;
    const usedRows = Math.min(blockHeight, height - y);
    const rows = tiled ? blockHeight : usedRows;
    const storedRow = Math.floor(row / blocksPerStrip);
    const storedDown = Math.ceil(this.#down / blocksPerStrip);
    const stored = (plane * storedDown + storedRow) * this.#across + column;
    const index = (plane * this.#down + row) * this.#across + column;
    const place = { index, plane, x: column * layout.blockWidth, y, rows, usedRows };
    const offset = this.#offsets[stored] ?? 0;
    const decoded = rows * rowBytes;
    const piece = (row % blocksPerStrip) * blockHeight * rowBytes;
    const single = layout.compression === 1 ? piece + decoded : this.#fileSize - offset;
    const length = this.#counts === null ? single : (this.#counts[stored] ?? 0);
    if (offset === 0 || length === 0) return { ...place, offset: 0, length: 0 };
    if (offset + length > this.#fileSize) {
      this.#refuse(index, `lies outside the file (bytes ${offset} to ${offset + length} of ${this.#fileSize})`);
    }
    if (layout.compression === 1) {
      if (piece + decoded > length) this.#refuse(index, `holds ${length} bytes where ${piece + decoded} belong`);
      return { ...place, offset: offset + piece, length: decoded };
    }
    if (this.#counts !== null && length > decoded * GROWTH_LIMIT + GROWTH_HEADROOM) {
      this.#refuse(index, `claims ${length} compressed bytes for a block of ${decoded}`);
    }
    return { ...place, offset, length };
  }

  #refuse(index: number, what: string): never {
    throw new SourceError(this.#layout.file, `block ${index} ${what}`, {
      remedy: 'the file is damaged or was not copied whole; fetch it again',
    });
  }
}
