import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { type NdviOptions, DATA, demoScene, ndviPipelineFile } from './data.ts';
import { measureCommand } from './measured.ts';
import { TILEONCE } from './scene.ts';

/** A scene that was run to its end. */
export interface TiledScene {
  readonly out: string;
  readonly sceneJobId: string;
  readonly mosaic: string;
}

const reportSchema = z.object({ scene: z.string(), mosaic: z.string() });

/** The demo scene of a size, px, run through the command once and kept: its tiles wait to be assembled again. */
export const tiledScene = async (size: number, options: NdviOptions): Promise<TiledScene> => {
  const { crs = 'source', compression = 'deflate', grid = '20x20' } = options;
  const folder = join(DATA, `tiled-${size}-${crs.replace(':', '')}-${compression}-${grid}`);
  const out = join(folder, 'out');
  const described = join(folder, 'report.json');
  if (!existsSync(described)) {
    const { red } = await demoScene(size);
    console.error(`making the tiles of a scene of ${size} x ${size} px in ${folder}`);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const pipeline = await ndviPipelineFile(folder, options);
    const args = [TILEONCE, 'run', red, '--pipeline', pipeline, '--out', out, '--json'];
    const { stdout } = await measureCommand(process.execPath, args);
    await writeFile(`${described}.part`, stdout);
    await rename(`${described}.part`, described);
  }
  const { scene, mosaic } = reportSchema.parse(JSON.parse(await readFile(described, 'utf8')));
  return { out, sceneJobId: scene, mosaic };
};
