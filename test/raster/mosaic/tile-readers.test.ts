import { describe, expect, it } from '@jest/globals';
import { MosaicTileError } from '../../../lambda/raster/mosaic/mosaic-request.ts';
import { tileReaders } from '../../../lambda/raster/mosaic/tile-readers.ts';
import type { RangeReader } from '../../../lambda/raster/types.ts';
import { BytesReader } from '../../support/bytes-reader.ts';

/** Opens a reader for every window but those of row 9, and notes what is opened and closed. */
function tracked() {
  const log: string[] = [];
  const openTile = (row: number, column: number): Promise<(RangeReader & AsyncDisposable) | null> => {
    if (row === 9) return Promise.resolve(null);
    const name = `${row}_${column}`;
    log.push(`open ${name}`);
    const reader = new BytesReader(name, new Uint8Array(0));
    return Promise.resolve({
      name,
      size: 0,
      read: (ranges) => reader.read(ranges),
      [Symbol.asyncDispose]: () => {
        log.push(`close ${name}`);
        return Promise.resolve();
      },
    });
  };
  return { log, openTile };
}

const nameOf = ({ name }: RangeReader): Promise<string> => Promise.resolve(name);

describe('readers of tiles', () => {
  it('are opened once, and closed in the end', async () => {
    const { log, openTile } = tracked();
    {
      await using readers = tileReaders({ openTile });
      expect(await readers.use(0, 1, nameOf)).toBe('0_1');
      expect(await readers.use(0, 1, nameOf)).toBe('0_1');
      expect(await readers.tryUse(9, 0, nameOf)).toBeNull();
      expect(log).toEqual(['open 0_1']);
    }
    expect(log).toEqual(['open 0_1', 'close 0_1']);
  });

  it('that have not been used for longest are closed when there are too many, and opened again', async () => {
    const { log, openTile } = tracked();
    await using readers = tileReaders({ openTile }, 2);
    for (const column of [0, 1, 0, 2, 1]) await readers.use(0, column, nameOf);
    expect(log).toEqual(['open 0_0', 'open 0_1', 'open 0_2', 'close 0_1', 'open 0_1', 'close 0_0']);
  });

  it('are not closed while they are in use', async () => {
    const { log, openTile } = tracked();
    await using readers = tileReaders({ openTile }, 1);
    await readers.use(0, 0, async () => {
      await readers.use(0, 1, nameOf);
      await readers.use(0, 2, nameOf);
      expect(log).not.toContain('close 0_0');
    });
    expect(log.filter((line) => line.startsWith('close'))).toEqual(['close 0_1', 'close 0_2']);
  });

  it('name a tile that has gone', async () => {
    await using readers = tileReaders(tracked());
    await expect(readers.use(9, 3, nameOf)).rejects.toThrow(new MosaicTileError(9, 3, 'is gone'));
  });
});
