import { collectInOnePass } from '../../lambda/garbage-collection.ts';
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { readWindows } from '../read-windows.ts';

// As workers and functions do.
collectInOnePass();

/** A thread that reads windows of one file whenever it is told to. */
const rect = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
const { path, windows } = z.object({ path: z.string(), windows: z.array(rect) }).parse(workerData);

parentPort?.on('message', () => {
  void readWindows(path, windows).then((samples) => parentPort?.postMessage(samples));
});
