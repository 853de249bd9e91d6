/** Shorter buffers are not worth it, and may be Node.js' own pool, which others share. */
const SHORTEST = 128 * 1024;

/**
 * Frees the memory of an array that nobody reads any more, and of all others over its buffer. A codec makes an array of its own for
 * every block: left to the garbage collector, which counts bytes that it has not collected yet, they have it run all the time.
 */
export function release({ buffer }: { readonly buffer: ArrayBuffer }): void {
  if (buffer.byteLength >= SHORTEST) buffer.transfer(0);
}
