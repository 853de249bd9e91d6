import { pixelArray } from '../data-type.ts';
import type { DataType, PixelArray } from '../types.ts';
import { release } from '../release.ts';

/** Arrays of one length that wait for the next: more come back than were taken where blocks are handed on as they were decoded. */
const MOST_IDLE = 16;

/**
 * Arrays of a band's pixels that go from one block that is made to the next: made anew for each they would have garbage
 * collected after every few blocks.
 */
export class BandMemory {
  readonly #dataType: DataType;
  readonly #idle = new Map<number, PixelArray[]>();

  constructor(dataType: DataType) {
    this.#dataType = dataType;
  }

  /** `length` samples with whatever stands in them. */
  take(length: number): PixelArray {
    return this.#idle.get(length)?.pop() ?? pixelArray(this.#dataType, length);
  }

  /** Takes arrays back that nobody reads any more. */
  give(bands: readonly PixelArray[]): void {
    for (const band of bands) {
      const idle = this.#idle.get(band.length);
      if (idle === undefined) this.#idle.set(band.length, [band]);
      else if (idle.length < MOST_IDLE) idle.push(band);
      else release(band);
    }
  }
}
