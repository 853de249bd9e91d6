import { type Command, Option } from 'commander';
import { leftOfPurge } from '../../lambda/pipeline/recovery/left-of-purge.ts';
import { SCENE_STATES, sceneStatus } from '../../lambda/pipeline/recovery/scene-status.ts';
import { allScenes } from '../../lambda/pipeline/recovery/select-scenes.ts';
import { type EngineFlags, addEngineOptions } from '../operator/engine-options.ts';
import { openOperatorEngine } from '../operator/operator-engine.ts';
import { columnsOf, purgeNote } from '../operator/scene-table.ts';

/** `tileonce list`: every planned scene, a line each. */
export const addList = (program: Command): void => {
  const command = program
    .command('list')
    .description('List the scenes: id, state, name, pipeline, windows done')
    .addOption(new Option('--state <state>', 'only scenes in this state').choices(SCENE_STATES));
  addEngineOptions(command).action(async (flags: EngineFlags & { readonly state?: string }) => {
    await using engine = await openOperatorEngine(flags, 'look');
    const deadLetters = await engine.deadLetters.list();
    await engine.deadLetters.putBack(deadLetters);
    const rows: string[][] = [];
    for (const { record, plan } of await allScenes(engine.context.manifest)) {
      const options = { stalledAfterMs: engine.stalledAfterMs, isDead: engine.isDead, deadLetters };
      const status = await sceneStatus(engine.context, record, options);
      const { state, rows: done } = status;
      if (flags.state !== undefined && flags.state !== state) continue;
      const left = await leftOfPurge(engine.context, status);
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
            ...(left === 0 ? {} : { objectsLeft: left }),
          }),
        );
      }
      const made = `${pipeline.pipeline} ${pipeline.version}`;
      const windows = `${done}/${record.windowCount}`;
      rows.push([sceneJobId.slice(0, 12), state, sceneName, time.datetime, made, windows, purgeNote(left)]);
    }
    if (flags.json !== true && rows.length > 0) console.log(columnsOf(rows));
  });
};
