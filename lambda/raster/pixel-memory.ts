import type { PlaneLease } from './kernels/plane-memory.ts';
import { release } from './release.ts';
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

/** What glibc's allocator asks the system for by itself, and what is worth that, bytes. */
const PAGED_BYTES = 32 * 1024 * 1024 + 4096;
const LARGE_BYTES = 4 * 1024 * 1024;

/**
 * A buffer of at least so many bytes, with whatever stands in it. A large one is the machine's memory page by page, as it is
 * written, and no longer once it is released or collected; others come out of a heap that grows to what is wanted at once
 * and stays so.
 */
export const pagedBuffer = (bytes: number): ArrayBuffer =>
  bytes < LARGE_BYTES ? Buffer.allocUnsafeSlow(bytes).buffer : new ArrayBuffer(Math.max(bytes, PAGED_BYTES));

/** Arrays that go from window to window: a lender holds as many sets of them as there were ever windows at once. */
export class PixelMemoryLender {
  readonly #idle: ReusedMemory[] = [];
  readonly #planes: (() => PlaneLease) | null;
  #last: Promise<void> = Promise.resolve();

  /** @param planes lends what is taken first, as far as it goes */
  constructor(planes: (() => PlaneLease) | null = null) {
    this.#planes = planes;
  }

  /** Lends memory until it is disposed of; what was taken from it must not be used after that. */
  lend(): PixelMemory & Disposable {
    const memory = this.#idle.pop() ?? new ReusedMemory();
    const planes = this.#planes?.();
    return {
      take: (wide, length) => planes?.take(wide, length) ?? memory.take(wide, length),
      [Symbol.dispose]: () => {
        planes?.[Symbol.dispose]();
        memory.rewind();
        this.#idle.push(memory);
      },
    };
  }

  /**
   * Waits until no other large window is being worked; it is this one's turn until it is disposed of. Small ones do not
   * ask: together they want less than a large one.
   */
  async turn(): Promise<Disposable> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return { [Symbol.dispose]: () => resolve() };
  }

  /** Gives back the arrays that are lent to nobody: for what comes after a window that wanted much. */
  release(): void {
    for (const memory of this.#idle) memory.release();
  }
}

class ReusedMemory implements PixelMemory {
  readonly #chunks: ArrayBuffer[] = [];
  /** The chunk that is handed out of, and how much of it is. */
  #chunk = 0;
  #taken = 0;

  take(wide: boolean, length: number): FloatPixels {
    const bytes = length * (wide ? 8 : 4);
    const [buffer, start] = this.#room(bytes);
    this.#taken = start + Math.ceil(bytes / ALIGNED) * ALIGNED;
    return wide ? new Float64Array(buffer, start, length) : new Float32Array(buffer, start, length);
  }

  rewind(): void {
    this.#chunk = 0;
    this.#taken = 0;
  }

  release(): void {
    for (const buffer of this.#chunks) release({ buffer });
    this.#chunks.length = 0;
  }

  #room(bytes: number): readonly [buffer: ArrayBuffer, start: number] {
    for (; ; this.#chunk++, this.#taken = 0) {
      const buffer = (this.#chunks[this.#chunk] ??= pagedBuffer(
        bytes < SMALL_BYTES ? SMALL_BYTES : Math.max(bytes, PAGED_BYTES),
      ));
      if (this.#taken + bytes <= buffer.byteLength) return [buffer, this.#taken];
    }
  }
}

/** Windows of a few thousand pixels are content with as much: each 32 MB that V8 counts brings a collection nearer. */
const SMALL_BYTES = 256 * 1024;
/** Bytes: a processor's cache line. */
const ALIGNED = 64;
