import { SourceChangedError } from '../../errors.ts';
import type { RangeReader } from '../../raster/types.ts';
import type { FileRanges } from './file-ranges.ts';

/** How often one read may find the file in yet another state. */
const ATTEMPTS = 3;

/**
 * A file that may be touched, copied or moved while it is read, as long as its bytes stay the same: whoever finds it in
 * another state opens it anew, by its token, and reads again (docs/design.md, section 2).
 *
 * @param open opens the file in the state that it is in. @throws SourceChangedError where its bytes are others.
 */
export const repinned = async (open: () => Promise<FileRanges>): Promise<RangeReader & AsyncDisposable> => {
  let file = await open();
  return {
    name: file.name,
    size: file.size,
    async read(ranges, signal) {
      for (let attempt = 1; ; attempt++) {
        const current = file;
        try {
          return await current.read(ranges, signal);
        } catch (error) {
          if (!(error instanceof SourceChangedError) || attempt === ATTEMPTS) throw error;
          const again = await open();
          // Of two reads that meet the change the second finds the file open again already.
          if (file === current) {
            file = again;
            await current[Symbol.asyncDispose]();
          } else await again[Symbol.asyncDispose]();
        }
      }
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
};
