import { join } from 'node:path';
import { type WindowIndex, windowRect } from '../lambda/identity/grid.ts';
import type { ScenePlan } from '../lambda/identity/plan.ts';
import { sha256Hex } from '../lambda/identity/sha256.ts';
import { withClaim } from '../lambda/gates/claim.ts';
import { claimAttempt } from '../lambda/pipeline/context.ts';
import { silentTelemetry } from '../lambda/telemetry.ts';
import { pixelDigest } from '../lambda/raster/cog/digest.ts';
import { REAL_SCENE, demoScene, ndviPipeline, workFolder } from './data.ts';
import { FLOAT_CODECS } from './gdal-commands.ts';
import { measureHere } from './measured.ts';
import { type Row, bounded, duration, median } from './ratio.ts';
import { CRS } from './scene.ts';
import { type TileRig, openTileRig, planInto } from './tile-rig.ts';
import { wholeWindows } from './window.ts';

const JOBS = 48;
const TRIALS = 200;
const TILE_PX = 512;
/** Of a window's whole job. */
const MOST_SHARE = 0.1;

interface GateTimes {
  readonly claim: number;
  readonly row: number;
  readonly digest: number;
  readonly job: number;
}

/** What claim and commit, row and digest take of a window's job, s each. */
export const benchGates = async ({ rounds }: { rounds: number }): Promise<Row[]> => {
  const rows: Row[] = [];
  for (const { compression } of FLOAT_CODECS) {
    const times: GateTimes[] = [];
    // The first is the warm-up.
    for (let round = 0; round <= rounds; round++) times.push(await measureRound(compression));
    const of = (which: keyof GateTimes): number => median(times.slice(1).map((one) => one[which]));
    const gates = of('claim') + of('row') + of('digest');
    const remark =
      `claim and commit ${duration(of('claim'))}, row ${duration(of('row'))}, digest ${duration(of('digest'))}, ` +
      `job ${duration(of('job'))}; ${rounds} rounds`;
    const what = `claim, digest, row, commit of a ${TILE_PX} px window, ${CRS}, ${compression.toUpperCase()}`;
    const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
    rows.push(bounded({ bench: 'gates', what, remark }, gates / of('job'), MOST_SHARE, percent));
  }
  return rows;
};

const measureRound = async (compression: 'deflate' | 'zstd'): Promise<GateTimes> => {
  const { red } = await demoScene(REAL_SCENE);
  await using work = await workFolder();
  const out = join(work.path, 'out');
  const choose = (plan: ScenePlan): WindowIndex[] => wholeWindows(plan, JOBS);
  const plan = await planInto(out, ndviPipeline({ crs: CRS, compression }), red, choose);
  await using rig = openTileRig(out);
  const job = (await measureHere(() => rig.workOff())).wall / choose(plan).length;
  return { job, claim: await claimTime(rig), row: await rowTime(rig, plan), digest: await digestTime(plan) };
};

/** Claim and commit, with the layer above them, around no work at all. */
const claimTime = ({ local: { context } }: TileRig): Promise<number> =>
  each(async (trial) => {
    await withClaim(claimAttempt(context, sha256Hex(`bench ${trial}`)), silentTelemetry, () => Promise.resolve({}));
  });

const rowTime = ({ local: { context } }: TileRig, { sceneJobId }: ScenePlan): Promise<number> =>
  each(async (trial) => {
    await context.manifest.putRow({
      state: 'WRITTEN',
      sceneJobId,
      window: `${trial + 1000}_0000`,
      key: `tiles/${trial}.tif`,
      bytes: 1,
      etag: sha256Hex(String(trial)),
      sha256: sha256Hex(String(trial)),
      digest: sha256Hex(String(trial)),
      validPixels: 1,
      statistics: [{ min: 0, max: 1, mean: 0.5, m2: 0.25, count: 1 }],
    });
  });

const digestTime = ({ grid, windows }: ScenePlan): Promise<number> => {
  const { width, height } = windowRect(windows, { row: 2, column: 2 });
  const pixels = new Float32Array(width * height).map((_, i) => Math.sin(i));
  const image = { width, height, dataType: 'float32', nodata: Number.NaN, grid, bands: [pixels] } as const;
  return each(async () => {
    pixelDigest(image);
    await Promise.resolve();
  });
};

const each = async (work: (trial: number) => Promise<void>): Promise<number> => {
  const { wall } = await measureHere(async () => {
    for (let trial = 0; trial < TRIALS; trial++) await work(trial);
    return undefined;
  });
  return wall / TRIALS;
};
