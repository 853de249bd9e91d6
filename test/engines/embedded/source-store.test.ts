import { copyFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openEmbeddedEngine } from '../../../lambda/engines/embedded/index.ts';
import { FileSourceStore } from '../../../lambda/engines/embedded/source-store.ts';
import { SourceChangedError } from '../../../lambda/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('a file with its mask in a file beside it is refused: pixels that it masks would count as valid', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'scene.tif');
  writeFileSync(file, 'pixels');
  writeFileSync(`${file}.msk`, 'mask');
  using engine = openEmbeddedEngine(join(folder.path, 'out'), { now: Date.now, maxReceives: 3 });
  const store = new FileSourceStore(folder.path, engine.tokens);
  const reason = `${file}: its mask lies in a file beside it (scene.tif.msk), which is not read`;
  await expect(store.look('file', 'scene.tif')).rejects.toThrow(reason);
  rmSync(`${file}.msk`);
  expect(await store.look('file', 'scene.tif')).toMatchObject({ key: 'scene.tif', bytes: 6 });
});

describe('a file that is changed while it is open', () => {
  const opened = async (change: (file: string) => void): Promise<string> => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'scene.tif');
    writeFileSync(file, 'pixels');
    using engine = openEmbeddedEngine(join(folder.path, 'out'), { now: Date.now, maxReceives: 3 });
    const store = new FileSourceStore(folder.path, engine.tokens);
    const look = await store.look('file', 'scene.tif');
    if (look === null) throw new Error('it is not there');
    await using reader = await store.open(look);
    change(file);
    const [bytes] = await reader.read([{ offset: 0, length: 6 }]);
    return Buffer.from(bytes ?? []).toString();
  };

  it('is read on where it was only touched', async () => {
    expect(await opened((file) => utimesSync(file, 1, 1))).toBe('pixels');
  });

  it('is read on where another of the same bytes was put in its place', async () => {
    const replace = (file: string): void => {
      copyFileSync(file, `${file}.upload`);
      renameSync(`${file}.upload`, file);
    };
    expect(await opened(replace)).toBe('pixels');
  });

  it('is not where its bytes are others', async () => {
    await expect(opened((file) => writeFileSync(file, 'others'))).rejects.toThrow(SourceChangedError);
  });
});
