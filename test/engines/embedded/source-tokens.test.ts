import { copyFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { type EmbeddedEngine, openEmbeddedEngine } from '../../../lambda/engines/embedded/index.ts';
import { SourceChangedError } from '../../../lambda/errors.ts';
import { sha256Hex } from '../../../lambda/identity/sha256.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const LATER = 10_000;

/** An engine that lives `later` ms after the file was written. */
const withSource = async (
  later: number,
  work: (engine: EmbeddedEngine, path: string) => Promise<void>,
): Promise<void> => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'B04.tif');
  writeFileSync(path, 'pixels');
  const now = (): number => Date.now() + later;
  using engine = openEmbeddedEngine(join(folder.path, 'out'), { now, maxReceives: 3 });
  await work(engine, path);
};

/** How many bytes are read to learn the token. */
const bytesRead = async (engine: EmbeddedEngine, path: string): Promise<number> => {
  let read = 0;
  await engine.tokens.tokenOf(path, { onBytes: (bytes) => (read += bytes) });
  return read;
};

it('the token is the SHA-256 of the bytes, empty and large files too', () =>
  withSource(LATER, async ({ tokens }, path) => {
    expect((await tokens.tokenOf(path)).sha256).toBe(sha256Hex('pixels'));
    for (const size of [0, 9_000_001]) {
      const body = new Uint8Array(size).map((_, n) => n % 251);
      writeFileSync(path, body);
      expect((await tokens.tokenOf(path)).sha256).toBe(sha256Hex(body));
    }
  }));

it('a file at rest is read once, also under another name of the same inode', () =>
  withSource(LATER, async (engine, path) => {
    expect(await bytesRead(engine, path)).toBe(6);
    expect(await bytesRead(engine, path)).toBe(0);
    copyFileSync(path, `${path}.copy`);
    expect(await bytesRead(engine, `${path}.copy`)).toBe(6);
  }));

it('a file that was written a moment ago is read again: its times may not show the next write', () =>
  withSource(0, async (engine, path) => {
    expect(await bytesRead(engine, path)).toBe(6);
    expect(await bytesRead(engine, path)).toBe(6);
  }));

it('bytes changed behind a time that was set back are noticed', () =>
  withSource(LATER, async (engine, path) => {
    utimesSync(path, 1, 1);
    await bytesRead(engine, path);
    writeFileSync(path, 'PIXELS');
    utimesSync(path, 1, 1);
    expect((await engine.tokens.tokenOf(path)).sha256).toBe(sha256Hex('PIXELS'));
  }));

it('opens the planned file even when it was touched or copied over by itself', () =>
  withSource(LATER, async ({ tokens }, path) => {
    const { sha256 } = await tokens.tokenOf(path);
    writeFileSync(path, 'pixels');
    await using file = await tokens.open(path, sha256);
    const [bytes] = await file.read([{ offset: 0, length: 6 }]);
    expect(Buffer.from(bytes ?? []).toString()).toBe('pixels');
  }));

it('refuses to open a file with other bytes than were planned', () =>
  withSource(LATER, async ({ tokens }, path) => {
    const { sha256 } = await tokens.tokenOf(path);
    writeFileSync(path, 'others');
    await expect(tokens.open(path, sha256)).rejects.toThrow(SourceChangedError);
  }));

it('a missing file is named', () =>
  withSource(LATER, async ({ tokens }, path) => {
    await expect(tokens.tokenOf(`${path}f`)).rejects.toThrow(/B04\.tiff: no such file/);
  }));

it('hashing stops when the signal fires', () =>
  withSource(LATER, async ({ tokens }, path) => {
    const reason = new Error('interrupted');
    await expect(tokens.tokenOf(path, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  }));
