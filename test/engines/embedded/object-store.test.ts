import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { type FileOperations, systemFiles } from '../../../lambda/engines/embedded/durable-files.ts';
import { type EmbeddedEngine, openEmbeddedEngine } from '../../../lambda/engines/embedded/index.ts';
import { ObjectKeyError } from '../../../lambda/engines/embedded/object-key.ts';
import { StoreUnavailableError, TileonceError } from '../../../lambda/errors.ts';
import { sha256Hex } from '../../../lambda/identity/sha256.ts';
import { textObject } from '../../support/objects.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const KEY = 'tiles/scene/0000_0000.tif';
const announced = { key: KEY, contentType: 'image/tiff', digest: 'd' };

const withEngine = async (
  work: (engine: EmbeddedEngine, folder: string) => Promise<void>,
  files: FileOperations = systemFiles,
): Promise<void> => {
  using folder = temporaryFolder();
  using engine = openEmbeddedEngine(folder.path, { now: Date.now, maxReceives: 3, files });
  await work(engine, folder.path);
};

/** Every file below the folder but the ledger's. */
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('ledger.sqlite'))
    .map((entry) => entry.name);

const systemError = (code: string): Error => Object.assign(new Error(`${code}: as the test wants it`), { code });

/** A disk that takes `room` bytes, then is full. */
const fullAfter = (room: number): FileOperations => {
  let left = room;
  return {
    ...systemFiles,
    open: async (path, flags, mode) => {
      const handle = await systemFiles.open(path, flags, mode);
      if (flags !== 'wx+') return handle;
      return new Proxy(handle, {
        get: (target, property) => {
          if (property === 'write') {
            return async (bytes: Uint8Array, offset: number, length: number, position: number) => {
              if (length > left) throw systemError('ENOSPC');
              left -= length;
              return target.write(bytes, offset, length, position);
            };
          }
          const value: unknown = Reflect.get(target, property, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }) satisfies FileHandle;
    },
  };
};

it('an object’s etag is the SHA-256 of its bytes, also that of an upload', () =>
  withEngine(async ({ objects }) => {
    expect(await objects.create(textObject(KEY, 'pixels'))).toEqual({ kind: 'created', etag: sha256Hex('pixels') });
    const upload = await objects.upload({ ...announced, key: 'scenes/s/scene.tif' });
    await Promise.all(['one, ', 'two'].map((text) => upload.write(Buffer.from(text))));
    expect(await upload.complete()).toEqual({ kind: 'created', etag: sha256Hex('one, two') });
  }));

it('refuses keys that lead out of the output folder or into its own', () =>
  withEngine(async ({ objects }, folder) => {
    for (const key of ['../x', '/etc/x', 'tiles/../../x', 'tiles//x', './x', '', 'a/', 'a\\b', '.tileonce/x', 'a\0b']) {
      await expect(objects.create(textObject(key, 'x'))).rejects.toThrow(ObjectKeyError);
      await expect(objects.get(key)).rejects.toThrow(ObjectKeyError);
    }
    expect(filesBelow(folder)).toEqual([]);
  }));

it('refuses bytes that are not those of the given hash', () =>
  withEngine(async ({ objects }, folder) => {
    await expect(objects.create({ ...textObject(KEY, 'pixels'), sha256: sha256Hex('other') })).rejects.toThrow(
      TileonceError,
    );
    expect(filesBelow(folder)).toEqual([]);
  }));

it('a create that finds its object touches neither inode, time nor bytes, and leaves no temporary file', () =>
  withEngine(async ({ objects }, folder) => {
    await objects.create(textObject(KEY, 'first'));
    const before = statSync(join(folder, KEY), { bigint: true });
    await objects.create(textObject(KEY, 'second'));
    const after = statSync(join(folder, KEY), { bigint: true });
    expect([after.ino, after.mtimeNs, after.ctimeNs, after.nlink]).toEqual([
      before.ino,
      before.mtimeNs,
      before.ctimeNs,
      1n,
    ]);
    expect(filesBelow(folder)).toEqual(['0000_0000.tif']);
  }));

it('a full disk is one clear line, leaves no file, and does not disturb a later run', async () => {
  using folder = temporaryFolder();
  const options = { now: Date.now, maxReceives: 3 };
  using full = openEmbeddedEngine(folder.path, { ...options, files: fullAfter(10) });
  const failure = await full.objects.create(textObject(KEY, 'eleven bytes')).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreUnavailableError);
  expect(failure instanceof StoreUnavailableError && failure.oneLine).toBe(
    `cannot write to ${folder.path}: the disk is full: free some space and run again: what was finished stays`,
  );
  expect(filesBelow(folder.path)).toEqual([]);
  full.close();
  using again = openEmbeddedEngine(folder.path, options);
  expect((await again.objects.create(textObject(KEY, 'eleven bytes'))).kind).toBe('created');
});

it('an upload that meets a full disk is over: no file, and nothing to complete', () =>
  withEngine(async ({ objects }, folder) => {
    const upload = await objects.upload(announced);
    await upload.write(Buffer.from('123456'));
    await expect(upload.write(Buffer.from('789012'))).rejects.toThrow(/the disk is full/);
    expect(filesBelow(folder)).toEqual([]);
    await expect(upload.write(Buffer.from('3'))).rejects.toThrow(StoreUnavailableError);
    expect(await upload.complete()).toEqual({ kind: 'gone' });
    expect(await objects.head(KEY)).toBeNull();
  }, fullAfter(10)));

it.each([
  ['EROFS', /the file system is read-only/],
  ['EDQUOT', /the disk quota is used up/],
  ['EACCES', /permission denied/],
])('a folder that takes no link (%s) is one clear line and leaves no file', (code, line) =>
  withEngine(
    async ({ objects }, folder) => {
      await expect(objects.create(textObject(KEY, 'pixels'))).rejects.toThrow(line);
      expect(filesBelow(folder)).toEqual([]);
    },
    { ...systemFiles, link: () => Promise.reject(systemError(code)) },
  ),
);

it('a file system without hard links is named as such', () =>
  withEngine(
    async ({ objects }, folder) => {
      await expect(objects.create(textObject(KEY, 'pixels'))).rejects.toThrow(/no hard links/);
      expect(filesBelow(folder)).toEqual([]);
    },
    { ...systemFiles, link: () => Promise.reject(systemError('EPERM')) },
  ));

it('an upload whose temporary file was swept away is gone', () =>
  withEngine(async ({ objects }, folder) => {
    const upload = await objects.upload(announced);
    await upload.write(Buffer.from('half'));
    const tmp = join(folder, '.tileonce', 'tmp');
    for (const name of readdirSync(tmp)) await systemFiles.unlink(join(tmp, name));
    expect(await upload.complete()).toEqual({ kind: 'gone' });
  }));

it('a head reads a foreign change of the bytes, whatever its times say', () =>
  withEngine(async ({ objects }, folder) => {
    await objects.create(textObject(KEY, 'pixels'));
    const path = join(folder, KEY);
    const { atime, mtime } = statSync(path);
    writeFileSync(path, 'PIXELS');
    utimesSync(path, atime, mtime);
    expect((await objects.head(KEY))?.sha256).toBe(sha256Hex('PIXELS'));
    expect(await objects.open(KEY, sha256Hex('pixels'))).toBeNull();
    expect(await objects.replace(textObject(KEY, 'new'), sha256Hex('pixels'))).toEqual({ kind: 'mismatch' });
  }));

it('a folder under a key is no object', () =>
  withEngine(async ({ objects }) => {
    await objects.create(textObject(KEY, 'pixels'));
    expect(await objects.head('tiles/scene')).toBeNull();
    expect(await objects.get(`${KEY}/x`)).toBeNull();
    await expect(objects.create(textObject('tiles/scene', 'x'))).rejects.toThrow(
      /something that is no file stands there/,
    );
  }));
