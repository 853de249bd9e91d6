import type { BlockFormat } from '../cog/block.ts';
import { blockRect } from '../cog/block.ts';
import type { OverviewRule } from '../cog/overview.ts';
import { overviewPixels } from '../cog/overview.ts';
import type { PixelArray, PixelRect } from '../types.ts';
import type { BandMemory } from './band-memory.ts';
import type { LevelBlocks } from './block-table.ts';

/** A block on its way. */
interface Gathered {
  /** Blocks below that have not come yet. */
  missing: number;
  /** Null as long as only sparse blocks came. */
  bands: PixelArray[] | null;
  /** Where they belong, px of the level below. */
  readonly sparse: PixelRect[];
}

/**
 * Blocks of a level that is half the level `below` exactly, gathered from the up to four blocks under each, which come in any
 * order, each once. Only blocks that have begun are held.
 */
export class GatheredBlocks {
  readonly #level: LevelBlocks;
  readonly #below: LevelBlocks;
  readonly #format: BlockFormat;
  readonly #rule: OverviewRule;
  readonly #memory: BandMemory;
  readonly #begun = new Map<number, Gathered>();

  constructor(level: LevelBlocks, below: LevelBlocks, format: BlockFormat, rule: OverviewRule, memory: BandMemory) {
    this.#level = level;
    this.#below = below;
    this.#format = format;
    this.#rule = rule;
    this.#memory = memory;
  }

  /** True where the block above a block of the level below is to be made from pixels. */
  needs(block: number): boolean {
    return this.#level.settled[this.#above(block)] === 0;
  }

  /**
   * Takes the pixels of a block of the level below: rows x cols of `rect`, its place there, px. Null: it is sparse, or
   * not needed.
   *
   * @returns the block above where this was the last under it, else null.
   */
  add(block: number, rect: PixelRect, pixels: readonly PixelArray[] | null): number | null {
    const above = this.#above(block);
    const known = this.#begun.get(above) ?? { missing: this.#under(above), bands: null, sparse: [] };
    this.#begun.set(above, known);
    if (pixels === null) known.sparse.push(rect);
    else {
      known.bands ??= this.#newBands(above);
      this.#reduce(pixels, rect, known.bands, above);
    }
    known.missing--;
    if (known.missing > 0) return null;
    if (!this.needs(block)) this.#begun.delete(above);
    return above;
  }

  /** A block whose blocks below have all come, rows x cols, from the memory; null where all of them are sparse. It is no longer held. */
  take(block: number): PixelArray[] | null {
    const { bands = null, sparse = [] } = this.#begun.get(block) ?? {};
    this.#begun.delete(block);
    if (bands === null) return null;
    for (const rect of sparse) {
      const pixels = Array.from({ length: this.#format.bandCount }, () =>
        this.#memory.take(rect.width * rect.height).fill(this.#format.fill ?? 0),
      );
      this.#reduce(pixels, rect, bands, block);
      this.#memory.give(pixels);
    }
    return bands;
  }

  #reduce(pixels: readonly PixelArray[], rect: PixelRect, bands: readonly PixelArray[], block: number): void {
    const place = { x: rect.x / 2, y: rect.y / 2, width: rect.width / 2, height: rect.height / 2 };
    const halves = bands.map(() => this.#memory.take(place.width * place.height));
    overviewPixels(pixels, this.#below, place, this.#rule, halves);
    const { x, y, width } = this.#rectOf(block);
    for (const [band, half] of halves.entries()) {
      for (let row = 0; row < place.height; row++) {
        const start = (place.y - y + row) * width + place.x - x;
        bands[band]?.set(half.subarray(row * place.width, (row + 1) * place.width), start);
      }
    }
    this.#memory.give(halves);
  }

  #above(block: number): number {
    const column = block % this.#below.columns;
    const row = (block - column) / this.#below.columns;
    return (row >> 1) * this.#level.columns + (column >> 1);
  }

  #newBands(block: number): PixelArray[] {
    const { width, height } = this.#rectOf(block);
    return Array.from({ length: this.#format.bandCount }, () => this.#memory.take(width * height));
  }

  /** How many blocks are under a block. */
  #under(block: number): number {
    const column = block % this.#level.columns;
    const row = (block - column) / this.#level.columns;
    return Math.min(2, this.#below.columns - 2 * column) * Math.min(2, this.#below.rows - 2 * row);
  }

  #rectOf(block: number): PixelRect {
    const column = block % this.#level.columns;
    return blockRect(this.#level, this.#format.blockSize, column, (block - column) / this.#level.columns);
  }
}
