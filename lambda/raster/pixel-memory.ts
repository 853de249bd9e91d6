import type { FloatPixels } from './types.ts';

/**
 * Memory for the pixels that one window needs on its way and no longer. Arrays of a megabyte are cheap to make, but each
 * counts towards the next garbage collection: made anew for every window they cost more than the arithmetic over them.
 */
export interface PixelMemory {
  /** An array of `length` samples with whatever stands in it. It is the caller's until the memory is lent again. */
  take(wide: boolean, length: number): FloatPixels;
}

/** Memory that is made anew each time: for callers who keep what they get. */
export const newMemory: PixelMemory = {
  take: (wide, length) => (wide ? new Float64Array(length) : new Float32Array(length)),
};

/** Arrays that go from window to window: a lender holds as many sets of them as there were ever windows at once. */
export class PixelMemoryLender {
  readonly #idle: ReusedMemory[] = [];

  /** Lends memory until it is disposed of; what was taken from it must not be used after that. */
  lend(): PixelMemory & Disposable {
    const memory = this.#idle.pop() ?? new ReusedMemory();
    return {
      take: (wide, length) => memory.take(wide, length),
      [Symbol.dispose]: () => {
        memory.rewind();
        this.#idle.push(memory);
      },
    };
  }
}

/** Windows of a scene differ by a few rows and columns of source: a little more than asked for serves the next one too. */
const SPARE = 1.125;

class ReusedMemory implements PixelMemory {
  readonly #singles: Float32Array<ArrayBuffer>[] = [];
  readonly #wides: Float64Array<ArrayBuffer>[] = [];
  #singlesTaken = 0;
  #widesTaken = 0;

  take(wide: boolean, length: number): FloatPixels {
    return wide ? this.#wide(this.#widesTaken++, length) : this.#single(this.#singlesTaken++, length);
  }

  rewind(): void {
    this.#singlesTaken = 0;
    this.#widesTaken = 0;
  }

  #single(turn: number, length: number): FloatPixels {
    let array = this.#singles[turn];
    if (array === undefined || array.length < length) {
      array = new Float32Array(Math.ceil(length * SPARE));
      this.#singles[turn] = array;
    }
    return array.subarray(0, length);
  }

  #wide(turn: number, length: number): FloatPixels {
    let array = this.#wides[turn];
    if (array === undefined || array.length < length) {
      array = new Float64Array(Math.ceil(length * SPARE));
      this.#wides[turn] = array;
    }
    return array.subarray(0, length);
  }
}
