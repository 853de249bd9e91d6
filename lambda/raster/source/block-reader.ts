import { SourceError } from '../../errors.ts';
import type { PixelArray } from '../types.ts';
import type { BlockRef } from './block-table.ts';
import { conversionLine, decompress } from './codecs.ts';
import { CorruptBlockError } from './corrupt-block.ts';
import type { StoredImage } from './pyramid.ts';
import type { RangeSource } from './range-source.ts';
import { reverseBits, toSamples } from './samples.ts';

/** Compressed bytes held at once by one call; a window that needs more is read in several batches. */
const BATCH_BYTES = 64 * 1024 * 1024;

interface KeptBlock {
  readonly samples: PixelArray;
  /** What it holds in memory: a tile's rows below the image are not in its samples, but in its buffer. */
  readonly bytes: number;
}

/** Fetches and decodes blocks; keeps the ones used last, up to a number of bytes, for the windows beside this one. */
export class BlockReader {
  readonly #source: RangeSource;
  readonly #cacheBytes: number;
  readonly #exactNodata: bigint | null;
  /** Oldest first: a Map keeps the order of insertion. */
  readonly #cache = new Map<string, KeptBlock>();
  #cached = 0;

  /**
   * @param cacheBytes upper bound of the decoded blocks that are kept
   * @param exactNodata the file's nodata to the last digit, see `toSamples`
   */
  constructor(source: RangeSource, cacheBytes: number, exactNodata: bigint | null) {
    this.#source = source;
    this.#cacheBytes = cacheBytes;
    this.#exactNodata = exactNodata;
  }

  /**
   * Hands every block to `use`, once and in any order: its samples, rows x columns x samples, or null where the file
   * leaves the block out. The samples are shared: read only.
   *
   * @throws SourceError naming the block that is damaged
   */
  async each(
    image: StoredImage,
    refs: readonly BlockRef[],
    use: (ref: BlockRef, samples: PixelArray | null) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    let batch: BlockRef[] = [];
    let bytes = 0;
    for (const ref of refs) {
      const held = this.#take(image, ref);
      if (ref.length === 0) use(ref, null);
      else if (held !== undefined) use(ref, held);
      else {
        batch.push(ref);
        bytes += ref.length;
      }
      if (bytes >= BATCH_BYTES) {
        await this.#readBatch(image, batch, use, signal);
        batch = [];
        bytes = 0;
      }
    }
    if (batch.length > 0) await this.#readBatch(image, batch, use, signal);
  }

  /** Forgets the blocks that are kept. */
  clear(): void {
    this.#cache.clear();
    this.#cached = 0;
  }

  async #readBatch(
    image: StoredImage,
    batch: readonly BlockRef[],
    use: (ref: BlockRef, samples: PixelArray) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const blocks = await this.#source.blocks(batch, signal);
    for (const [index, ref] of batch.entries()) {
      const bytes = blocks[index];
      if (bytes === undefined) continue;
      // Another call may have decoded it while this one waited for the bytes.
      const held = this.#take(image, ref);
      const samples = held ?? this.#decode(image, ref, bytes);
      if (held === undefined) this.#keep(image, ref, samples);
      use(ref, samples);
    }
  }

  #decode(image: StoredImage, ref: BlockRef, compressed: Uint8Array<ArrayBuffer>): PixelArray {
    const { layout } = image;
    const shape = {
      width: layout.blockWidth,
      height: ref.rows,
      samples: layout.blockSamples,
      byteLength: layout.rowBytes * ref.rows,
      lercCompression: layout.lercCompression,
      jpegTables: layout.jpegTables,
      ycbcr: layout.ycbcr,
    };
    try {
      const stored = layout.bitReversed ? reverseBits(compressed) : compressed;
      const bytes = decompress(layout.compression, stored, shape).subarray(0, ref.usedRows * layout.rowBytes);
      return toSamples(bytes, layout, ref.usedRows, this.#exactNodata);
    } catch (error) {
      if (!(error instanceof CorruptBlockError)) throw error;
      const place = `block ${ref.index} (${layout.width} x ${layout.height} px image, column ${ref.x}, row ${ref.y})`;
      throw new SourceError(layout.file, `${place} cannot be decoded: ${error.message}`, {
        ...(layout.planar && { band: ref.plane + 1 }),
        remedy: error.damaged
          ? 'the file is damaged or was not copied whole; fetch it again'
          : conversionLine(layout.file),
        cause: error,
      });
    }
  }

  #take(image: StoredImage, ref: BlockRef): PixelArray | undefined {
    const key = `${image.id}/${ref.index}`;
    const kept = this.#cache.get(key);
    if (kept === undefined) return undefined;
    this.#cache.delete(key);
    this.#cache.set(key, kept);
    return kept.samples;
  }

  #keep(image: StoredImage, ref: BlockRef, samples: PixelArray): void {
    const bytes = Math.max(samples.byteLength, image.layout.rowBytes * ref.rows);
    if (bytes > this.#cacheBytes) return;
    this.#cache.set(`${image.id}/${ref.index}`, { samples, bytes });
    this.#cached += bytes;
    for (const [key, oldest] of this.#cache) {
      if (this.#cached <= this.#cacheBytes) break;
      this.#cache.delete(key);
      this.#cached -= oldest.bytes;
    }
  }
}
