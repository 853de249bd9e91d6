import * as z from 'zod';

/** The highest values seen of what a process holds, bytes. */
export interface MemoryPeaks {
  readonly heapUsed: number;
  /** Pixels and compressed blocks: outside of V8's heap. */
  readonly arrayBuffers: number;
}

export const memoryPeaksSchema: z.ZodType<MemoryPeaks> = z.object({ heapUsed: z.number(), arrayBuffers: z.number() });

/** Between looks, ms. */
const EVERY = 50;

/** Looks at this process's memory from now on; the answer ends it. */
export const watchMemory = (): (() => MemoryPeaks) => {
  let [heapUsed, arrayBuffers] = [0, 0];
  const look = (): void => {
    const now = process.memoryUsage();
    heapUsed = Math.max(heapUsed, now.heapUsed);
    arrayBuffers = Math.max(arrayBuffers, now.arrayBuffers);
  };
  const timer = setInterval(look, EVERY);
  return () => {
    clearInterval(timer);
    look();
    return { heapUsed, arrayBuffers };
  };
};
