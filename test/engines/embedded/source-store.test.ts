import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openEmbeddedEngine } from '../../../lambda/engines/embedded/index.ts';
import { FileSourceStore } from '../../../lambda/engines/embedded/source-store.ts';
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
