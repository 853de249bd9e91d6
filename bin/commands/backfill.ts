import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import { TileonceError } from '../../lambda/errors.ts';
import { findScenes } from '../../lambda/local/find-scenes.ts';
import { kindOfLocation } from '../../lambda/local/remote-address.ts';
import { NO_REMOTE_OPTIONS, remoteStores } from '../../lambda/local/remote-sources.ts';
import {
  BACKFILL_POLICIES,
  type BackfillPlan,
  type BackfillPolicy,
  newKeyRing,
  newKeyScenes,
  planBackfill,
  ringAll,
  sameKeyRings,
} from '../../lambda/pipeline/recovery/backfill.ts';
import type { FanOutRequest } from '../../lambda/pipeline/fan-out.ts';
import { overwriteScene } from '../../lambda/pipeline/recovery/overwrite-scene.ts';
import { type PlannedScene, allScenes, selectScenes } from '../../lambda/pipeline/recovery/select-scenes.ts';
import { UsageError } from '../exit-code.ts';
import { interruptible } from '../interrupt.ts';
import { DRY_RUN, type EngineFlags, addEngineOptions, positiveInteger } from '../operator/engine-options.ts';
import { type OperatorEngine, openOperatorEngine } from '../operator/operator-engine.ts';
import { tellUnfinished } from '../operator/tell-unfinished.ts';
import { whenSettled } from '../operator/when-settled.ts';
import { choosePipeline } from '../pipeline-options.ts';

interface BackfillFlags extends EngineFlags {
  readonly policy: BackfillPolicy;
  readonly all?: boolean;
  readonly prefix?: string;
  readonly from?: readonly string[];
  readonly pipeline?: string;
  readonly name?: string;
  readonly concurrency: number;
  readonly dryRun?: boolean;
}

/** Ends of one backfill; each verb of it counts its own. */
type Tally = Record<string, number>;

/** `tileonce backfill`: makes scenes again under a policy that the operator names. */
export const addBackfill = (program: Command): void => {
  const command = program
    .command('backfill')
    .description('Make scenes again: what is missing, a new version beside the old, or over the old')
    .argument('[scenes...]', 'ids, the first digits of them, or names')
    .option('--all', 'every scene')
    .option('--prefix <text>', 'every scene whose name begins with this')
    .option(
      '--from <places...>',
      'scenes that were never planned: files, folders or s3://bucket/prefix; with --policy skip',
    )
    .addOption(
      new Option('--policy <policy>', 'what happens to outputs that are there')
        .choices(BACKFILL_POLICIES)
        .makeOptionMandatory(),
    )
    .option('-p, --pipeline <file|name>', 'the new version, with --policy new-key; the pipeline, with --from')
    .option('--name <name>', 'an overwrite of this name is resumed, one of another begun (default: the release)')
    .option('--concurrency <n>', 'scenes (overwrite: windows) under way at once', positiveInteger, 4)
    .option(...DRY_RUN);
  addEngineOptions(command).action(async (names: string[], flags: BackfillFlags) => {
    refuseOddFlags(names, flags);
    await using engine = await openOperatorEngine(flags, flags.dryRun === true ? 'look' : 'change');
    const unplanned = flags.from === undefined ? [] : await ringsFrom(flags.from, flags);
    const chosen = flags.from === undefined ? choose(await allScenes(engine.context.manifest), names, flags) : [];
    // Every refusal comes before the plan's line and the first job.
    const version = flags.policy === 'new-key' ? await choosePipeline(flags) : null;
    const scenes = version === null ? chosen : newKeyScenes(chosen, version);
    const planned = version === null ? sameKeyRings(scenes) : scenes.map((scene) => newKeyRing(scene, version));
    const rings = [...unplanned, ...planned];
    const plan = await planBackfill(engine.context, flags.policy, scenes);
    console.error(flags.from === undefined ? planLine(plan) : `skip: ${unplanned.length} scene(s) found`);
    if (flags.dryRun === true) {
      if (flags.json === true) console.log(JSON.stringify({ ...plan, dryRun: true }));
      return;
    }
    const { tally, failed } = await interruptible(
      (signal) =>
        flags.policy === 'overwrite'
          ? overwriteAll(engine, scenes, flags, signal)
          : engine.working(availableParallelism(), signal, async () => {
              const counts: Tally = {};
              const outcomes = await ringAll(
                engine.context,
                rings,
                {
                  concurrency: flags.concurrency,
                  settled: (scene) => whenSettled(engine, scene, signal),
                  onRung: ({ candidates }, { kind }) => {
                    counts[kind] = (counts[kind] ?? 0) + 1;
                    console.error(`${candidates.sceneName}: ${kind}`);
                  },
                },
                signal,
              );
              return { tally: counts, failed: await tellUnfinished(engine, outcomes) };
            }),
      (message) => console.error(message),
    );
    if (flags.json === true) console.log(JSON.stringify({ ...plan, done: tally, failed }));
    else console.log(tallyLine(tally));
    if (failed > 0) process.exitCode = 1;
  });
};

