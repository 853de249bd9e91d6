import type { Command } from 'commander';
import { purgeScene, refuseInFlight } from '../../lambda/pipeline/recovery/purge-scene.ts';
import { sceneStatus } from '../../lambda/pipeline/recovery/scene-status.ts';
import { allScenes, selectScene } from '../../lambda/pipeline/recovery/select-scenes.ts';
import { DRY_RUN, type EngineFlags, addEngineOptions } from '../operator/engine-options.ts';
import { openOperatorEngine } from '../operator/operator-engine.ts';

/** `tileonce purge`: removes what a scene made. */
export const addPurge = (program: Command): void => {
  const command = program
    .command('purge')
    .description("Remove a scene's ledger rows, objects and versions; its tombstone stays")
    .argument('<scene>', 'its id, the first digits of it, or its name')
    .option(...DRY_RUN);
  addEngineOptions(command).action(async (name: string, flags: EngineFlags & { readonly dryRun?: boolean }) => {
    await using engine = await openOperatorEngine(flags, flags.dryRun === true ? 'look' : 'change');
    const { context } = engine;
    const { plan, record } = selectScene(await allScenes(context.manifest), name);
    const deadLetters = await engine.deadLetters.list();
    await engine.deadLetters.putBack(deadLetters);
    const status = await sceneStatus(context, record, {
      stalledAfterMs: engine.stalledAfterMs,
      isDead: engine.isDead,
      deadLetters,
    });
    const scene = plan.sceneJobId;
    if (flags.dryRun === true) {
      await refuseInFlight(context, plan, status.state);
      const objects = status.counts.written;
      if (flags.json === true) console.log(JSON.stringify({ scene, dryRun: true, rows: status.rows, objects }));
      else console.log(`would remove ${status.rows} rows, ${objects} tiles and the scene's own files of ${scene}`);
      return;
    }
    const report = await purgeScene(context, plan, status.state);
    if (flags.json === true) console.log(JSON.stringify({ scene, ...report }));
    else console.log(`removed ${report.rows} rows and ${report.objects} objects (${report.bytes} bytes) of ${scene}`);
  });
};
