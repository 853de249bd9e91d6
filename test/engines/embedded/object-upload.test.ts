import { readFileSync, readdirSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { systemFiles } from '../../../lambda/engines/embedded/durable-files.ts';
import { FileUpload } from '../../../lambda/engines/embedded/object-upload.ts';
import { TemporaryFiles } from '../../../lambda/engines/embedded/temporary-files.ts';
import type { UploadAnswer } from '../../../lambda/gates/object-store.ts';
import { sha256Hex } from '../../../lambda/identity/sha256.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** More than is written before the disk is told to take it. */
const LONG = new Uint8Array(33 * 1024 * 1024).fill(7);

/** A handle with some methods of its own. */
const handleWith = (handle: FileHandle, methods: Partial<FileHandle>): FileHandle =>
  new Proxy(handle, {
    get: (target, property) => {
      const value: unknown = Reflect.get(property in methods ? methods : target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

const withUpload = async (
  methods: Partial<FileHandle>,
  work: (upload: FileUpload, folder: string) => Promise<void>,
): Promise<void> => {
  using folder = temporaryFolder();
  const temporaries = new TemporaryFiles(folder.path, 'process', systemFiles);
  const { path, handle } = await temporaries.open();
  const place = async (from: string, sha256: string): Promise<UploadAnswer> => {
    await systemFiles.link(from, join(folder.path, 'placed'));
    return { kind: 'created', etag: sha256 };
  };
  const staged = { path, handle: handleWith(handle, methods) };
  await work(new FileUpload({ staged, target: 'target', folder: folder.path, temporaries, place }), folder.path);
};

it('tells the SHA-256 of what was written before it is completed, and completes with the same', () =>
  withUpload({}, async (upload) => {
    await upload.write(Buffer.from('one, '));
    await upload.write(Buffer.from('two'));
    expect(upload.sha256()).toBe(sha256Hex('one, two'));
    expect(await upload.complete()).toEqual({ kind: 'created', etag: sha256Hex('one, two') });
  }));

it('has the disk take a long object while it is written', async () => {
  let flushes = 0;
  const datasync = () => {
    flushes += 1;
    return Promise.resolve();
  };
  await withUpload({ datasync }, async (upload) => {
    await upload.write(Buffer.from('short'));
    expect(flushes).toBe(0);
    await upload.write(LONG);
    await upload.write(LONG);
    expect(flushes).toBe(2);
    await upload.abort();
  });
});

it('an object of which the disk lost a part is not completed, although a later flush succeeds', () =>
  withUpload(
    { datasync: () => Promise.reject(Object.assign(new Error('lost'), { code: 'EIO' })) },
    async (upload, folder) => {
      await upload.write(LONG);
      await upload.write(Buffer.from('and on'));
      await expect(upload.complete()).rejects.toThrow(/the disk reported an error/);
      expect(readdirSync(folder)).toEqual([]);
    },
  ));

it('with a disk that takes everything the same object is completed', () =>
  withUpload({}, async (upload, folder) => {
    await upload.write(LONG);
    await upload.write(Buffer.from('and on'));
    expect(await upload.complete()).toMatchObject({ kind: 'created' });
    expect(readFileSync(join(folder, 'placed')).length).toBe(LONG.length + 6);
  }));
