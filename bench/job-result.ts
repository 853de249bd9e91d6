import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { WORKER_YOUNG_MB } from '../lambda/local/worker-pool.ts';
import type { AssembleJob } from './jobs/assemble.ts';
import type { TileJob } from './jobs/tile.ts';
import { type CommandCost, type Cost, measureCommand } from './measured.ts';
import { type MemoryPeaks, memoryPeaksSchema } from './memory-peaks.ts';
import { megabytes } from './ratio.ts';

/** What a job in a process of its own told of itself, and what it was seen to cost. */
export interface JobResult {
  /** Of the work alone, without start-up. */
  readonly work: Required<Cost>;
  readonly memory: MemoryPeaks;
  readonly process: CommandCost;
}

const resultSchema = z.object({
  work: z.object({ wall: z.number(), cpu: z.number(), bytes: z.number(), ownThread: z.number() }),
  memory: memoryPeaksSchema,
});

const jobFile = (name: string): string => fileURLToPath(new URL(`jobs/${name}.ts`, import.meta.url));

const runJob = async (name: string, job: TileJob | AssembleJob): Promise<JobResult> => {
  // As a worker thread has it: new objects take three times the flag's number.
  const young = name === 'tile' ? [`--max-semi-space-size=${WORKER_YOUNG_MB / 3}`] : [];
  const cost = await measureCommand(process.execPath, [...young, jobFile(name), JSON.stringify(job)]);
  return { ...resultSchema.parse(JSON.parse(cost.stdout)), process: cost };
};

/** One worker over the windows of a folder's queue. */
export const runTileJob = (job: TileJob): Promise<JobResult> => runJob('tile', job);

/** The assembly of a scene whose tiles are there. What an earlier one made is taken away first, at nobody's cost. */
export const runAssembleJob = async ({
  out,
  sceneJobId,
  profile = null,
}: Omit<AssembleJob, 'profile'> & Partial<AssembleJob>): Promise<JobResult> => {
  await rm(join(out, 'scenes', sceneJobId), { recursive: true, force: true });
  return runJob('assemble', { out, sceneJobId, profile });
};

/** Where a job's memory went. */
export const memoryRemark = ({ memory: { heapUsed, arrayBuffers } }: JobResult): string =>
  `buffers ${megabytes(arrayBuffers)}, heap ${megabytes(heapUsed)}`;
