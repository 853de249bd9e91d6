/** Shorter buffers are not worth it, and may be Node.js' own pool, which others share. */
const SHORTEST = 128 * 1024;

/**
 * Gives an array's memory back now. The garbage collector, which counts bytes that it has not collected yet, would run
 * all the time for what codecs make anew for every block; and what the system's allocator gets back in between it puts to
 * use again instead of asking for more.
 *
 * @param array one that nobody reads any more, nor any other over its buffer: it is empty afterwards
 */
export const release = ({ buffer }: { readonly buffer: ArrayBuffer }): void => {
  if (buffer.byteLength >= SHORTEST) buffer.transfer(0);
};
