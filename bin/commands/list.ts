import { type Command, Option } from 'commander';
import { SCENE_STATES, sceneStatus } from '../../lambda/pipeline/recovery/scene-status.ts';
import { allScenes } from '../../lambda/pipeline/recovery/select-scenes.ts';
import { type EngineFlags, addEngineOptions } from '../operator/engine-options.ts';
import { openOperatorEngine } from '../operator/operator-engine.ts';
import { columnsOf } from '../operator/scene-table.ts';

/** `tileonce list`: every planned scene, a line each. */
export const addList = (program: Command): void => {
  const command = program
    .command('list')
    .description('List the scenes: id, state, name, pipeline, windows done')
    .addOption(new Option('--state <state>', 'only scenes in this state').choices(SCENE_STATES));
  addEngineOptions(command).action(async (flags: EngineFlags & { readonly state?: string }) => {
    await using engine = await openOperatorEngine(flags);
    const deadLetters = await engine.deadLetters.list();
    await engine.deadLetters.putBack(deadLetters);
    const rows: string[][] = [];
    for (const { record, plan } of await allScenes(engine.context.manifest)) {
      const options = { stalledAfterMs: engine.stalledAfterMs, deadLetters };
      const { state, rows: done } = await sceneStatus(engine.context, record, options);
      if (flags.state !== undefined && flags.state !== state) continue;
      const { sceneJobId, sceneName, time, pipeline } = plan;
      if (flags.json === true) {
        console.log(
          JSON.stringify({
            scene: sceneJobId,
            state,
            name: sceneName,
            datetime: time.datetime,
            pipeline: pipeline.pipeline,
            version: pipeline.version,
            windows: record.windowCount,
            rows: done,
          }),
        );
      }
      const made = `${pipeline.pipeline} ${pipeline.version}`;
      rows.push([sceneJobId.slice(0, 12), state, sceneName, time.datetime, made, `${done}/${record.windowCount}`]);
    }
    if (flags.json !== true && rows.length > 0) console.log(columnsOf(rows));
  });
};
