import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { reportOf, tileonce } from '../local/command.ts';
import { demoScene, pipelineFile } from '../local/scenes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A scene that was run to its end, once for all tests of a block. */
export interface FinishedFolder {
  /** Everything below lies in it. */
  readonly path: string;
  readonly scene: string;
  readonly pipeline: string;
  /** The output folder, not to be changed. */
  readonly finished: string;
  /** The scene's job id; there once the tests run. */
  readonly id: () => string;
  /** A copy of the output folder, for a test to spoil. */
  readonly fresh: () => string;
}

/** Makes the scene and runs it before the tests of the block that calls, and removes all of it after them. */
export const finishedFolder = (): FinishedFolder => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const finished = join(folder.path, 'finished');
  const scene = join(folder.path, 'scene');
  const pipeline = pipelineFile(folder.path);
  let id = '';
  let copies = 0;
  beforeAll(async () => {
    await demoScene(scene, { size: 192 });
    id = reportOf(await tileonce(['run', scene, '--pipeline', pipeline, '--out', finished, '--json'])).scene;
  }, 60_000);
  return {
    path: folder.path,
    scene,
    pipeline,
    finished,
    id: () => id,
    fresh: () => {
      const out = join(folder.path, `out-${++copies}`);
      cpSync(finished, out, { recursive: true, preserveTimestamps: true });
      return out;
    },
  };
};
