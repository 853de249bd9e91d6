import { SourceError } from '../../errors.ts';
import { release } from '../release.ts';
import type { PixelArray } from '../types.ts';
import type { BlockRef } from './block-table.ts';
import { conversionLine, decompress } from './codecs.ts';
import { CorruptBlockError } from './corrupt-block.ts';
import type { HeldBlock, HeldBlocks } from './held-blocks.ts';
import type { StoredImage } from './pyramid.ts';
import type { RangeSource } from './range-source.ts';
import { reverseBits, toSamples } from './samples.ts';

/** Compressed bytes held at once by one call; a window that needs more is read in several batches. */
const BATCH_BYTES = 64 * 1024 * 1024;

/**
 * What windows that are read in strips leave in a cache for those to the right of them, bytes. They are large themselves,
 * and what a worker has for them is not to stand beside what it had for small ones.
 */
const STRIPS_CACHE_BYTES = 8 * 1024 * 1024;

interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Where the call reads one strip of a window. */
  readonly held?: HeldBlocks | undefined;
}

interface KeptBlock {
  readonly samples: PixelArray;
  /** What it holds in memory: a tile's rows below the image are not in its samples, but in its buffer. */
  readonly bytes: number;
  /** True where nobody else holds the samples. */
  readonly own: boolean;
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
   * leaves the block out. The samples are shared: read only, and only until `use` returns.
   *
   * @throws SourceError naming the block that is damaged
   */
  async each(
    image: StoredImage,
    refs: readonly BlockRef[],
    use: (ref: BlockRef, samples: PixelArray | null) => void,
    options: ReadOptions = {},
  ): Promise<void> {
    let batch: BlockRef[] = [];
    let bytes = 0;
    for (const ref of refs) {
      const known = this.#known(image, ref, options.held);
      if (ref.length === 0) use(ref, null);
      else if (known !== undefined) {
        use(ref, known.samples);
        options.held?.pass(image, ref, known);
      } else {
        batch.push(ref);
        bytes += ref.length;
      }
      if (bytes >= BATCH_BYTES) {
        await this.#readBatch(image, batch, use, options);
        batch = [];
        bytes = 0;
      }
    }
    if (batch.length > 0) await this.#readBatch(image, batch, use, options);
  }

  /** Gives back the blocks that are kept. */
  clear(): void {
    for (const { samples, own } of this.#cache.values()) if (own) release(samples);
    this.#cache.clear();
    this.#cached = 0;
  }

  async #readBatch(
    image: StoredImage,
    batch: readonly BlockRef[],
    use: (ref: BlockRef, samples: PixelArray) => void,
    { signal, held }: ReadOptions,
  ): Promise<void> {
    signal?.throwIfAborted();
    const blocks = await this.#source.blocks(batch, signal);
    for (const [index, ref] of batch.entries()) {
      const bytes = blocks[index];
      if (bytes === undefined) continue;
      // Another call may have decoded it while this one waited for the bytes.
      const block = this.#known(image, ref, held) ?? this.#decoded(image, ref, bytes, held);
      use(ref, block.samples);
      if (held !== undefined) held.pass(image, ref, block);
      else if (block.own) release(block.samples);
      this.#source.giveBack(bytes);
    }
  }

  #known(image: StoredImage, ref: BlockRef, held: HeldBlocks | undefined): HeldBlock | undefined {
    const own = held?.take(image, ref);
    if (own !== undefined) return own;
    const kept = this.#take(image, ref);
    // What a window of strips takes it alone will use: the window to its left has left it.
    if (kept !== undefined && held !== undefined) this.#drop(keyOf(image, ref));
    return kept && { samples: kept.samples, own: held !== undefined && kept.own };
  }

  #decoded(
    image: StoredImage,
    ref: BlockRef,
    compressed: Uint8Array<ArrayBuffer>,
    held: HeldBlocks | undefined,
  ): HeldBlock {
    const samples = this.#decode(image, ref, compressed);
    const kept =
      held === undefined
        ? this.#keep(image, ref, { samples, own: true }, this.#cacheBytes)
        : held.isShared(image, ref) && this.#keep(image, ref, { samples, own: false }, STRIPS_CACHE_BYTES);
    return { samples, own: !kept };
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

  #take(image: StoredImage, ref: BlockRef): KeptBlock | undefined {
    const key = keyOf(image, ref);
    const kept = this.#cache.get(key);
    if (kept === undefined) return undefined;
    this.#cache.delete(key);
    this.#cache.set(key, kept);
    return kept;
  }

  /** @returns whether there is room for the block among `limit` bytes */
  #keep(image: StoredImage, ref: BlockRef, { samples, own }: HeldBlock, limit: number): boolean {
    const most = Math.min(limit, this.#cacheBytes);
    const bytes = Math.max(samples.byteLength, image.layout.rowBytes * ref.rows);
    if (bytes > most) return false;
    this.#cache.set(keyOf(image, ref), { samples, bytes, own });
    this.#cached += bytes;
    for (const [key, oldest] of this.#cache) {
      if (this.#cached <= most) break;
      this.#drop(key);
      if (oldest.own) release(oldest.samples);
    }
    return true;
  }

  #drop(key: string): void {
    this.#cached -= this.#cache.get(key)?.bytes ?? 0;
    this.#cache.delete(key);
  }
}

const keyOf = (image: StoredImage, ref: BlockRef): string => `${image.id}/${ref.index}`;
