import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { windowCount } from '../lambda/identity/grid.ts';
import { ndviPipeline, workFolder } from './data.ts';
import { memoryRemark, runAssembleJob, runTileJob } from './job-result.ts';
import { largeScene } from './large-scene.ts';
import { MOST_OF_ASSEMBLY, MOST_OF_TILE_JOB } from './memory.ts';
import { type Row, bounded, duration, megabytes, tableOf } from './ratio.ts';
import { keepRows, writePage } from './report.ts';
import { planInto } from './tile-rig.ts';

/**
 * `npm run bench:ten-gigabytes`: a scene of two bands of 51,200 x 51,200 uint16 (10.5 GB of pixels) planned, tiled by two
 * workers and assembled, each step in processes of its own. Takes 30 GB of disk, given back at the end. `--crs EPSG:n`
 * warps it; `--write` puts the table into docs/performance.md; `--times N` makes it N x N times 10,240 px instead of 5 x 5.
 */

/** What a function reads from and writes to S3 in a second, bytes: a cautious figure. */
const S3_BYTES = 75e6;
/** What a function may take, s. */
const CEILING = 900;

const { values } = parseArgs({
  options: {
    crs: { type: 'string', default: 'source' },
    times: { type: 'string', default: '5' },
    compression: { type: 'string', default: 'deflate' },
    write: { type: 'boolean', default: false },
  },
});
const compression = values.compression === 'zstd' ? 'zstd' : 'deflate';
const rows: Row[] = [];
const put = (what: string, value: number, most: number | null, show: (value: number) => string, remark = ''): void => {
  const row = bounded({ bench: 'ten-gigabytes', what, remark }, value, most, show);
  rows.push(row);
  console.error(`${what}: ${row.measured} ${row.bar} ${remark}`);
};

await using work = await workFolder();
const { red } = await largeScene(join(work.path, 'scene'), Number(values.times));
const out = join(work.path, 'out');
const pipeline = ndviPipeline({ crs: values.crs, compression });
const started = performance.now();
const plan = await planInto(out, pipeline, red, null);
const planned = (performance.now() - started) / 1000;
const windows = windowCount(plan.windows);
const size = `${plan.grid.width} x ${plan.grid.height} px`;
put('planning', planned, null, duration, `${size}, ${windows} windows; the sources' SHA-256 is most of it`);

const workers = await Promise.all([1, 2].map(() => runTileJob({ out, warmUp: 0, profile: null })));
for (const [i, worker] of workers.entries()) {
  put(
    `tile job, worker ${i + 1}: peak memory`,
    worker.process.peakBytes,
    MOST_OF_TILE_JOB,
    megabytes,
    memoryRemark(worker),
  );
}
const elapsed = Math.max(...workers.map(({ work: { wall } }) => wall));
const cpu = workers.reduce((sum, worker) => sum + worker.work.cpu, 0);
const tileBytes = workers.reduce((sum, worker) => sum + (worker.work.bytes ?? 0), 0);
put('tiles: elapsed', elapsed, null, duration, `${duration(cpu)} of processor time, ${megabytes(tileBytes)}`);
put('a window: processor time', cpu / windows, null, duration);

const assembly = await runAssembleJob({ out, sceneJobId: plan.sceneJobId });
const mosaicBytes = assembly.work.bytes ?? 0;
put('assembly: peak memory', assembly.process.peakBytes, MOST_OF_ASSEMBLY, megabytes, memoryRemark(assembly));
put(
  'assembly: elapsed',
  assembly.work.wall,
  null,
  duration,
  `${duration(assembly.work.cpu)} of processor time, ${megabytes(mosaicBytes)}`,
);

const sourceBytes = 2 * (await stat(red)).size;
const vcpu = '1,769 MB: one vCPU';
const transfer = (bytes: number): string => `${duration(bytes / S3_BYTES)} of it for ${megabytes(bytes)} of traffic`;
const perWindow = (sourceBytes + tileBytes) / windows;
put(
  'a window on Lambda, projected',
  cpu / windows + perWindow / S3_BYTES,
  CEILING,
  duration,
  `${vcpu}; ${transfer(perWindow)}`,
);
const traffic = 2 * mosaicBytes;
put(
  'the assembly on Lambda, projected',
  assembly.work.cpu + traffic / S3_BYTES,
  CEILING,
  duration,
  `${vcpu}; ${transfer(traffic)}`,
);
console.log(tableOf(rows));
await keepRows(rows);
// Only this table: what is kept of the others may be of another day.
if (values.write) await writePage(rows);
