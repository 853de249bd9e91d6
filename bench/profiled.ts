import { writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import type { Cost } from './measured.ts';

/** Between samples, µs. */
const INTERVAL = 500;

/** Does work under V8's profiler and leaves its profile in a file; null: no profiler. */
export const profiled = async (path: string | null, work: () => Promise<Cost>): Promise<Cost> => {
  if (path === null) return work();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL });
  await session.post('Profiler.start');
  const cost = await work();
  await writeFile(path, JSON.stringify((await session.post('Profiler.stop')).profile));
  session.disconnect();
  return cost;
};
