import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { builtinPipeline } from '../../lambda/pipeline/definition/builtin.ts';
import { writeDemoScene } from '../demo/scene-files.ts';
import { runOnThisMachine } from './run.ts';

/** Side of the demo scene, px: a real scene has 10,980. */
const DEMO_SIZE = 2560;
const DEMO_SEED = 7;

const sizeOption = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 256 || value > 20_000) {
    throw new InvalidArgumentError('a whole number of pixels from 256 to 20000 is wanted.');
  }
  return value;
};

/** `tileonce demo`: makes a two-band scene, runs the whole job on it, and says where to look. */
export const addDemo = (program: Command): void => {
  program
    .command('demo')
    .description('Make a realistic two-band scene and run the whole job on it')
    .option('-o, --out <folder>', 'where the scene and the outputs go', 'demo')
    .option('--size <px>', "the scene's side, px", sizeOption, DEMO_SIZE)
    .action(async ({ out, size }: { out: string; size: number }) => {
      const scenes = join(out, 'scene');
      const outputs = join(out, 'out');
      await mkdir(scenes, { recursive: true });
      await mkdir(outputs, { recursive: true });
      const { red } = await writeDemoScene(scenes, {
        size,
        seed: DEMO_SEED,
        // Not among the scene's files, which people upload as they are.
        note: join(out, 'scene.json'),
        onMaking: () => console.error(`making a scene of ${size} x ${size} px in ${scenes}`),
      });
      const pipeline = await builtinPipeline('sentinel2-ndvi');
      const ends = await runOnThisMachine(pipeline, [red], { out: outputs, workers: availableParallelism() });
      const [end] = ends;
      if (end?.kind !== 'done') {
        process.exitCode = 1;
        return;
      }
      const { written, alreadyPresent } = end.report;
      const folder = relative('.', join(outputs, 'scenes', end.report.scene));
      console.log(`
The scene is done. Look at
  ${join(folder, 'preview.png')}   the picture
  ${join(folder, 'scene.tif')}     the mosaic, for any GIS
  ${join(folder, 'item.json')}     the STAC item
  ${relative('.', join(outputs, 'tiles', end.report.scene))}   its ${written + alreadyPresent} tiles
Run it again: nothing is computed twice, nothing is written twice.`);
    });
};
