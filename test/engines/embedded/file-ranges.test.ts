import { appendFileSync, linkSync, renameSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openFile } from '../../../lambda/engines/embedded/file-ranges.ts';
import { SourceChangedError, SourceError } from '../../../lambda/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const withFile = async (work: (path: string) => Promise<void>): Promise<void> => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'B04.tif');
  writeFileSync(path, '0123456789');
  // Long ago: the times of what follows differ for sure.
  utimesSync(path, 1, 1);
  await work(path);
};

it('reads ranges in the order asked for, each with a buffer of its own', () =>
  withFile(async (path) => {
    await using file = await openFile(path, { name: 'B04.tif' });
    const parts = await file.read([
      { offset: 6, length: 4 },
      { offset: 0, length: 2 },
      { offset: 10, length: 0 },
    ]);
    expect(parts.map((part) => Buffer.from(part).toString())).toEqual(['6789', '01', '']);
    expect(parts.map((part) => part.buffer.byteLength)).toEqual([4, 2, 0]);
    expect([file.name, file.size]).toEqual(['B04.tif', 10]);
  }));

it('reads into memory of the caller’s, and nothing beside it', () =>
  withFile(async (path) => {
    await using file = await openFile(path);
    const memory = new Uint8Array(Buffer.from('abcdef'));
    await file.readInto(6, memory.subarray(1, 5));
    expect(Buffer.from(memory).toString()).toBe('a6789f');
    await expect(file.readInto(8, memory)).rejects.toThrow(
      new SourceError(path, 'it ends early: byte 14 was asked for, it has 10'),
    );
    const reason = new Error('interrupted');
    await expect(file.readInto(0, memory, AbortSignal.abort(reason))).rejects.toBe(reason);
  }));

it('a range beyond the end says where the file ends', () =>
  withFile(async (path) => {
    await using file = await openFile(path);
    await expect(file.read([{ offset: 8, length: 8 }])).rejects.toThrow(
      new SourceError(path, 'it ends early: byte 16 was asked for, it has 10'),
    );
  }));

it('a missing file and a folder are refused by name', async () => {
  using folder = temporaryFolder();
  await expect(openFile(join(folder.path, 'B04.tif'))).rejects.toThrow(/B04\.tif: no such file/);
  await expect(openFile(folder.path)).rejects.toThrow(/it is not a file/);
});

it.each([
  ['grows', (path: string) => appendFileSync(path, 'x')],
  ['shrinks', (path: string) => truncateSync(path, 9)],
  ['is written over', (path: string) => writeFileSync(path, 'abcdefghij')],
  [
    'is replaced',
    (path: string) => {
      writeFileSync(`${path}.new`, 'abcdefghij');
      renameSync(`${path}.new`, path);
    },
  ],
])('a file that %s under the reader is never read on', (_how, change) =>
  withFile(async (path) => {
    await using file = await openFile(path);
    expect(await file.unchanged()).toBe(true);
    change(path);
    expect(await file.unchanged()).toBe(false);
    await expect(file.read([{ offset: 0, length: 4 }])).rejects.toThrow(SourceChangedError);
    await expect(file.readInto(0, new Uint8Array(4))).rejects.toThrow(SourceChangedError);
  }),
);

it('a file in another state than the planned one is not opened', () =>
  withFile(async (path) => {
    await using planned = await openFile(path);
    await using again = await openFile(path, { pin: planned.pin });
    expect(again.pin).toEqual(planned.pin);
    // Another link moves the inode's time of change, so that even this is noticed.
    linkSync(path, `${path}.link`);
    await expect(openFile(path, { pin: planned.pin })).rejects.toThrow(SourceChangedError);
  }));

it('an aborted read rejects with the reason', () =>
  withFile(async (path) => {
    await using file = await openFile(path);
    const reason = new Error('interrupted');
    await expect(file.read([{ offset: 0, length: 1 }], AbortSignal.abort(reason))).rejects.toBe(reason);
  }));
