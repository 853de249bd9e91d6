import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { parseSceneJobId } from '../../lambda/identity/job-key.ts';
import { mosaicKey } from '../../lambda/identity/output-keys.ts';
import { parsePlan } from '../../lambda/identity/plan-record.ts';
import { openLocalEngine } from '../../lambda/local/local-engine.ts';
import { buildScene } from '../../lambda/pipeline/assemble-scene.ts';
import { silentTelemetry } from '../../lambda/telemetry.ts';
import { type Cost, measureHere } from '../measured.ts';
import { type MemoryPeaks, watchMemory } from '../memory-peaks.ts';
import { profiled } from '../profiled.ts';
import type { AssembleJob } from './assemble.ts';

const jobSchema: z.ZodType<AssembleJob> = z.object({
  out: z.string(),
  sceneJobId: z.string(),
  profile: z.string().nullable(),
});

/** Does the job, given as JSON. */
export const runAssembly = async (given: string): Promise<{ work: Cost; memory: MemoryPeaks }> => {
  const job = jobSchema.parse(JSON.parse(given));
  const sceneJobId = parseSceneJobId(job.sceneJobId);
  if (sceneJobId === null) throw new Error(`${job.sceneJobId} is no scene job id`);
  const mosaic = join(job.out, mosaicKey(sceneJobId));
  using local = openLocalEngine(job.out, silentTelemetry);
  const record = await local.context.manifest.getPlan(sceneJobId);
  if (record === null) throw new Error(`there is no plan of ${sceneJobId} in ${job.out}`);
  const plan = parsePlan(record.plan);
  const peaks = watchMemory();
  const assemble = async (): Promise<number> => {
    const makeScratch = () => local.engine.openScratch();
    await buildScene(local.context, makeScratch, plan, 'create', new AbortController().signal);
    return (await stat(mosaic)).size;
  };
  const work = await profiled(job.profile, () => measureHere(assemble));
  return { work, memory: peaks() };
};
