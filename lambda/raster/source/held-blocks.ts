import { release } from '../release.ts';
import type { PixelArray, PixelRect } from '../types.ts';
import type { BlockRef } from './block-table.ts';
import type { StoredImage } from './pyramid.ts';

export interface HeldBlock {
  readonly samples: PixelArray;
  /** True where nobody else has the samples: their memory is given back with the block. */
  readonly own: boolean;
}

/**
 * Decoded blocks of one window that is read in strips, from the first to the last: those that two strips share are held
 * from one to the next, so that no block is decoded twice, and the others go at once. A large window's blocks would
 * drive all others out of a source's cache and be of no use there: only those that the window to the right shares are.
 */
export class HeldBlocks {
  readonly #blocks = new Map<string, HeldBlock>();
  #strip: PixelRect = { x: 0, y: 0, width: 0, height: 0 };
  #next: PixelRect | null = null;

  /** @param next what is read after this strip, px of the same level; null: nothing more */
  begin(strip: PixelRect, next: PixelRect | null): void {
    this.#strip = strip;
    this.#next = next;
  }

  take(image: StoredImage, ref: BlockRef): HeldBlock | undefined {
    return this.#blocks.get(keyOf(image, ref));
  }

  /** Holds a block that this strip has used, or lets it go. */
  pass(image: StoredImage, ref: BlockRef, block: HeldBlock): void {
    if (this.#next !== null && touches(image, ref, this.#next)) this.#blocks.set(keyOf(image, ref), block);
    else {
      this.#blocks.delete(keyOf(image, ref));
      if (block.own) release(block.samples);
    }
  }

  /** Whether the window to the right will ask for the block as well. */
  isShared({ layout }: StoredImage, ref: BlockRef): boolean {
    const right = this.#strip.x + this.#strip.width;
    return right < layout.width && ref.x + layout.blockWidth > right;
  }
}

const keyOf = (image: StoredImage, ref: BlockRef): string => `${image.id}/${ref.index}`;

const touches = ({ layout }: StoredImage, ref: BlockRef, { x, y, width, height }: PixelRect): boolean =>
  ref.x < x + width && x < ref.x + layout.blockWidth && ref.y < y + height && y < ref.y + ref.usedRows;
