import type { Command } from 'commander';
import { TileonceError } from '../../lambda/errors.ts';
import { itemKey, mosaicKey } from '../../lambda/identity/output-keys.ts';
import { findOutput } from '../../lambda/pipeline/recovery/find-output.ts';
import { type EngineFlags, addEngineOptions } from '../operator/engine-options.ts';
import { openOperatorEngine } from '../operator/operator-engine.ts';

/** `tileonce find`: where a scene's newest finished output is. */
export const addFind = (program: Command): void => {
  const command = program
    .command('find')
    .description('Say where the newest finished output of a scene is')
    .argument('<name>', "the scene's name")
    .option('--made-by <pipeline>', 'only outputs of this pipeline');
  addEngineOptions(command).action(async (name: string, flags: EngineFlags & { readonly madeBy?: string }) => {
    await using engine = await openOperatorEngine(flags, 'look');
    const found = await findOutput(engine.context, name, flags.madeBy);
    if (found === null) {
      const made = flags.madeBy === undefined ? '' : ` and was made by pipeline ${flags.madeBy}`;
      throw new TileonceError(`no finished scene is called ${name}${made}`, {
        remedy: 'tileonce list shows what there is',
      });
    }
    const { sceneJobId, pipeline } = found.plan;
    const hasMosaic = (await engine.context.objects.head(mosaicKey(sceneJobId))) !== null;
    const mosaic = hasMosaic ? engine.placeOf(mosaicKey(sceneJobId)) : null;
    const item = engine.placeOf(itemKey(sceneJobId));
    if (flags.json === true) {
      const { pipeline: made, version } = pipeline;
      console.log(JSON.stringify({ scene: sceneJobId, name, pipeline: made, version, mosaic, item }));
    } else {
      console.log(mosaic ?? item);
    }
  });
};
