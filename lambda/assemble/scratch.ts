import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TileonceError } from '../errors.ts';
import type { Scratch } from '../raster/mosaic/mosaic-request.ts';

/** The scene's overviews need more scratch than the function was given. */
export class ScratchFullError extends TileonceError {
  constructor(mostBytes: number) {
    super(`the assembly needs more than its ${Math.floor(mostBytes / 1024 / 1024)} MiB of scratch`, {
      remedy: 'raise the ephemeral storage of the assemble function, then replay its message',
    });
  }
}

/**
 * A scratch file in the function's temporary folder, never longer than `mostBytes`; its name is removed at once, so
 * that a process that is killed leaves nothing behind for the next one.
 *
 * @throws ScratchFullError from `append`.
 */
export const openScratch = async ({ mostBytes }: { mostBytes: number }): Promise<Scratch & AsyncDisposable> => {
  const folder = await mkdtemp(join(tmpdir(), 'scratch-'));
  const handle = await open(join(folder, 'blocks'), 'wx+');
  await rm(folder, { recursive: true });
  let end = 0;
  return {
    async append(bytes) {
      const place = { offset: end, length: bytes.length };
      if (end + bytes.length > mostBytes) throw new ScratchFullError(mostBytes);
      end += bytes.length;
      await handle.write(bytes, 0, bytes.length, place.offset);
      return place;
    },
    async read(offset, length) {
      const bytes = new Uint8Array(length);
      const { bytesRead } = await handle.read(bytes, 0, length, offset);
      if (bytesRead !== length) throw new RangeError(`the scratch has no ${length} bytes at ${offset}`);
      return bytes;
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
};
