import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { findScenes } from '../../lambda/local/find-scenes.ts';
import { openLocalEngine } from '../../lambda/local/local-engine.ts';
import { NO_REMOTE_OPTIONS, type RemoteOptions, remoteStores } from '../../lambda/local/remote-sources.ts';
import { type SceneEnd, type SceneReport, runScenes } from '../../lambda/local/run-scenes.ts';
import { WorkerPool } from '../../lambda/local/worker-pool.ts';
import { silentTelemetry } from '../../lambda/telemetry.ts';
import type { Pipeline } from '../../lambda/pipeline/definition/pipeline.ts';
import { interruptible } from '../interrupt.ts';
import { type PipelineOptions, addPipelineOptions, choosePipeline } from '../pipeline-options.ts';
import { Progress } from '../progress.ts';
import { type RemoteFlags, addRemoteOptions, remoteOptionsOf } from '../remote-options.ts';

interface RunCommandOptions extends PipelineOptions, RemoteFlags {
  readonly out: string;
  readonly workers: number;
  readonly json?: boolean;
}

const positiveInteger = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1 up is wanted.');
  return value;
};

const localFolder = (text: string): string => {
  if (text === '') throw new InvalidArgumentError('a folder is wanted.');
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) {
    throw new InvalidArgumentError(
      'outputs of run go to a folder of this machine; into S3 writes the deployed pipeline.',
    );
  }
  return text;
};

/** `tileonce run`: scenes to tiles, mosaic and STAC item on this machine. */
export const addRun = (program: Command): void => {
  const command = program
    .command('run')
    .description('Make tiles, mosaic and STAC item of one or more scenes on this machine')
    .argument(
      '<scenes...>',
      "a band's file (its siblings are found by the pipeline's paths), s3://bucket/key or https:// URL, or folders of scenes",
    )
    .requiredOption('-o, --out <folder>', 'where outputs and the ledger go', localFolder)
    .option('-w, --workers <n>', 'worker threads', positiveInteger, availableParallelism())
    .option('--json', 'end with one JSON line per scene on stdout; a scene that failed has its error there');
  addRemoteOptions(addPipelineOptions(command)).action(async (scenes: string[], options: RunCommandOptions) => {
    const remote = remoteOptionsOf(options);
    const ends = await runOnThisMachine(await choosePipeline(options), scenes, { ...options, remote });
    if (ends.some(({ kind }) => kind === 'failed')) process.exitCode = 1;
  });
};

/** Runs the scenes and says how each ended: results on stdout with `json`, everything else on stderr. */
export const runOnThisMachine = async (
  pipeline: Pipeline,
  paths: readonly string[],
  options: {
    readonly out: string;
    readonly workers: number;
    readonly json?: boolean;
    readonly remote?: RemoteOptions;
  },
): Promise<SceneEnd[]> => {
  const remote = options.remote ?? NO_REMOTE_OPTIONS;
  const { listKeys } = remoteStores(remote, () => undefined);
  const requests = await findScenes(pipeline, paths, listKeys);
  const progress = new Progress();
  const ends = await interruptible(
    async (signal) => {
      const { out } = options;
      const pool = new WorkerPool(options.workers, { out, remote });
      // A file that is hashed is new: its scene will have work.
      const hashing = { signal, onBytes: () => pool.load() };
      using local = openLocalEngine(out, silentTelemetry, { progress: hashing, remote });
      try {
        return await runScenes(local, requests, { out, pool, observer: progress }, signal);
      } finally {
        progress.stop();
      }
    },
    (message) => progress.note(message),
  );
  for (const end of ends) {
    const name = end.request.label;
    if (end.kind === 'failed') {
      console.error(`tileonce: ${end.message}`);
      if (options.json === true) console.log(JSON.stringify({ name, error: end.message }));
      continue;
    }
    console.error(summaryOf(name, end.report));
    if (options.json === true) console.log(JSON.stringify(end.report));
  }
  return ends;
};

const summaryOf = (label: string, report: SceneReport): string => {
  const { windows, written, alreadyPresent, empty, mosaic, item, seconds } = report;
  return (
    `scene ${label}: ${windows} windows = ${written} written + ${alreadyPresent} already present + ${empty} empty, ` +
    `${seconds.toFixed(1)} s\n` +
    `  ${mosaic === null ? 'no mosaic: no window has a valid pixel' : `mosaic ${mosaic}`}\n  item   ${item}`
  );
};
