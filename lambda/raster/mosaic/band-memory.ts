import { bytesPerSample } from '../data-type.ts';
import { pixelsOver } from '../cog/sample-type.ts';
import type { DataType, PixelArray } from '../types.ts';
import { release } from '../release.ts';

/** Arrays that wait for the next: more come back than were taken where blocks are handed on as they were decoded. */
const MOST_IDLE = 16;

/** Lengths that differ by a few pixels, as those under blocks of an odd level do, share memory: bytes. */
const GRAIN = 64 * 1024;

/**
 * Arrays of a band's pixels that go from one block that is made to the next: made anew for each they would have garbage
 * collected after every few blocks.
 */
export class BandMemory {
  readonly #dataType: DataType;
  readonly #idle: ArrayBuffer[] = [];

  constructor(dataType: DataType) {
    this.#dataType = dataType;
  }

  /** `length` samples with whatever stands in them; their buffer begins with them. */
  take(length: number): PixelArray {
    const bytes = length * bytesPerSample(this.#dataType);
    // What is much longer is left to those who need it.
    const at = this.#idle.findIndex(({ byteLength }) => byteLength >= bytes && byteLength <= 2 * bytes);
    const [found] = at === -1 ? [] : this.#idle.splice(at, 1);
    const buffer = found ?? new ArrayBuffer(Math.ceil(bytes / GRAIN) * GRAIN);
    return pixelsOver(this.#dataType, new Uint8Array(buffer, 0, bytes));
  }

  /** Takes arrays back that nobody reads any more. */
  give(bands: readonly PixelArray[]): void {
    for (const band of bands) {
      if (this.#idle.length < MOST_IDLE) this.#idle.push(band.buffer);
      else release(band);
    }
  }
}