/** The rings of scenes that lie somewhere; on a stage every bucket is reached the same way. */
const ringsFrom = async (places: readonly string[], flags: BackfillFlags): Promise<FanOutRequest[]> => {
  const { listKeys } = remoteStores(NO_REMOTE_OPTIONS, () => undefined);
  const found = await findScenes(await choosePipeline(flags), places, listKeys);
  if (flags.stage === undefined) return found;
  if (found.some(({ location }) => kindOfLocation(location) !== 's3')) {
    throw new UsageError('a stage reads scenes from S3 alone', { remedy: 'give s3://bucket/prefix with --from' });
  }
  return found.map((ring) => ({ ...ring, location: '' }));
};

const refuseOddFlags = (names: readonly string[], flags: BackfillFlags): void => {
  const ways = [names.length > 0, flags.all === true, flags.prefix !== undefined, flags.from !== undefined].filter(
    Boolean,
  ).length;
  if (ways !== 1) {
    throw new UsageError(ways === 0 ? 'no scenes are named' : 'scenes are named in more than one way', {
      remedy: 'name scenes, or give --prefix, --from or --all',
    });
  }
  if (flags.from !== undefined && (flags.policy !== 'skip' || flags.pipeline === undefined)) {
    throw new UsageError('--from goes with --policy skip and --pipeline', {
      remedy: 'what was never planned has no outputs to replace or to put others beside',
    });
  }
  if (flags.policy === 'new-key' && flags.pipeline === undefined) {
    throw new UsageError('--policy new-key needs the new version', { remedy: 'name it with --pipeline FILE' });
  }
  if (flags.policy !== 'new-key' && flags.from === undefined && flags.pipeline !== undefined) {
    throw new UsageError(`--policy ${flags.policy} takes no pipeline`, {
      remedy: 'scenes are made as they were planned; a new version is --policy new-key',
    });
  }
};

const choose = (scenes: readonly PlannedScene[], names: readonly string[], flags: BackfillFlags): PlannedScene[] => {
  if (flags.all === true) return scenes.filter(({ record }) => record.state !== 'PURGED');
  if (flags.prefix === undefined) return selectScenes(scenes, names);
  const { prefix } = flags;
  const found = scenes.filter(({ plan, record }) => plan.sceneName.startsWith(prefix) && record.state !== 'PURGED');
  if (found.length > 0) return found;
  throw new TileonceError(`no scene's name begins with ${prefix}`, { remedy: 'tileonce list shows names' });
};

const planLine = ({ policy, scenes, jobs, present, missing, estimatedUsd }: BackfillPlan): string =>
  `${policy}: ${scenes.length} scene(s), ${present} windows present, ${missing} missing, ${jobs} to compute ` +
  `(on AWS about ${estimatedUsd} USD)`;

const tallyLine = (tally: Tally): string =>
  Object.entries(tally)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ') || 'nothing to do';

/** Scene by scene, windows side by side; one that fails is told and the others go on. */
const overwriteAll = async (
  engine: OperatorEngine,
  scenes: readonly PlannedScene[],
  flags: BackfillFlags,
  signal: AbortSignal,
): Promise<{ tally: Tally; failed: number }> => {
  const { softwareVersion, pixelVersion } = engine.context;
  const backfill = flags.name ?? `release ${softwareVersion}, pixels ${pixelVersion}`;
  const tally: Tally = {};
  let failed = 0;
  for (const scene of scenes) {
    try {
      const { sceneJobId, windows, assembly } = await overwriteScene(
        engine.context,
        engine.tools,
        scene,
        { backfill, concurrency: flags.concurrency },
        signal,
      );
      for (const [kind, count] of Object.entries(windows)) tally[kind] = (tally[kind] ?? 0) + count;
      console.error(`${sceneJobId.slice(0, 12)}: ${tallyLine(windows)}; assembly: ${assembly}`);
    } catch (error) {
      if (signal.aborted || !(error instanceof TileonceError)) throw error;
      failed++;
      console.error(`tileonce: ${error.oneLine}`);
    }
  }
  return { tally, failed };
};
