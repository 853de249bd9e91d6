import { join } from 'node:path';
import { type WindowIndex, windowRect, windowsOf } from '../lambda/identity/grid.ts';
import type { ScenePlan } from '../lambda/identity/plan.ts';
import { REAL_SCENE, demoScene, ndviPipeline, workFolder } from './data.ts';
import { type CodecOptions, FLOAT_CODECS, tileOptions } from './gdal-commands.ts';
import { type Cost, measureHere } from './measured.ts';
import { startPeer } from './peer-process.ts';
import { type Row, compare } from './ratio.ts';
import { CRS } from './scene.ts';
import { openTileRig, planInto } from './tile-rig.ts';

const BARS: Readonly<Record<CodecOptions['compression'], number>> = { deflate: 1.2, zstd: 1.6 };
const TILE_PX = 512;

/** Windows that a round does. */
const JOBS = 48;

/**
 * One window's whole job, gates, digest and flushed file included, against GDAL and numpy in one process that read (or
 * warp), compute and write a tiled GeoTIFF, unflushed. Both are warm, and both go along rows of windows, so that both
 * find what the window before has decoded.
 */
export const benchWindow = async ({ rounds }: { rounds: number }): Promise<Row[]> => {
  const rows: Row[] = [];
  for (const crs of ['source', CRS]) {
    for (const codec of FLOAT_CODECS) rows.push(await benchOne(crs, codec, rounds));
  }
  return rows;
};

const benchOne = async (crs: string, codec: CodecOptions, rounds: number): Promise<Row> => {
  const { red, nir } = await demoScene(REAL_SCENE);
  const pipeline = ndviPipeline({ crs, compression: codec.compression });
  await using work = await workFolder();
  let folder = 0;
  const newPlan = (): Promise<ScenePlan> => {
    folder++;
    return planInto(join(work.path, String(folder)), pipeline, red, (plan) => wholeWindows(plan, JOBS));
  };
  const ours = async (): Promise<Cost> => {
    await newPlan();
    await using rig = openTileRig(join(work.path, String(folder)));
    return await measureHere(() => rig.workOff());
  };
  const plan = await newPlan();
  const windows = wholeWindows(plan, JOBS).map((window) => windowRect(plan.windows, window));
  await using peer = startPeer('window', {
    red,
    nir,
    windows,
    geotransform: plan.grid.geotransform,
    crs: crs === 'source' ? null : crs,
    out: work.path,
    options: tileOptions(codec),
  });
  return await compare(
    {
      bench: 'window',
      what: `NDVI of ${TILE_PX} x ${TILE_PX} px, ${crs === 'source' ? 'source grid' : crs}, ${codec.compression.toUpperCase()}`,
      bar: BARS[codec.compression],
      jobs: JOBS,
      peerName: 'GDAL + numpy',
      ours,
      peer: () => peer.round(),
    },
    { rounds, warmUp: true },
  );
};

/** Windows of one whole block, from the scene's third row of windows on: the swath's edge is far from there. */
export const wholeWindows = ({ windows }: ScenePlan, count: number): WindowIndex[] =>
  [...windowsOf(windows)]
    .filter((window) => {
      const { width, height } = windowRect(windows, window);
      return width === TILE_PX && height === TILE_PX && window.row >= 2 && window.column < 12;
    })
    .slice(0, count);
