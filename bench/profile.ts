import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WindowIndex } from '../lambda/identity/grid.ts';
import type { ScenePlan } from '../lambda/identity/plan.ts';
import { REAL_SCENE, demoScene, ndviPipeline, workFolder } from './data.ts';
import { type CodecOptions, FLOAT_CODECS } from './gdal-commands.ts';
import { type JobResult, runAssembleJob, runTileJob } from './job-result.ts';
import { stagesOf } from './profile-stages.ts';
import { type Row, bounded } from './ratio.ts';
import { CRS } from './scene.ts';
import { planInto } from './tile-rig.ts';
import { tiledScene } from './tiled-scene.ts';
import { wholeWindows } from './window.ts';

const WARM_UP = 24;
const JOBS = 96;

/** Functions that a row names. */
const TOP = 5;

/**
 * Where one warm worker's time goes, by stage, ms a window; and an assembly's, in all. A profile's samples are taken by
 * the clock and count waiting for the processor too, so they are scaled to the processor time of the profiled thread. What
 * other threads used stands apart: codecs and file reads on libuv's pool, V8's collector and compiler.
 */
export const benchProfile = async (): Promise<Row[]> => {
  const rows: Row[] = [];
  for (const crs of ['source', CRS]) {
    for (const codec of FLOAT_CODECS) rows.push(...(await profileWindows(crs, codec)));
  }
  for (const codec of FLOAT_CODECS) rows.push(...(await profileAssembly(codec)));
  return rows;
};

const profileWindows = async (crs: string, { compression }: CodecOptions): Promise<Row[]> => {
  const { red } = await demoScene(REAL_SCENE);
  await using work = await workFolder();
  const out = join(work.path, 'out');
  const choose = (plan: ScenePlan): WindowIndex[] => wholeWindows(plan, WARM_UP + JOBS);
  const plan = await planInto(out, ndviPipeline({ crs, compression }), red, choose);
  const profile = join(work.path, 'profile.json');
  const job = await runTileJob({ out, warmUp: WARM_UP, profile });
  const what = `window, ${crs === 'source' ? 'source grid' : crs}, ${compression.toUpperCase()}`;
  return stageRows(what, job, choose(plan).length - WARM_UP, await readFile(profile, 'utf8'));
};

const profileAssembly = async ({ compression }: CodecOptions): Promise<Row[]> => {
  const scene = await tiledScene(10_240, { compression });
  await using work = await workFolder();
  const profile = join(work.path, 'profile.json');
  const job = await runAssembleJob({ ...scene, profile });
  return stageRows(`assembly of 400 tiles, ${compression.toUpperCase()}`, job, 1, await readFile(profile, 'utf8'));
};

const milliseconds = (ms: number): string => `${ms.toFixed(ms < 100 ? 2 : 0)} ms`;

const stageRows = (what: string, { work }: JobResult, jobs: number, profile: string): Row[] => {
  const row = (stage: string, seconds: number, remark: string): Row =>
    bounded({ bench: 'profile', what: `${what}: ${stage}`, remark }, (seconds * 1000) / jobs, null, milliseconds);
  const stages = stagesOf(profile);
  const scale = work.ownThread / stages.reduce((sum, { ms }) => sum + ms, 0);
  const least = work.cpu / 1000;
  return [
    row('elapsed', work.wall, `of ${jobs}`),
    row('processor time', work.cpu, ''),
    row('on other threads', work.cpu - work.ownThread, 'not seen by the profile'),
    ...stages
      .filter(({ ms }) => ms * scale > least)
      .map(({ stage, ms, functions }) => {
        const top = functions.slice(0, TOP).filter((one) => one.ms * scale > least);
        const named = top.map((one) => `${one.name} ${milliseconds((one.ms * scale * 1000) / jobs)}`);
        return row(stage, ms * scale, named.join(', '));
      }),
  ];
};
