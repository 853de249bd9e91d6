import type { Scratch } from './mosaic-request.ts';

/** A scratch that keeps everything in memory: for scenes whose overviews are known to be small. */
export function memoryScratch(): Scratch {
  const pieces = new Map<number, Uint8Array<ArrayBuffer>>();
  let end = 0;
  return {
    append: (bytes) => {
      const offset = end;
      pieces.set(offset, bytes.slice());
      end += bytes.length;
      return Promise.resolve({ offset, length: bytes.length });
    },
    read: (offset, length) => {
      const piece = pieces.get(offset);
      if (piece?.length !== length) return Promise.reject(new RangeError(`nothing of ${length} bytes at ${offset}`));
      return Promise.resolve(piece);
    },
  };
}
