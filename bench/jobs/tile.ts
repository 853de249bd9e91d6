import { collectInOnePass } from '../../lambda/garbage-collection.ts';
import * as z from 'zod';
import { measureHere } from '../measured.ts';
import { watchMemory } from '../memory-peaks.ts';
import { profiled } from '../profiled.ts';
import { openTileRig } from '../tile-rig.ts';

// As workers and functions do.
collectInOnePass();

/** One worker in a process of its own, so that its memory and its profile are its own: it does the windows of a folder's queue. */
export interface TileJob {
  readonly out: string;
  /** Windows that are done first and not measured: code is compiled then. */
  readonly warmUp: number;
  /** Where a V8 profile of the measured windows goes, or null. */
  readonly profile: string | null;
}

const jobSchema: z.ZodType<TileJob> = z.object({
  out: z.string(),
  warmUp: z.number(),
  profile: z.string().nullable(),
});

const { out, warmUp, profile } = jobSchema.parse(JSON.parse(process.argv[2] ?? ''));

await using rig = openTileRig(out);
const peaks = watchMemory();
await rig.workOff(warmUp);
const work = await profiled(profile, () => measureHere(() => rig.workOff()));
console.log(JSON.stringify({ work, memory: peaks() }));
