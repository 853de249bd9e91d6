import { expect, it } from '@jest/globals';
import { SourceChangedError } from '../../lambda/errors.ts';
import { SourcePool } from '../../lambda/pipeline/source-pool.ts';
import type { SourceStore } from '../../lambda/pipeline/source-store.ts';
import { BytesReader } from '../support/bytes-reader.ts';
import { GEOREFERENCE, buildTiff, imageTags } from '../support/tiff-builder.ts';

const PLANNED = { bucket: 'scenes', key: 'B04.tif', versionToken: 'a', etag: 'a', versionId: null, bytes: 0 };
const WHOLE = { x: 0, y: 0, width: 4, height: 2 };

it('a source that changed under its reader is opened anew, even under the same pins', async () => {
  // The block lies beyond what the opening reads.
  const file = buildTiff([{ tags: { ...imageTags(4, 2, 8), ...GEOREFERENCE }, blocks: [new Uint8Array(8).fill(7)] }], {
    padding: 100_000,
  });
  let opened = 0;
  let stale = true;
  const store: Pick<SourceStore, 'open'> = {
    open: () => {
      opened++;
      const bytes = new BytesReader('B04.tif', file);
      return Promise.resolve({
        name: bytes.name,
        size: bytes.size,
        read: (ranges) => {
          const late = ranges.some(({ offset }) => offset > 90_000);
          return stale && late
            ? Promise.reject(new SourceChangedError('B04.tif', 'it changed while it was read'))
            : bytes.read(ranges);
        },
        [Symbol.asyncDispose]: () => Promise.resolve(),
      });
    },
  };
  const look = (): Promise<null> => Promise.resolve(null);
  await using pool = new SourcePool(() => ({ ...store, look }), { capacity: 8, cacheBytes: 0 });

  const first = await pool.get('', PLANNED);
  await expect(first.readWindow([1], WHOLE, 0)).rejects.toThrow(SourceChangedError);
  stale = false;
  const second = await pool.get('', PLANNED);
  expect(opened).toBe(2);
  expect(await second.readWindow([1], WHOLE, 0)).toEqual([new Float32Array(8).fill(7)]);
});

it('opens a source that several windows want at once, and closes every reader that it opened', async () => {
  const file = buildTiff([{ tags: { ...imageTags(4, 2, 8), ...GEOREFERENCE }, blocks: [new Uint8Array(8).fill(7)] }]);
  const readers = { opened: 0, closed: 0 };
  const store: SourceStore = {
    look: () => Promise.resolve(null),
    open: () => {
      readers.opened++;
      const bytes = new BytesReader('B04.tif', file);
      return Promise.resolve({
        name: bytes.name,
        size: bytes.size,
        read: (ranges) => bytes.read(ranges),
        [Symbol.asyncDispose]: () => {
          readers.closed++;
          return Promise.resolve();
        },
      });
    },
  };
  const pool = new SourcePool(() => store, { capacity: 8, cacheBytes: 0 });
  const rasters = await Promise.all(Array.from({ length: 4 }, () => pool.get('', PLANNED)));
  expect(new Set(rasters).size).toBe(1);
  expect(await rasters[3]?.readWindow([1], WHOLE, 0)).toEqual([new Float32Array(8).fill(7)]);
  await pool[Symbol.asyncDispose]();
  expect(readers.opened).toBe(4);
  expect(readers.closed).toBe(readers.opened);
});
