import type { MosaicRequest, TileReader } from './mosaic-request.ts';
import { MosaicTileError } from './mosaic-request.ts';

/** Readers of tiles, opened when they are needed. */
export interface TileReaders extends AsyncDisposable {
  /** Gives `work` the reader of a window's tile; null where the window is EMPTY. */
  tryUse<T>(row: number, column: number, work: (reader: TileReader) => Promise<T>): Promise<T | null>;
  /** `tryUse` of a tile that was there before. Throws MosaicTileError where it is gone. */
  use<T>(row: number, column: number, work: (reader: TileReader) => Promise<T>): Promise<T>;
}

/** Readers kept open: a scene of 400 windows opens each tile once, a larger one does not run out of file descriptors. */
const MOST_OPEN = 512;

interface Entry {
  readonly reader: Promise<TileReader | null>;
  uses: number;
}

/** Closes readers that have not been used for longest, and all of them when it is disposed of. */
export function tileReaders({ openTile }: Pick<MosaicRequest, 'openTile'>, mostOpen = MOST_OPEN): TileReaders {
  const entries = new Map<string, Entry>();

  const trim = async (most: number): Promise<void> => {
    const closing: Promise<void>[] = [];
    for (const [key, entry] of entries) {
      if (entries.size <= most) break;
      if (entry.uses > 0) continue;
      entries.delete(key);
      closing.push(close(entry));
    }
    await Promise.all(closing);
  };

  const tryUse: TileReaders['tryUse'] = async (row, column, work) => {
    const key = `${row} ${column}`;
    const entry = entries.get(key) ?? { reader: openTile(row, column), uses: 0 };
    entries.delete(key);
    entries.set(key, entry);
    entry.uses++;
    try {
      const reader = await entry.reader;
      return reader === null ? null : await work(reader);
    } finally {
      entry.uses--;
      await trim(mostOpen);
    }
  };

  return {
    tryUse,
    use: async (row, column, work) => {
      const done = await tryUse(row, column, async (reader) => ({ result: await work(reader) }));
      if (done === null) throw new MosaicTileError(row, column, 'is gone');
      return done.result;
    },
    [Symbol.asyncDispose]: () => trim(0),
  };
}

async function close({ reader }: Entry): Promise<void> {
  // One that could not be opened has said so to whoever asked for it.
  const opened = await reader.catch(() => null);
  await opened?.[Symbol.asyncDispose]?.();
}
