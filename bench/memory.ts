import { join } from 'node:path';
import { REAL_SCENE, demoScene, ndviPipeline, workFolder } from './data.ts';
import { memoryRemark, runAssembleJob, runTileJob } from './job-result.ts';
import { type Row, bounded, megabytes } from './ratio.ts';
import { CRS } from './scene.ts';
import { planInto } from './tile-rig.ts';
import { tiledScene } from './tiled-scene.ts';

/** Bytes of a process's resident set. */
export const MOST_OF_TILE_JOB = 350e6;
export const MOST_OF_ASSEMBLY = 500e6;

/** Windows as a scene of 10,980 px has them, and as one of 10 GB has them. */
const GRIDS: readonly (readonly [grid: string, what: string])[] = [
  ['20x20', 'windows of 512 and 1,024 px'],
  ['5x5', 'windows of 2,048 and 3,072 px'],
  ['3x3', 'windows of 4,096 px'],
];

/** Peak memory of one worker over many windows, and of the assembly of a scene and of one four times as large. */
export const benchMemory = async (): Promise<Row[]> => {
  const rows: Row[] = [];
  const { red } = await demoScene(REAL_SCENE);
  for (const crs of ['source', CRS]) {
    for (const [grid, windows] of GRIDS) {
      await using work = await workFolder();
      const out = join(work.path, 'out');
      await planInto(out, ndviPipeline({ crs, grid }), red, null);
      const job = await runTileJob({ out, warmUp: 0, profile: null });
      const what = `tile job, ${windows}, ${crs === 'source' ? 'source grid' : crs}`;
      const { peakBytes } = job.process;
      const put = { bench: 'memory', what, remark: `all windows by one worker: ${memoryRemark(job)}` };
      rows.push(bounded(put, peakBytes, MOST_OF_TILE_JOB, megabytes));
    }
  }
  for (const size of [REAL_SCENE / 2, REAL_SCENE]) {
    const job = await runAssembleJob(await tiledScene(size, {}));
    const { peakBytes } = job.process;
    const put = { bench: 'memory', what: `assembly, scene of ${size} px`, remark: memoryRemark(job) };
    rows.push(bounded(put, peakBytes, MOST_OF_ASSEMBLY, megabytes));
  }
  return rows;
};
